import type { CommandContext } from '../../engine/command.ts';
import type { StateReader } from '../../state/collections.ts';

const INSTANCE_ID = 'instance-id';

/** Gives the instance the id that it keeps for as long as its store lives, whichever processes serve it. */
export function nameInstance({ draft, newId }: CommandContext): void {
  if (!draft.get('settings', INSTANCE_ID)) draft.put('settings', { name: INSTANCE_ID, value: newId() });
}

/** "" before the first start is done. */
export function instanceIdOf(reader: StateReader): string {
  return reader.get('settings', INSTANCE_ID)?.value ?? '';
}
