import { describe, expect, it } from 'vitest';
import { auditedChange, auditedWhole } from '../../../src/features/change-requests/config.ts';
import { eventSummary } from '../../../src/features/events/summary.ts';
import { CHANGE_ACTIONS, type ChangeRequest, type RequestedChange } from '../../../src/model/change-request.ts';
import { type AuditEvent, EVENT_TYPES } from '../../../src/model/event.ts';

const OF_ONE_CHANGE = ['change-added', 'change-discarded', 'change-edited'];
const TYPES = EVENT_TYPES.filter(
  (type) => OF_ONE_CHANGE.includes(type) || (/^change-request-/.test(type) && !type.endsWith('-configuration-updated')),
);

function change(id: number, given: Partial<RequestedChange> = {}): RequestedChange {
  const input = { enabled: true };
  return { id, action: 'updateEnabled', feature: `cart-${id}`, segment: null, input, ...given } as RequestedChange;
}

const request = (...changes: readonly RequestedChange[]) =>
  ({ id: 7, title: 'Open the *shop*', state: 'In review', changes }) as unknown as ChangeRequest;

function sentence(type: AuditEvent['type'], data: object | null): string {
  const where = { project: 'shop', environment: 'production', featureName: null, preData: null, tags: null };
  const who = { id: 1, createdBy: 'ada', createdByUserId: 1, createdAt: '2026-01-01T00:00:00.000Z' };
  return eventSummary({ type, ...where, ...who, data } as AuditEvent, '') ?? '';
}

describe('the sentences of events of change requests', () => {
  it('are of all types', () => expect(TYPES.length).toBe(15));

  it.each(TYPES)('%s says which request it is, which flag it concerns, and what changes', (type) => {
    const switched = change(1);
    const data = OF_ONE_CHANGE.includes(type)
      ? { changeRequestId: 7, title: 'Open the *shop*', ...auditedChange(switched) }
      : auditedWhole(request(switched));
    const found = sentence(type, data);
    expect(found).toContain('change request **\\#7** “Open the \\*shop\\*”');
    expect(found).toMatch(/ in the environment \*\*production\*\*: switch \*\*cart-1\*\* on$/);
    // Events of older versions have no changes.
    expect(sentence(type, { changeRequestId: 7 })).toMatch(
      /change request \*\*\\#7\*\*.* in the environment \*\*production\*\*$/,
    );
  });

  it('name a few changes, and count the others', () => {
    const off = change(2, { input: { enabled: false } });
    const segment = change(4, { action: 'updateSegment', feature: null, segment: { id: 3, name: 'Beta' } });
    const added = change(3, { action: 'addStrategy' });
    const all = sentence('change-request-applied', auditedWhole(request(off, segment, added, change(5), change(6))));
    expect(all).toMatch(
      /: switch \*\*cart-2\*\* off; change the segment \*\*Beta\*\*; add a strategy to \*\*cart-3\*\*; and 2 more$/,
    );
  });

  it.each(CHANGE_ACTIONS)('have words for %s, and show no value of it', (action) => {
    const input = { secret: 'not shown', enabled: true, strategy: { parameters: { userIds: 'not shown' } } };
    const data = { changeRequestId: 7, ...auditedChange(change(1, { action, input })) };
    expect(sentence('change-added', data)).toMatch(/: [a-z][a-z ]+ \*\*cart-1\*\*/);
    expect(JSON.stringify(data)).not.toContain('not shown');
  });
});
