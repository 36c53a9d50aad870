import type { CommandContext } from '../../engine/command.ts';
import { collection } from '../../model/collection.ts';
import type { StateReader } from '../../state/collections.ts';

/** A stored setting of the instance. It applies to every process that uses the store. Collection `settings`, key: the name. */
export interface Setting {
  readonly name: string;
  readonly value: string;
}

export const settings = collection({ schema: 1, key: (setting: Setting) => setting.name });

declare module '../../model/collection.ts' {
  interface CollectionTable {
    readonly settings: typeof settings;
  }
}

/** Stores a setting of the whole instance. `eventData` is added to the data of the audit event. */
export function putSetting({ draft, emit }: CommandContext, name: string, value: string, eventData: object): void {
  const before = draft.get('settings', name);
  draft.put('settings', { name, value });
  emit({ type: before ? 'setting-updated' : 'setting-created', data: { name, ...eventData } });
}

const INSTANCE_ID = 'instance-id';

/** Sets the id of the instance if it has none. All processes of a store have the same id. It stays the same as long as the store exists. */
export function ensureInstanceId({ draft, newId }: CommandContext): void {
  if (!draft.get('settings', INSTANCE_ID)) draft.put('settings', { name: INSTANCE_ID, value: newId() });
}

/** The id of the instance; "" until the first start is complete. */
export function instanceIdOf(reader: StateReader): string {
  return reader.get('settings', INSTANCE_ID)?.value ?? '';
}
