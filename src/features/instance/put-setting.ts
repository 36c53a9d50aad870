import type { CommandContext } from '../../engine/command.ts';

/** Stores a setting of the whole instance. `eventData` is added to the data of the audit event. */
export function putSetting({ draft, emit }: CommandContext, name: string, value: string, eventData: object): void {
  const before = draft.get('settings', name);
  draft.put('settings', { name, value });
  emit({ type: before ? 'setting-updated' : 'setting-created', data: { name, ...eventData } });
}
