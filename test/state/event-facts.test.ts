import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../src/base/yield-control.ts';
import { type AuditEvent, EVENT_TYPES } from '../../src/model/event.ts';
import {
  ABSENT_FACT,
  type EventQuery,
  eventMatches,
  FACT_BYTES,
  factOf,
  hasFact,
  UNREADABLE_FACT,
} from '../../src/state/event-facts.ts';
import { FactTable } from '../../src/state/fact-table.ts';

const name = fc.constantFrom('default', 'a', 'ä', '__proto__', 'x'.repeat(100), '');
const nullable = fc.option(name);
const timeMs = fc.integer({ min: 0, max: Date.parse('2199-01-01T00:00:00.000Z') });
const type = fc.constantFrom(...EVENT_TYPES.slice(0, 4), EVENT_TYPES.at(-1) as AuditEvent['type']);
const userId = fc.option(fc.constantFrom(0, 1, -42, -1337, 2 ** 31 - 1));

const event: fc.Arbitrary<AuditEvent> = fc
  .record({
    type,
    createdAt: timeMs.map((ms) => new Date(ms).toISOString()),
    createdBy: name,
    createdByUserId: userId,
    environment: nullable,
    project: nullable,
    featureName: nullable,
  })
  .map((told) => ({ id: 1, data: null, preData: null, tags: null, ...told }));

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 1 });
const oneOrMore = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof(arbitrary, fc.uniqueArray(arbitrary, { maxLength: 3 }));
const query: fc.Arbitrary<EventQuery> = fc.record({
  types: maybe(fc.uniqueArray(type)),
  project: maybe(oneOrMore(name)),
  environment: maybe(oneOrMore(name)),
  feature: maybe(oneOrMore(name)),
  createdBy: maybe(name),
  createdByUserId: maybe(oneOrMore(fc.constantFrom(1, -42, 7))),
  ids: maybe(fc.uniqueArray(fc.integer({ min: 1, max: 70 })).map((ids) => new Set(ids))),
  readable: maybe(fc.option(fc.uniqueArray(name).map((names) => new Set(names)))),
  fromMs: maybe(timeMs),
  toMs: maybe(timeMs),
});

describe('the facts of audit events', () => {
  it('find what a look at every event finds, page by page, wherever events are missing or cannot be read', () => {
    const one = fc.oneof(
      { weight: 6, arbitrary: event },
      { weight: 1, arbitrary: fc.constantFrom('absent', 'unreadable') },
    );
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), query, fc.nat(70), fc.nat(10), fc.nat(5), (...given) => {
        const [all, asked, fromId, limit, skip] = given;
        const table = new FactTable();
        const facts = all.map((it) =>
          it === 'absent' ? ABSENT_FACT : it === 'unreadable' ? UNREADABLE_FACT : factOf(it as AuditEvent),
        );
        for (const fact of facts) expect([fact.length, hasFact(fact, 0)]).toEqual([FACT_BYTES, true]);
        // In runs of any length.
        for (let at = 0; at < facts.length; at += (at % 7) + 1) {
          table.append(Buffer.concat(facts.slice(at, at + (at % 7) + 1)));
        }
        expect(table.nextId).toBe(all.length + 1);
        const matching = all.flatMap((it, index) =>
          typeof it === 'object' && eventMatches({ ...it, id: index + 1 }, asked) ? [index + 1] : [],
        );
        const older = matching.filter((id) => id <= fromId).reverse();
        const page = { fromId, limit };
        expect(atOnce(table.find(asked, page))).toEqual({ ids: older.slice(0, limit), total: matching.length });
        expect(atOnce(table.find(asked, { ...page, skip })).ids).toEqual(older.slice(skip, skip + limit));
        expect([...table.matchingIds(asked)].flat()).toEqual([...matching].reverse());
        const newestOf = new Map<number, number>();
        for (const id of [...matching].reverse()) {
          const { createdByUserId } = all[id - 1] as AuditEvent;
          if (createdByUserId !== null && !newestOf.has(createdByUserId)) newestOf.set(createdByUserId, id);
        }
        expect(atOnce(table.authors(asked, 10))).toEqual(newestOf);
      }),
      { numRuns: 400 },
    );
  });

  it('reach over many pages', () => {
    const told = { createdBy: 'a', createdByUserId: 1, environment: null, featureName: null };
    const at = { type: 'project-updated', createdAt: '2026-01-01T00:00:00.000Z' } as const;
    const table = new FactTable();
    const [rare, common] = ['rare', 'common'].map((project) => factOf({ ...told, ...at, project })) as [
      Uint8Array,
      Uint8Array,
    ];
    const facts = Array.from({ length: 20_000 }, (_, index) => (index % 5_000 === 7 ? rare : common));
    table.append(Buffer.concat(facts));
    expect(atOnce(table.find({ project: 'rare' }, { fromId: 19_999, limit: 3 }))).toEqual({
      ids: [15_008, 10_008, 5_008],
      total: 4,
    });
    expect(atOnce(table.find({}, { fromId: 8_193, limit: 3 }))).toEqual({ ids: [8_193, 8_192, 8_191], total: 20_000 });
    expect([...table.find({}, { fromId: 1, limit: 1 })].length).toBe(Math.ceil(20_000 / 4_096));
  });

  it('tell a type by its place in the list, which therefore only grows at its end', () => {
    const digest = createHash('sha256').update(EVENT_TYPES.slice(0, 146).join()).digest('hex');
    expect(EVENT_TYPES.length).toBeGreaterThanOrEqual(146);
    expect(digest).toBe('84fa46c03e7bd1288c4e62be3274f411b1a7def1bd6bce0a7139cd89d7a42c78');
  });
});
