import type { CommandContext } from '../../engine/command.ts';

/** Puts a setting of the whole instance. `told` is what the audit trail says that it holds. */
export function putSetting({ draft, emit }: CommandContext, name: string, value: string, told: object): void {
  const before = draft.get('settings', name);
  draft.put('settings', { name, value });
  emit({ type: before ? 'setting-updated' : 'setting-created', data: { name, ...told } });
}
