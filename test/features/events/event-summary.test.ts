import { describe, expect, it } from 'vitest';
import { eventLabel, eventSummary } from '../../../src/features/events/summary.ts';
import { type AuditEvent, EVENT_TYPES, type EventType } from '../../../src/model/event.ts';

function event(type: EventType, rest: Partial<AuditEvent> = {}): AuditEvent {
  const nowhere = { environment: null, project: null, featureName: null, data: null, preData: null, tags: null };
  const who = { createdBy: 'ada@example.org', createdByUserId: 1, createdAt: '2026-01-01T00:00:00.000Z' };
  return { id: 1, type, ...who, ...nowhere, ...rest };
}

const at = { project: 'mobile', featureName: 'new-cart', environment: 'production' };

describe('the label and the summary of an event', () => {
  it.each(EVENT_TYPES)('%s has a label and a complete sentence, with and without details', (type) => {
    expect(eventLabel({ type })).toMatch(/^[A-Z][\w ]+$/);
    for (const known of [event(type), event(type, { ...at, data: { name: 'x', id: 3, type: 'a', value: 'b' } })]) {
      const summary = eventSummary(known, '');
      expect(summary).toMatch(/^\*\*ada@example\.org\*\* \w/);
      expect(summary).not.toMatch(/[{}]|undefined|null|\[object|\*\*\*\*\*/);
    }
  });

  it('links flags and projects under the base path of the service', () => {
    expect(eventSummary(event('feature-environment-enabled', at), '/flags')).toBe(
      '**ada@example.org** switched the flag **[new-cart](/flags/projects/mobile/features/new-cart)** in the project ' +
        '**[mobile](/flags/projects/mobile)** on in the environment **production**',
    );
  });

  it('contains the current name, or the last name before a deletion', () => {
    const preData = { name: 'old' };
    expect(eventSummary(event('segment-deleted', { preData }), '')).toContain('**old**');
    expect(eventSummary(event('segment-updated', { preData, data: { name: 'new' } }), '')).toContain('**new**');
  });

  it('escapes Markdown and HTML in names, and shortens long names', () => {
    const name = '[x](javascript:alert(1))<img src=x>`*_\n# y';
    const summary = eventSummary(event('segment-created', { data: { name }, createdBy: '**[me](evil)**' }), '') ?? '';
    expect(summary).not.toMatch(/(^|[^\\])[[<`]/);
    expect(summary).not.toContain('\n');
    expect(eventSummary(event('segment-created', { data: { name: 'a'.repeat(5_000) } }), '')?.length).toBeLessThan(300);
  });
});
