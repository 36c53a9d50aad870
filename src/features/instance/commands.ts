import type { CommandContext } from '../../engine/command.ts';
import type { StateReader } from '../../state/collections.ts';

const INSTANCE_ID = 'instance-id';

/** Sets the id of the instance if it has none. All processes of a store have the same id. It stays the same as long as the store exists. */
export function ensureInstanceId({ draft, newId }: CommandContext): void {
  if (!draft.get('settings', INSTANCE_ID)) draft.put('settings', { name: INSTANCE_ID, value: newId() });
}

/** The id of the instance; "" until the first start is complete. */
export function instanceIdOf(reader: StateReader): string {
  return reader.get('settings', INSTANCE_ID)?.value ?? '';
}
