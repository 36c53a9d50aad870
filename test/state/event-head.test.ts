import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { auditEvent } from '../../src/engine/command.ts';
import { decodeEvent, decodeEventHead, encodeEvent } from '../../src/state/commit.ts';

const AT = '2026-01-02T03:04:05.678Z';
const eventOf = (data: object) =>
  auditEvent(
    { type: 'features-imported', data },
    70_000,
    { seq: 7, at: AT, by: { id: 1, name: 'Ünal' } },
    { address: '::1', reason: 'why' },
  );

describe('the fields that audit events are searched by', () => {
  it('are read without the data of the event', () => {
    const bytes = encodeEvent(eventOf({ text: 'x'.repeat(1_000_000) }));
    const { data, preData, tags, ip, reason, ...head } = decodeEvent(bytes);
    expect(decodeEventHead(bytes)).toEqual(head);
    // The data is not read: these bytes do not contain it.
    expect(decodeEventHead(bytes.subarray(0, 500))).toEqual(head);
    const small = new Packr({ useRecords: false, variableMapSize: true }).pack([1, { ...head, data }]);
    expect(decodeEventHead(small)).toEqual(head);
    // Versions without revisions wrote the data directly after the flag.
    const { revision, ...older } = head;
    expect(decodeEventHead(new Packr({ useRecords: false }).pack([1, { ...older, data }]))).toEqual(older);
    expect(revision).toBe(7);
  });

  it('are also read when the fields are in another order, and damage is an error', () => {
    const event = eventOf({ id: 1 });
    const packr = new Packr({ useRecords: false });
    const turned = packr.pack([1, Object.fromEntries(Object.entries(event).reverse())]);
    expect(decodeEventHead(turned)).toMatchObject(decodeEventHead(encodeEvent(event)));
    expect(() => decodeEventHead(packr.pack([99, event]))).toThrow(/format 99/);
    for (const end of [0, 2, 10, 60]) expect(() => decodeEventHead(encodeEvent(event).subarray(0, end))).toThrow();
  });
});
