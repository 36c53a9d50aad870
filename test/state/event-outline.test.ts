import fc from 'fast-check';
import { Packr } from 'msgpackr';
import { describe, expect, it } from 'vitest';
import { auditEvent } from '../../src/engine/command.ts';
import { eventLabel, eventSummary, namesInSummary } from '../../src/features/events/summary.ts';
import { EVENT_TYPES, type EventType } from '../../src/model/event.ts';
import { decodeEvent, encodeEvent } from '../../src/state/commit.ts';
import { decodeEventOutline } from '../../src/state/event-outline.ts';
import { anyText } from '../support/any-text.ts';
import { atDepth } from '../support/tiers/depth.ts';

const AT = '2026-01-02T03:04:05.678Z';
const names = ['name', 'title', 'tokenName', 'username', 'email', 'description', 'appName', 'id', 'type', 'value'];

const eventOf = (type: EventType, data: unknown, preData: unknown = null) =>
  auditEvent(
    { type, data, preData } as Parameters<typeof auditEvent>[0],
    70_000,
    { seq: 60_000, at: AT, by: { id: 1, name: 'Ünal' } },
    { address: '::1', reason: 'because' },
  );

const field = fc.constantFrom(...names, 'changeRequestId', 'constraints', 'values', '__proto__');
const content = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.double({ noNaN: true }),
  fc.maxSafeInteger(),
  fc.integer(),
  anyText({ maxLength: 80 }),
  fc.array(fc.integer({ min: -200, max: 70_000 }), { maxLength: 20 }),
  fc.constantFrom(
    '',
    'x'.repeat(300),
    'x'.repeat(70_000),
    Array.from({ length: 70_000 }, () => null),
  ),
);
const someData = fc.oneof(
  { weight: 4, arbitrary: fc.dictionary(field, content, { maxKeys: 20 }) },
  fc.constantFrom(null, 'text', 7, [], ['name'], Object.fromEntries(Array.from({ length: 300 }, (_, at) => [at, at]))),
);

/** Small events are decoded as a whole. */
const size = fc.constantFrom(0, 3_000);

describe('an event that is decoded without its large parts', () => {
  it('has the summary and the label of the whole event, whatever its type and its data are', () => {
    fc.assert(
      fc.property(fc.constantFrom(...EVENT_TYPES), someData, someData, size, (type, data, preData, size) => {
        const bytes = encodeEvent(eventOf(type, data, { ...(preData as object), large: 'x'.repeat(size) }));
        const whole = decodeEvent(bytes);
        const outline = decodeEventOutline(bytes, namesInSummary);
        expect(eventSummary(outline, '/base')).toBe(eventSummary(whole, '/base'));
        expect(eventLabel(outline)).toBe(eventLabel(whole));
        const { data: _data, preData: _preData, tags: _tags, ip: _ip, ...head } = whole;
        expect(outline).toMatchObject(head);
      }),
      { numRuns: atDepth({ quick: 300, full: 5_000 }) },
    );
  });

  it('is read only as far as its summary needs it, and never contains other data', () => {
    const large = { constraints: Array.from({ length: 1_000 }, () => ({ values: ['a', 'b'] })), title: 'the title' };
    const imported = encodeEvent(eventOf('features-imported', large));
    const whole = decodeEventOutline(imported, namesInSummary);
    expect(whole).toMatchObject({ id: 70_000, data: null, preData: null });
    expect(decodeEventOutline(imported.subarray(0, 2_100), namesInSummary)).toEqual(whole);
    const strategy = encodeEvent(eventOf('feature-strategy-update', large, { ...large, title: 'the earlier title' }));
    expect(decodeEventOutline(strategy, namesInSummary)).toMatchObject({
      data: { title: 'the title' },
      preData: { title: 'the earlier title' },
      tags: null,
    });
  });

  it('is also read when another version wrote its fields in another order, and damage is an error', () => {
    for (const text of ['', 'x'.repeat(3_000)]) {
      const event = eventOf('segment-created', { constraints: [text], name: 'one', id: 1 });
      const packr = new Packr({ useRecords: false });
      const turned = packr.pack([1, Object.fromEntries(Object.entries(event).reverse())]);
      const small = new Packr({ useRecords: false, variableMapSize: true }).pack([1, event]);
      const summary = eventSummary(event, '');
      for (const bytes of [turned, small])
        expect(eventSummary(decodeEventOutline(bytes, namesInSummary), '')).toBe(summary);
      expect(() => decodeEventOutline(packr.pack([99, event]), namesInSummary)).toThrow(/format 99/);
      const bytes = encodeEvent(event);
      for (const end of [...Array(150).keys(), bytes.length - 100, bytes.length - 30])
        expect(() => decodeEventOutline(bytes.subarray(0, end), namesInSummary), String(end)).toThrow();
    }
  });
});
