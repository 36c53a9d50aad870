import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OwnAsker } from '../../../src/base/asking/asker.ts';
import { assert } from '../../../src/base/assert.ts';
import { Rejection } from '../../../src/base/rejection.ts';
import type { BulkPool } from '../../../src/features/bulk/pool.ts';
import type { EventIndex } from '../../../src/features/events/event-index.ts';
import { EventSearch } from '../../../src/features/events/search.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { accepted, INVALID, refused } from '../../support/admin.ts';
import { fillAuditLog } from '../../support/audit-log.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const AT = '2026-02-03T04:05:06.789Z';

let service: TestService;
/** A search that stops after its first batch: the most stops that are possible. */
let hasty: EventSearch;
/** The search of the service, which has time for all events. */
let patient: EventSearch;

beforeAll(async () => {
  const { backing } = new MemoryStore();
  // Runs of events with and without the text, shorter and longer than a batch.
  for (const [events, text] of [
    [1, 'needle'],
    [40, 'hay'],
    [7, 'Needle'],
    [16, 'hay'],
    [17, 'needle'],
    [280, 'hay'],
    [120, 'needle'],
    [1, 'hay'],
    [1, 'needle'],
    [90, 'hay'],
  ] as const) {
    const data = { text, padding: 'x'.repeat(Number(events) * 5) };
    await fillAuditLog(new MemoryStore({ backing }), { events: Number(events), at: AT, data });
  }
  service = await startTestService({ store: new MemoryStore({ backing }) });
  const { eventIndex: index, bulk, eventSearch } = service.running.services;
  patient = eventSearch;
  hasty = new EventSearch({ index, pool: bulk.pool, budgetMs: 0 });
});

afterAll(() => service.close());

const use = (eventSearch: EventSearch) => Object.assign(service.running.services, { eventSearch });

interface Page {
  readonly events: readonly { readonly id: number }[];
  readonly total: number;
  readonly searchedDownTo?: number;
  readonly searchedDownToTime?: string;
}

/** All events that match, as a client pages through them: the pages, and the number of pages that were cut off. */
async function paged(read: (beforeId: number) => Promise<Page>, limit: number) {
  const ids: number[] = [];
  const totals: number[] = [];
  let cuts = 0;
  for (let beforeId: number | undefined = Number.MAX_SAFE_INTEGER; beforeId !== undefined; ) {
    const { events, total, searchedDownTo, searchedDownToTime }: Page = await read(beforeId);
    ids.push(...events.map(({ id }) => id));
    if (searchedDownTo !== undefined) cuts++;
    expect(searchedDownToTime === undefined).toBe(searchedDownTo === undefined);
    totals.push(total);
    const isFull = events.length === limit;
    const next: number | undefined = isFull ? events.at(-1)?.id : searchedDownTo;
    if (next !== undefined) expect(next).toBeLessThan(beforeId);
    beforeId = next;
  }
  return { ids, totals, cuts };
}

const byQuery = (filter: string) => (limit: number) => async (beforeId: number) =>
  (await accepted(service, 'searchEventsByQuery', { query: `${filter}&limit=${limit}&beforeId=${beforeId}` })).body;

const byBody = (filter: object) => (limit: number) => async (beforeId: number) => {
  const { body } = await accepted(service, 'searchEvents', { body: { ...filter, limit, beforeId } });
  return { ...body, total: body.totalEvents };
};

describe('a text search that is cut off and continued', () => {
  it.each([
    ['all events', byQuery('query=needle')],
    ['the events of a project', byQuery('query=NEEDLE&project=IS:default')],
    ['a text that is nowhere', byQuery('query=nothing-has-this')],
    ['a text outside of strings', byQuery('query=":')],
    ['the deprecated search', byBody({ query: 'needle' })],
  ])('finds the same as one long search: %s', async (_which, search) => {
    use(patient);
    const whole = await paged(search(100), 100);
    const first = await search(1)(Number.MAX_SAFE_INTEGER);
    expect([whole.cuts, whole.ids.length]).toEqual([0, first.total]);
    use(hasty);
    for (const limit of [1, 7, 100].filter((each) => whole.ids.length <= 50 * each)) {
      const parts = await paged(search(limit), limit);
      expect(parts.ids).toEqual(whole.ids);
      expect(parts.cuts).toBeGreaterThan(2);
    }
    // Without full pages, the totals of the parts add up.
    if (whole.ids.length <= 100) {
      const { totals } = await paged(search(100), 100);
      expect(totals.reduce((sum, total) => sum + total, 0)).toBe(whole.ids.length);
    }
  });

  it('reports the time of the oldest event that was searched', async () => {
    use(hasty);
    const cut = await byQuery('query=needle')(1)(500);
    expect(cut.searchedDownToTime).toBe(AT);
    expect(cut.searchedDownTo).toBeLessThan(500);
    use(patient);
    expect(await byQuery('query=needle')(1)(500)).not.toHaveProperty('searchedDownToTime');
  });

  it('takes beforeId also without a text, and refuses an invalid one', async () => {
    const { total, events } = await byQuery('')(10)(50);
    expect([total, events[0].id, events.length]).toEqual([49, 49, 10]);
    for (const beforeId of ['0', '-1', 'x', '1.5'])
      await refused(service, 'searchEventsByQuery', INVALID, { query: `beforeId=${beforeId}` });
    await refused(service, 'searchEvents', INVALID, { body: { beforeId: 0 } });
  });
});

describe('a text search while the threads are busy with other work', () => {
  const page = { fromId: Number.MAX_SAFE_INTEGER, limit: 1_000 };

  /** Threads that do the first tasks, and the others only when `free` is called. */
  function busyThreads(index: EventIndex, pool: BulkPool, { tasksDone = 0, budgetMs = 50 }) {
    let free = () => {};
    const freed = new Promise<void>((resolve) => {
      free = resolve;
    });
    let tasks = 0;
    const search: BulkPool['search'] = async (task) => {
      if (++tasks > tasksDone) await freed;
      return pool.search(task);
    };
    const options = { index, pool: { search } as BulkPool, budgetMs, lastBatchesMs: 10 };
    return { search: new EventSearch(options), free };
  }

  it('ends in time with what was found, and continuing finds the rest', async () => {
    const { eventIndex, bulk } = service.running.services;
    // The first tasks have to end in this time also on a busy machine.
    const { search, free } = busyThreads(eventIndex, bulk.pool, { tasksDone: 2, budgetMs: 3_000 });
    const cut = await search.find({ readable: null }, 'needle', page, new OwnAsker('somebody'));
    assert(!(cut instanceof Rejection), 'the search was rejected');
    expect(cut.searchedDownTo).not.toBeNull();
    const rest = await patient.find(
      { beforeId: cut.searchedDownTo?.id, readable: null },
      'needle',
      page,
      new OwnAsker('somebody'),
    );
    const whole = await patient.find({ readable: null }, 'needle', page, new OwnAsker('somebody'));
    assert(!(rest instanceof Rejection || whole instanceof Rejection), 'a search was rejected');
    expect(cut.total + rest.total).toBe(whole.total);
    free();
  });

  it('is rejected if no event was searched, and counts until the threads have finished its tasks', async () => {
    const { eventIndex, bulk } = service.running.services;
    const { search, free } = busyThreads(eventIndex, bulk.pool, {});
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => search.find({ readable: null }, 'needle', page, new OwnAsker('somebody'))),
    );
    for (const answer of answers) expect(answer).toBeInstanceOf(Rejection);
    expect(await search.find({ readable: null }, 'needle', page, new OwnAsker('somebody'))).toBeInstanceOf(Rejection);
    free();
    await expect
      .poll(() => search.find({ readable: null }, 'needle', page, new OwnAsker('somebody')))
      .not.toBeInstanceOf(Rejection);
  });
});
