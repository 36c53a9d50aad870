import type { CommandContext } from '../../engine/command.ts';
import type { StateReader } from '../../state/collections.ts';

const INSTANCE_ID = 'instance-id';

/** Sets the id of the instance, once. The id stays the same for the life of the store, whichever processes serve it. */
export function nameInstance({ draft, newId }: CommandContext): void {
  if (!draft.get('settings', INSTANCE_ID)) draft.put('settings', { name: INSTANCE_ID, value: newId() });
}

/** Empty until the first start is complete. */
export function instanceIdOf(reader: StateReader): string {
  return reader.get('settings', INSTANCE_ID)?.value ?? '';
}
