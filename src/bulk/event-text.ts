import type { AuditEvent } from '../model/event.ts';

/**
 * Tests whether an event tells of a text: in its type, in the name of who did it, or in its data written as JSON. Upper and lower case are the same.
 * A text with quotes is found as JSON has it (`"enabled":true`) and as people see it in a value.
 */
export function textMatcher(text: string): (event: Pick<AuditEvent, 'type' | 'createdBy' | 'data'>) => boolean {
  const plain = text.toLowerCase();
  const escaped = JSON.stringify(plain).slice(1, -1);
  return ({ type, createdBy, data }) => {
    if (type.includes(plain) || createdBy.toLowerCase().includes(plain)) return true;
    if (data === null || data === undefined) return false;
    const json = JSON.stringify(data).toLowerCase();
    return json.includes(plain) || (escaped !== plain && json.includes(escaped));
  };
}
