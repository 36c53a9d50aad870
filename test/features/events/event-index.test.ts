import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Replica, recover } from '../../../src/engine/replica.ts';
import { EventIndex, type FoundPage } from '../../../src/features/events/event-index.ts';
import type { EventQuery } from '../../../src/features/events/query.ts';
import type { AuditEvent } from '../../../src/model/event.ts';
import { encodeCommit, encodeEvent } from '../../../src/state/commit.ts';
import { encodeSnapshot } from '../../../src/state/snapshot.ts';
import { State } from '../../../src/state/state.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { MemoryBacking, MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { type Store, StoreError } from '../../../src/stores/store.ts';
import { dropThrough } from '../../stores/store-contract.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { isDeep } from '../../support/tiers/depth.ts';

const AT = '2026-01-01T00:00:00.000Z';
const BY = { id: 1, name: 'somebody' };
const EVERYTHING = { fromId: Number.MAX_SAFE_INTEGER, limit: 1_000_000 };

const eventOf = (id: number): AuditEvent => ({
  id,
  type: id % 3 === 0 ? 'feature-created' : 'feature-environment-enabled',
  createdAt: AT,
  createdBy: BY.name,
  createdByUserId: BY.id,
  environment: null,
  project: `p${id % 7}`,
  featureName: `flag-${id % 50}`,
  data: { text: 'x'.repeat(id % 200) },
  preData: null,
  tags: null,
});

/** Writes commits with `perCommit` events each. */
async function write(replica: Replica, store: Store, commits: number, perCommit: number) {
  for (let index = 0; index < commits; index++) {
    const { seq, lastEventId } = replica.state;
    const ids = Array.from({ length: perCommit }, (_, offset) => lastEventId + 1 + offset);
    const range = { firstId: lastEventId + 1, count: perCommit };
    const commit = { seq: seq + 1, writeId: `w${seq + 1}`, at: AT, by: BY, changes: [], touched: [], events: range };
    const events = ids.map((id) => {
      const event = eventOf(id);
      return { id, bytes: encodeEvent(event) };
    });
    const entries = [{ seq: seq + 1, bytes: encodeCommit(commit) }];
    await store.append({ expectedTip: seq, writeId: commit.writeId, entries, events });
    replica.offer(commit);
  }
}

async function idsIn({ events }: FoundPage): Promise<number[]> {
  const ids: number[] = [];
  for await (const { id } of events) ids.push(id);
  return ids;
}

const idsOf = async (index: EventIndex, query: EventQuery) =>
  idsIn(await index.search({ readable: null, ...query }, EVERYTHING, SERVICE));

function expected(last: number, matches: (event: AuditEvent) => boolean): number[] {
  const ids: number[] = [];
  for (let id = last; id > 0; id--) if (matches(eventOf(id))) ids.push(id);
  return ids;
}

let redis: RedisServer;
let directory: string;
let storeNumber = 0;

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(() => redis.dispose());
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'burgee-index-'));
  storeNumber++;
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const STORES: readonly [string, () => () => Store][] = [
  ['LMDB', () => () => new LmdbStore({ directory, logger: silentLogger })],
  [
    'Redis',
    () => () =>
      new RedisStore({
        url: redis.url,
        keyPrefix: `index ${storeNumber}`,
        logger: silentLogger,
        clock: systemClock,
        timeouts: { graceMs: 0 },
      }),
  ],
  [
    'memory',
    () => {
      const backing = new MemoryBacking();
      return () => new MemoryStore({ backing });
    },
  ],
];

describe.each(STORES)('the index of audit events on %s', (storeName, prepareStore) => {
  let create: () => Store;
  let store: Store;
  let replica: Replica;
  let index: EventIndex;
  /** The number of events that were read for the index. */
  let read = 0;

  const open = async () => {
    store = create();
    const opening = await store.open();
    replica = await recover(store, opening, new State(), silentLogger);
    const readForward = store.readEventsForward.bind(store);
    read = 0;
    store.readEventsForward = async (fromId, limit) => {
      const events = await readForward(fromId, limit);
      read += events.length;
      return events;
    };
    index = new EventIndex(replica, store, silentLogger);
  };

  beforeEach(async () => {
    create = prepareStore();
    await open();
  });
  afterEach(async () => {
    await index.close();
    await store.close();
  });

  it('finds the events that were written, and reads each event once', async () => {
    index.start();
    await write(replica, store, 60, 5);
    const rare = (event: AuditEvent) => event.project === 'p3' && event.type === 'feature-created';
    expect(await idsOf(index, { project: 'p3', types: ['feature-created'] })).toEqual(expected(300, rare));
    await write(replica, store, 3, 1);
    expect(await idsOf(index, { feature: 'flag-1' })).toEqual(expected(303, (event) => event.featureName === 'flag-1'));
    const page = await index.search({ project: 'p3', readable: null }, { fromId: 150, limit: 4 }, SERVICE);
    expect([await idsIn(page), page.total]).toEqual([[150, 143, 136, 129], 43]);
    expect(await idsOf(index, { project: 'nobody' })).toEqual([]);
    expect(read).toBe(303);
  });

  it('finds the same events after a restart, over more than one chunk', async () => {
    // The index makes a chunk of 65,536 events. How it does this does not depend on the store.
    const perCommit = isDeep || storeName === 'memory' ? 6_000 : 200;
    const fromId = perCommit * 11 - 400;
    await write(replica, store, 11, perCommit);
    const inProject = (event: AuditEvent) => event.project === 'p5';
    for (const isFirst of [true, false]) {
      const found = await index.search({ project: 'p5', readable: null }, { fromId, limit: 20 }, SERVICE);
      const matching = expected(perCommit * 11, inProject);
      expect([await idsIn(found), found.total]).toEqual([
        matching.filter((id) => id <= fromId).slice(0, 20),
        matching.length,
      ]);
      if (!isFirst) break;
      await index.close();
      await store.close();
      await open();
    }
  });

  it('follows the start of the audit log, and removes the events before it', async () => {
    await write(replica, store, 3, 500);
    const inProject = (event: AuditEvent) => event.project === 'p5';
    expect(await idsOf(index, { project: 'p5' })).toEqual(expected(1_500, inProject));
    await dropThrough(store, 1_300);
    const found = await index.search({ project: 'p5', readable: null }, EVERYTHING, SERVICE);
    const kept = expected(1_500, (event) => inProject(event) && event.id > 1_300);
    expect([await idsIn(found), found.total, found.firstId]).toEqual([kept, kept.length, 1_301]);
    expect(index.size).toBe(200);
    expect(
      await idsIn(await index.search({ project: 'p5', readable: null }, { fromId: 1_300, limit: 10 }, SERVICE)),
    ).toEqual([]);
    await index.close();
    index = new EventIndex(replica, store, silentLogger);
    expect(await idsOf(index, { project: 'p5' })).toEqual(kept);
    await dropThrough(store, 1_500);
    const none = await index.search({ readable: null }, EVERYTHING, SERVICE);
    expect([await idsIn(none), none.total, none.firstId]).toEqual([[], 0, 1_501]);
    await write(replica, store, 1, 7);
    expect(await idsOf(index, { project: 'p5' })).toEqual(
      [1_501, 1_502, 1_503, 1_504, 1_505, 1_506, 1_507].filter((id) => id % 7 === 5),
    );
  });

  it('finds the events before and after a gap in the ids', async () => {
    await write(replica, store, 1, 10);
    // Events that a refill could not restore.
    replica.state.lastEventId = 5_000;
    await write(replica, store, 1, 10);
    const ids = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1].flatMap((id) => [id, id + 5_000]).sort((a, b) => b - a);
    expect(await idsOf(index, { createdBy: BY.name })).toEqual(ids);
    await index.close();
    await store.close();
    await open();
    replica.state.lastEventId = 5_010;
    expect(await idsOf(index, { createdByUserId: 1 })).toEqual(ids);
  });
});

describe('the index of audit events', () => {
  const prepare = async () => {
    const backing = new MemoryBacking();
    const store = new MemoryStore({ backing });
    await store.open();
    const replica = new Replica(new State(), store);
    return { backing, store, replica, index: new EventIndex(replica, store, silentLogger) };
  };

  it('does not return an event of another history that has the id of a found one', async () => {
    const { backing, store, replica, index } = await prepare();
    await write(replica, store, 5, 7);
    const found = await index.search({ project: 'p1', readable: null }, EVERYTHING, SERVICE);
    const position = backing.events.findIndex(({ id }) => id === 8);
    backing.events[position] = { id: 8, bytes: encodeEvent({ ...eventOf(8), project: 'other' }) };
    expect(await idsIn(found)).toEqual([29, 22, 15, 1]);
  });

  it('does not find events that are not applied yet', async () => {
    const { store, replica, index } = await prepare();
    await write(replica, store, 1, 10);
    replica.state.lastEventId = 7;
    expect(await idsOf(index, { createdBy: BY.name })).toEqual([7, 6, 5, 4, 3, 2, 1]);
    replica.state.lastEventId = 10;
    expect(await idsOf(index, { createdBy: BY.name })).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });

  it('finds the other events if one cannot be read, and reads that one again after a restart', async () => {
    const { store, replica, index } = await prepare();
    await write(replica, store, 1, 10);
    const [first] = await store.readEventsForward(4, 1);
    Object.assign(first ?? {}, { bytes: Uint8Array.of(0x92, 99, 1) });
    expect(await idsOf(index, { createdBy: BY.name })).toEqual([10, 9, 8, 7, 6, 5, 3, 2, 1]);
    Object.assign(first ?? {}, { bytes: encodeEvent(eventOf(4)) });
    const next = new EventIndex(replica, store, silentLogger);
    expect(await idsOf(next, { createdBy: BY.name })).toHaveLength(10);
  });

  it('throws StoreError while the store is unreachable, and is correct again afterwards', async () => {
    const { store, replica, index } = await prepare();
    await write(replica, store, 20, 5);
    index.start();
    store.faults.beforeRead = () => {
      throw new StoreError('away', 'not-appended');
    };
    await expect(index.search({ project: 'p1', readable: null }, EVERYTHING, SERVICE)).rejects.toThrow(StoreError);
    store.faults.beforeRead = undefined;
    expect(await idsOf(index, { project: 'p1' })).toEqual(expected(100, (event) => event.project === 'p1'));
  });

  it('catches up in the background after many new events', async () => {
    const { store, replica, index } = await prepare();
    index.start();
    // What `start` began has ended then.
    expect(await idsOf(index, { createdBy: BY.name })).toEqual([]);
    await write(replica, store, 10, 300);
    await expect.poll(() => index.size).toBeGreaterThan(1_900);
  });

  it('is rebuilt when the state is replaced by one of another history', async () => {
    const { store, replica, index } = await prepare();
    await write(replica, store, 20, 5);
    expect(await idsOf(index, { project: 'p1' })).not.toEqual([]);
    // From now on, the store returns another history, with fewer events.
    const other = new MemoryBacking();
    const otherStore = new MemoryStore({ backing: other });
    await otherStore.open();
    const writing = new Replica(new State(), otherStore);
    await write(writing, otherStore, 4, 3);
    await otherStore.saveSnapshot(4, encodeSnapshot(writing.state, SERVICE));
    Object.assign(store, { backing: other });
    replica.distrust();
    await replica.catchUp();
    expect(replica.state.lastEventId).toBe(12);
    expect(await idsOf(index, { project: 'p1' })).toEqual([8, 1]);
  });

  it('finds older events again after they were restored, as with a copy of the store', async () => {
    const { backing, store, replica, index } = await prepare();
    await write(replica, store, 1, 300);
    const whole = [...backing.events];
    await dropThrough(store, 200);
    const inProject = (event: AuditEvent) => event.project === 'p5';
    expect((await idsOf(index, { project: 'p5' })).at(-1)).toBe(201);
    backing.events = whole;
    expect(await idsOf(index, { project: 'p5' })).toEqual(expected(300, inProject));
  });

  it('stops early if it is closed while it is built', async () => {
    const { store, replica, index } = await prepare();
    await write(replica, store, 10, 400);
    index.start();
    await index.close();
    expect(index.size).toBeLessThan(4_000);
    await expect(index.search({ readable: null }, EVERYTHING, SERVICE)).rejects.toThrow(StoreError);
  });
});
