import { SERVICE } from '../src/base/asking/asker.ts';
import { silentLogger } from '../src/base/logger.ts';
import { PerKeyQuota } from '../src/base/queues/per-key-quota.ts';
import { Rejection } from '../src/base/rejection.ts';
import { recover } from '../src/engine/replica.ts';
import '../src/features/modules.ts';
import { EventIndex } from '../src/features/events/event-index.ts';
import { FixedStates } from '../src/features/past/fixed-states.ts';
import { type PastFlags, readPast } from '../src/features/past/past-state.ts';
import { KeptReads } from '../src/features/past/read-parts.ts';
import type { Services } from '../src/features/services.ts';
import type { AuditEvent } from '../src/model/event.ts';
import type { Feature } from '../src/model/feature.ts';
import { encodeCommit, encodeEvent } from '../src/state/commit.ts';
import { State } from '../src/state/state.ts';
import { LmdbStore } from '../src/stores/lmdb/lmdb-store.ts';
import type { Store } from '../src/stores/store.ts';
import { measureReads } from './history/reads.ts';
import { makeFlags } from './support/flags.ts';
import { LoopProbe } from './support/loop-probe.ts';
import { timed as timedWith } from './support/measure.ts';
import {
  atMost,
  bytes,
  type Figure,
  finish,
  inform,
  median,
  milliseconds,
  parts,
  settings,
  single,
} from './support/report.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * Past states on LMDB: every event switches one flag in one environment. The aim is at most 100 ms of processor time for any moment, and at most 10 ms for
 * which the event loop is blocked. All times are processor time. The floor is a copy of all flags of the current state.
 * Then every read of the admin API that takes `at`, compared with the same read now, after every flag has changed.
 * BENCH_EVENTS (default 1,000,000), BENCH_FLAGS (10,000), BENCH_ROUNDS (5), BENCH_PARTS (moments,reads).
 */
const PARTS = parts('moments,reads');
const { EVENTS, FLAGS, ROUNDS } = settings({ EVENTS: 1_000_000, FLAGS: 10_000, ROUNDS: 5 });
const [PROJECTS, BATCH, AIM_MS, HOLD_MS_MAX] = [100, 1_000, 100, 10];
const START_MS = Date.parse('2026-01-01T00:00:00.000Z');

const state = new State();
const names: string[] = [];
for (const flag of makeFlags(FLAGS, { seed: 1 })) {
  state.load('features', flag.name, { ...flag, project: `project-${names.length % PROJECTS}` });
  names.push(flag.name);
}

const environments = [...(state.get('features', names[0] as string)?.environments ?? [])];

let partBytes = 0;

/** The event `id` is the only one of commit `id`. */
function eventBytes(id: number): Uint8Array {
  const feature = state.get('features', names[(id * 7_919) % FLAGS] as string) as Feature;
  const settings = feature.environments[id % environments.length];
  const environment = settings?.environment ?? 'development';
  const event: AuditEvent = {
    id,
    type: 'feature-environment-enabled',
    createdAt: new Date(START_MS + id * 1_000).toISOString(),
    createdBy: 'bench',
    createdByUserId: 1,
    environment,
    project: feature.project,
    featureName: feature.name,
    revision: id,
    data: { enabled: true },
    preData: { enabled: false },
    tags: null,
  };
  const part = { collection: 'features' as const, key: feature.name, part: environment, before: settings };
  const encoded = encodeEvent(event, [part]);
  partBytes += encoded.length - encodeEvent(event).length;
  return encoded;
}

async function fill(store: Store): Promise<void> {
  for (let first = 1; first <= EVENTS; first += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, EVENTS - first + 1) }, (_, index) => first + index);
    const entries = ids.map((seq) => {
      const range = { firstId: seq, count: 1 };
      const at = new Date(START_MS + seq * 1_000).toISOString();
      const commit = { seq, writeId: `bench-${seq}`, at, by: { id: 1, name: 'bench' }, changes: [], touched: [] };
      return { seq, bytes: encodeCommit({ ...commit, events: range }) };
    });
    const events = ids.map((id) => ({ id, bytes: eventBytes(id) }));
    await store.append({ expectedTip: first - 1, writeId: `bench-${first}`, entries, events });
  }
}

const probe = new LoopProbe();

const timed = (work: () => unknown) => timedWith(probe, work);

/** What a past state costs, for each selection of flags and each moment. */
async function momentFigures(services: Services, floor: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  const moments = { oldest: 1, middle: Math.round(EVENTS / 2), newest: EVENTS - 10 };
  const wanted: Readonly<Record<string, PastFlags>> = {
    'one flag': { names: [names[5] as string] },
    'one project': { project: 'project-5' },
    'all flags': 'all',
  };
  for (const [what, flags] of Object.entries(wanted)) {
    for (const [when, revision] of Object.entries(moments)) {
      const times = [];
      for (let round = 0; round < ROUNDS; round++) {
        times.push(
          await timed(async () => {
            const past = { at: String(revision), path: '/at', flags, asker: SERVICE };
            const found = await readPast(services, past, ({ reader }) => reader.changes().length);
            if (found instanceof Rejection) throw new Error(found.message);
          }),
        );
      }
      const cpuMs = median(times.map((one) => one.cpuMs));
      const ratio = cpuMs / floor;
      const measured = {
        name: `${what}, ${when} moment`,
        ours: milliseconds(cpuMs),
        floor: milliseconds(floor),
        ratio,
      };
      figures.push({ ...atMost(AIM_MS, { ...measured, ratio: cpuMs }), ratio });
      const heldMs = median(times.map((one) => one.heldMs));
      const held = single(`${what}, ${when} moment: loop blocked`, 'ms', heldMs);
      figures.push(atMost(HOLD_MS_MAX, held));
    }
  }
  return figures;
}

async function measureMoments(): Promise<Figure[]> {
  const directory = temporaryDirectory();
  const store = new LmdbStore({ directory, logger: silentLogger });
  try {
    const replica = await recover(store, await store.open(), state, silentLogger);
    await fill(store);
    await replica.catchUp();
    const eventIndex = new EventIndex(replica, store, silentLogger);
    const opening = await timed(() => eventIndex.catchUp());
    const services = {
      state,
      eventIndex,
      pastQuota: new PerKeyQuota<string>(16, 4),
      keptPast: new KeptReads(),
      fixedStates: new FixedStates(replica),
    } as unknown as Services;
    const floor = median(
      await Promise.all(
        Array.from({ length: ROUNDS }, async () => (await timed(async () => new Map(state.entries('features')))).cpuMs),
      ),
    );
    const figures = await momentFigures(services, floor);
    figures.push(
      inform('opening the index', milliseconds(opening.cpuMs)),
      inform('bytes of the replaced parts an event', bytes(partBytes / EVENTS)),
    );
    await eventIndex.close();
    return figures;
  } finally {
    await store.close();
    removeDirectory(directory);
  }
}

const figures = [
  ...(PARTS.has('moments') ? await measureMoments() : []),
  ...(PARTS.has('reads') ? await measureReads() : []),
];
probe.stop();
finish(`${EVENTS} events of ${FLAGS} flags; reads at a moment`, figures);
