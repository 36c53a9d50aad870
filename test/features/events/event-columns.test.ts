import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../src/base/yield-control.ts';
import { CHUNK_EVENTS } from '../../../src/features/events/column.ts';
import { EventColumns } from '../../../src/features/events/columns.ts';
import type { WantedFlags } from '../../../src/features/events/event-chunk.ts';
import { type EventQuery, eventMatches } from '../../../src/features/events/query.ts';
import { type AuditEvent, EVENT_TYPES } from '../../../src/model/event.ts';
import type { PartName } from '../../../src/state/past.ts';
import { atDepth } from '../../support/tiers/depth.ts';

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
    revision: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
  })
  .map(({ revision, ...fields }) => ({
    id: 1,
    data: null,
    preData: null,
    tags: null,
    ...fields,
    ...(revision !== undefined && { revision }),
  }));

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
  revisions: maybe(
    fc.oneof(
      fc.constant('any' as const),
      fc.uniqueArray(fc.integer({ min: 1, max: 6 })).map((all) => new Set(all)),
    ),
  ),
  fromMs: maybe(timeMs),
  toMs: maybe(timeMs),
});

/** An event of a type that only a newer version has. */
const UNKNOWN = { type: 'from-tomorrow', createdAt: '2026-01-01T00:00:00.000Z', createdBy: 'a', createdByUserId: 1 };

/** The id before the first event: zero, shortly before the end of a chunk, or several chunks later. */
const before = fc.constantFrom(0, CHUNK_EVENTS - 20, 4 * CHUNK_EVENTS - 30);

describe('the columns of audit events', () => {
  it('find the same events as a scan of every event, page by page, also if events are missing or unreadable', () => {
    const one = fc.oneof(
      { weight: 6, arbitrary: event },
      { weight: 1, arbitrary: fc.constantFrom('absent', 'unknown') },
    );
    fc.assert(
      fc.property(
        fc.array(one, { maxLength: 60 }),
        query,
        before,
        fc.boolean(),
        fc.nat(70),
        fc.nat(10),
        fc.nat(5),
        (...args) => {
          const [all, asked, start, isTrimmed, offset, limit, skip] = args;
          const query = asked.ids ? { ...asked, ids: new Set(Array.from(asked.ids, (id) => start + id)) } : asked;
          const columns = new EventColumns();
          if (isTrimmed) columns.dropBefore(start + 1);
          for (const [index, it] of all.entries()) {
            const id = start + index + 1;
            if (it !== 'absent') columns.add(id, { ...(it === 'unknown' ? UNKNOWN : it), id } as AuditEvent, []);
          }
          columns.skipTo(start + all.length + 1);
          expect(columns.nextId).toBe(start + all.length + 1);
          const matching = all.flatMap((it, index) => {
            const id = start + index + 1;
            return typeof it === 'object' && eventMatches({ ...it, id }, query) ? [id] : [];
          });
          const fromId = start + offset;
          const older = matching.filter((id) => id <= fromId).reverse();
          const page = { fromId, limit };
          expect(atOnce(columns.find(query, page))).toEqual({ ids: older.slice(0, limit), total: matching.length });
          expect(atOnce(columns.find(query, { ...page, skip })).ids).toEqual(older.slice(skip, skip + limit));
          expect([...columns.matchingIds(query)].flat()).toEqual([...matching].reverse());
          const eventOf = (id: number) => all[id - start - 1] as AuditEvent;
          const newestOf = new Map<number, number>();
          for (const id of [...matching].reverse()) {
            const { createdByUserId } = eventOf(id);
            if (createdByUserId !== null && !newestOf.has(createdByUserId)) newestOf.set(createdByUserId, id);
          }
          expect(atOnce(columns.authors(query, 10))).toEqual(newestOf);
          const seen: [string | null, number][] = [];
          const nextId = atOnce(columns.scan(query, fromId, (...each) => void seen.push(each)));
          const scanned = matching.filter((id) => id >= fromId).map(eventOf);
          expect(nextId).toBe(columns.nextId);
          expect(seen.sort()).toEqual(scanned.map((it) => [it.project, Date.parse(it.createdAt)]).sort());
        },
      ),
      { numRuns: atDepth({ quick: 150, full: 2_000 }) },
    );
  });

  it('span many chunks, and free those whose events were dropped', () => {
    const fields = { createdBy: 'a', createdByUserId: 1, environment: null, featureName: null };
    const at = { type: 'project-updated', createdAt: '2026-01-01T00:00:00.000Z' } as const;
    const columns = new EventColumns();
    const last = 3 * CHUNK_EVENTS + 5;
    for (let id = 1; id <= last; id++) {
      columns.add(id, { ...fields, ...at, id, project: id % 50_000 === 8 ? 'rare' : 'common' }, []);
    }
    expect(atOnce(columns.find({ project: 'rare' }, { fromId: last, limit: 3 }))).toEqual({
      ids: [150_008, 100_008, 50_008],
      total: 4,
    });
    const page = { fromId: CHUNK_EVENTS + 1, limit: 3 };
    const ids = [CHUNK_EVENTS + 1, CHUNK_EVENTS, CHUNK_EVENTS - 1];
    expect(atOnce(columns.find({}, page))).toEqual({ ids, total: last });
    expect([...columns.find({}, page)].length).toBe(4);
    columns.dropBefore(2 * CHUNK_EVENTS + 3);
    expect(atOnce(columns.find({}, { fromId: last, limit: 0 })).total).toBe(CHUNK_EVENTS + 3);
    expect([...columns.find({}, page)].length).toBe(2);
    columns.dropBefore(last + 10);
    columns.add(last + 10, { ...fields, ...at, id: last + 10, project: 'rare' }, []);
    expect(atOnce(columns.find({}, { fromId: last + 10, limit: 3 }))).toEqual({ ids: [last + 10], total: 1 });
  });

  it('store as many different values as a chunk has events', () => {
    const columns = new EventColumns();
    const at = { type: 'feature-created', createdAt: '2026-01-01T00:00:00.000Z' } as const;
    const fields = { createdBy: 'a', createdByUserId: 1, environment: null, project: null };
    for (let id = 1; id <= CHUNK_EVENTS; id++) columns.add(id, { ...fields, ...at, id, featureName: `flag-${id}` }, []);
    for (const id of [1, CHUNK_EVENTS - 1, CHUNK_EVENTS]) {
      expect(atOnce(columns.find({ feature: `flag-${id}` }, { fromId: id, limit: 3 }))).toEqual({
        ids: [id],
        total: 1,
      });
    }
  });

  it('begin with the first event that was not dropped, also where a time or a revision is looked for', () => {
    const columns = new EventColumns();
    const fields = { createdBy: 'a', createdByUserId: 1, environment: null, project: null, featureName: null };
    const at = (id: number) => ({ createdAt: new Date(id * 1_000).toISOString(), revision: id }) as const;
    for (let id = 1; id <= 9; id++) columns.add(id, { ...fields, ...at(id), id, type: 'feature-created' }, []);
    expect([columns.firstIdAfterTime(0), columns.firstIdAfter(0)]).toEqual([1, 1]);
    columns.dropBefore(5);
    expect([columns.firstIdAfterTime(0), columns.firstIdAfter(0)]).toEqual([5, 5]);
    expect([columns.firstIdAfterTime(6_000), columns.firstIdAfter(6)]).toEqual([7, 7]);
    expect([columns.firstIdAfterTime(9_000), columns.firstIdAfter(9)]).toEqual([10, 10]);
  });

  it('find what events first replaced of the flags of a project, also events that are about no flag', () => {
    const columns = new EventColumns();
    const add = (id: number, featureName: string | null, project: string | null, ...replaced: readonly PartName[]) => {
      const at = { createdAt: '2026-01-01T00:00:00.000Z', createdBy: 'a', createdByUserId: 1, environment: null };
      columns.add(id, { ...at, id, type: 'feature-updated', featureName, project }, replaced);
    };
    const part = (collection: 'features' | 'segments', key: string): PartName => ({ collection, key, part: '' });
    add(1, null, null, part('features', 'with others'));
    add(2, 'of shop', 'shop', part('features', 'of shop'));
    add(3, 'elsewhere', 'default', part('features', 'elsewhere'), part('segments', '7'));
    add(4, 'of shop', 'shop', part('features', 'of shop'));
    add(5, 'elsewhere', 'default', part('features', 'with others'));
    const found = (wanted: WantedFlags) => {
      const parts = atOnce(columns.firstReplacements(1, wanted, 10)) ?? new Map();
      return Array.from(parts.values(), ({ name, id }) => [name.key, id]).sort();
    };
    const ofShop = [
      ['of shop', 2],
      ['with others', 1],
    ];
    expect(found({ names: new Set(), project: 'shop' })).toEqual([['7', 3], ...ofShop]);
    expect(found({ names: new Set(), project: 'shop', skips: () => true })).toEqual(ofShop);
    expect(found({ names: undefined, skips: () => true })).toEqual([['elsewhere', 3], ...ofShop]);
    expect(found({ names: new Set(['elsewhere']), skips: () => true })).toEqual([['elsewhere', 3]]);
  });
});
