import { SERVICE } from '../src/base/asking/asker.ts';
import { builtWorker } from '../src/base/built-worker.ts';
import { silentLogger } from '../src/base/logger.ts';
import { Rejection } from '../src/base/rejection.ts';
import { type Replica, recover } from '../src/engine/replica.ts';
import '../src/features/modules.ts';
import { BULK_WORKER, BulkService } from '../src/features/bulk/service.ts';
import { EventIndex } from '../src/features/events/event-index.ts';
import type { EventQuery } from '../src/features/events/query.ts';
import { EventSearch } from '../src/features/events/search.ts';
import { textMatcher } from '../src/features/events/text-matcher.ts';
import type { AuditEvent } from '../src/model/event.ts';
import { decodeEvent, encodeCommit, encodeEvent } from '../src/state/commit.ts';
import { State } from '../src/state/state.ts';
import { LmdbStore } from '../src/stores/lmdb/lmdb-store.ts';
import type { Store } from '../src/stores/store.ts';
import { LoopProbe } from './support/loop-probe.ts';
import { heldBytes, type Timed, timed as timedWith } from './support/measure.ts';
import { atMost, type Figure, finish, median, milliseconds, settings, single } from './support/report.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * The search over audit events, on LMDB: opening the index in the background, pages by filter, and text search. The aims are at most 10 s of processor time
 * for opening, at most 20 ms for a page, and at most 10 ms for which the event loop is blocked. All times are processor time, so that other work on the
 * machine does not count; the elapsed time is printed beside them.
 * BENCH_EVENTS (default 1,000,000), BENCH_ROUNDS.
 */
const { EVENTS, ROUNDS } = settings({ EVENTS: 1_000_000, ROUNDS: 5 });
const [PROJECTS, FLAGS, PEOPLE, BATCH, READ_EVENTS] = [100, 5_000, 50, 1_000, 64];
const TYPES = ['feature-created', 'feature-updated', 'feature-environment-enabled', 'feature-strategy-update'] as const;
const AT = '2026-01-01T00:00:00.000Z';
const BY = { id: 1, name: 'bench' };
const RARE = 'needle in the haystack';

function eventOf(id: number): AuditEvent {
  const parameters = { rollout: String(id % 100), stickiness: 'default', groupId: `flag-${id % FLAGS}` };
  const note = id % 100_000 === 7 ? RARE : 'as was agreed with everybody who uses it';
  return {
    id,
    type: TYPES[id % TYPES.length] as AuditEvent['type'],
    createdAt: AT,
    createdBy: `user-${id % PEOPLE}@example.org`,
    createdByUserId: id % PEOPLE,
    environment: id % 2 === 0 ? 'production' : null,
    project: `project-${id % PROJECTS}`,
    featureName: `flag-${id % FLAGS}`,
    data: { name: 'flexibleRollout', title: note, constraints: [], parameters },
    preData: null,
    tags: null,
  };
}

async function fill(store: Store): Promise<void> {
  for (let seq = 1, id = 1; id <= EVENTS; seq++) {
    const count = Math.min(BATCH, EVENTS - id + 1);
    const first = id;
    const events = Array.from({ length: count }, (_, index) => {
      const event = eventOf(first + index);
      return { id: event.id, bytes: encodeEvent(event) };
    });
    const range = { firstId: first, count };
    const commit = { seq, writeId: `bench-${seq}`, at: AT, by: BY, changes: [], touched: [], events: range };
    const entries = [{ seq, bytes: encodeCommit(commit) }];
    await store.append({ expectedTip: seq - 1, writeId: commit.writeId, entries, events });
    id += count;
  }
}

const probe = new LoopProbe();

const timed = (work: () => unknown) => timedWith(probe, work);

async function opened(store: Store, replica: Replica): Promise<EventIndex> {
  const index = new EventIndex(replica, store, silentLogger);
  await index.catchUp();
  return index;
}

/** Reads all events and does nothing with them. */
async function readEvents(store: Store): Promise<void> {
  for (let id = 1; id <= EVENTS; id += READ_EVENTS) await store.readEventsForward(id, READ_EVENTS);
}

/** Decodes and searches every event, on this thread alone. */
async function lookAtAll(store: Store, text: string): Promise<number> {
  const matches = textMatcher(text);
  let found = 0;
  for (let before = EVENTS + 1; before > 1; before -= BATCH) {
    for (const { bytes } of await store.readEvents(before, BATCH)) if (matches(decodeEvent(bytes))) found++;
  }
  return found;
}

const column = Uint32Array.from({ length: EVENTS }, (_, index) => index % FLAGS);
let sink = 0;
async function scanColumn(): Promise<void> {
  for (let place = 0; place < column.length; place++) if (column[place] === 77) sink++;
}

const both = (cpuMs: number, ms: number) => `${milliseconds(cpuMs)} in ${milliseconds(ms)}`;

const directory = temporaryDirectory();
const store = new LmdbStore({ directory, logger: silentLogger });
const bulk = new BulkService(builtWorker(BULK_WORKER), { hashEncoding: 'low-bytes' }, silentLogger);
try {
  const replica = await recover(store, await store.open(), new State(), silentLogger);
  await fill(store);
  await replica.catchUp();
  const opening: Timed[] = [];
  const floors: Timed[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    floors.push(await timed(() => readEvents(store)));
    opening.push(await timed(() => opened(store, replica)));
  }
  const memoryBefore = heldBytes();
  const index = await opened(store, replica);
  const memory = (heldBytes() - memoryBefore) / EVENTS;
  const of = (all: readonly Timed[], pick: (one: Timed) => number) => median(all.map(pick));
  const openingMs = of(opening, ({ cpuMs }) => cpuMs);
  const count = EVENTS.toLocaleString('en');
  const figures: Figure[] = [
    atMost(10, {
      name: `the index of ${count} events opens, in seconds of processor time`,
      ours: milliseconds(openingMs),
      floor: `${milliseconds(of(floors, ({ cpuMs }) => cpuMs))} reading the events`,
      ratio: openingMs / 1_000,
    }),
    atMost(50, {
      name: 'memory an event, in bytes',
      ours: String(Math.round(memory)),
      floor: '20 in columns',
      ratio: memory,
    }),
    atMost(10, single('the loop is held meanwhile, in ms', 'ms', Math.max(...opening.map(({ heldMs }) => heldMs)))),
  ];
  const search = new EventSearch({ index, pool: bulk.pool, budgetMs: 600_000 });
  const page = { fromId: Number.MAX_SAFE_INTEGER, limit: 100 };
  const pages: Readonly<Record<string, EventQuery>> = {
    'a page of one flag': { feature: 'flag-77' },
    'a page of one project and one type': { project: 'project-7', types: ['feature-updated'] },
    'a page of any of ten flags': { feature: Array.from({ length: 10 }, (_, at) => `flag-${at}`) },
    'a page of all that one may read of 100 projects': {
      readable: new Set(Array.from({ length: PROJECTS }, (_, at) => `project-${at}`)),
    },
    'a page of every event': {},
  };
  for (const [name, query] of Object.entries(pages)) {
    const find = async () => {
      const found = await search.find({ readable: null, ...query }, '', page, SERVICE);
      if (found instanceof Rejection) throw new Error(found.message);
      for await (const _ of found.events);
    };
    await find();
    const rounds: Timed[] = [];
    for (let round = 0; round < 4 * ROUNDS; round++) {
      rounds.push(await timed(find));
    }
    const floors: Timed[] = [];
    for (let round = 0; round < 4 * ROUNDS; round++) floors.push(await timed(scanColumn));
    const ours = of(rounds, ({ cpuMs }) => cpuMs);
    const floor = `${milliseconds(of(floors, ({ cpuMs }) => cpuMs))} scanning one column`;
    figures.push(
      atMost(20, {
        name: `${name}, in ms`,
        ours: both(
          ours,
          of(rounds, ({ ms }) => ms),
        ),
        floor,
        ratio: ours,
      }),
    );
  }
  await search.find({ feature: 'flag-77', readable: null }, RARE, page, SERVICE);
  const texts: Timed[] = [];
  const naive: Timed[] = [];
  for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
    texts.push(await timed(() => search.find({ readable: null }, RARE, page, SERVICE)));
    naive.push(await timed(() => lookAtAll(store, RARE)));
  }
  const [ours, floor] = [of(texts, ({ cpuMs }) => cpuMs), of(naive, ({ cpuMs }) => cpuMs)];
  figures.push(
    atMost(1, {
      name: `text is looked for in all ${count} events`,
      ours: both(
        ours,
        of(texts, ({ ms }) => ms),
      ),
      floor: `${both(
        floor,
        of(naive, ({ ms }) => ms),
      )} on the loop`,
      ratio: ours / floor,
    }),
    atMost(
      10,
      single(
        'the loop is held meanwhile, in ms',
        'ms',
        Math.max(...texts.map(({ heldMs }) => heldMs)),
        milliseconds(Math.max(...naive.map(({ heldMs }) => heldMs))),
      ),
    ),
  );
  finish('Search over events', figures, [
    `${count} events of ${encodeEvent(eventOf(1)).length} bytes on LMDB.`,
    'Times are processor time of all threads; for the loop, of its own thread. `in` is the elapsed time. Ratios are seconds or milliseconds where the aim is a time.',
    `(${sink} entries matched)`,
  ]);
} finally {
  probe.stop();
  await bulk.close();
  await store.close();
  removeDirectory(directory);
}
