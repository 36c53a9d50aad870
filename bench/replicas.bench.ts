import { setTimeout as sleep } from 'node:timers/promises';
import { Watcher } from './replicas/visible-elsewhere.ts';
import { type WriteLoad, writeOver } from './replicas/write-load.ts';
import { makeFlags } from './support/flags.ts';
import { type Rate, rateOf } from './support/load.ts';
import { LIST_PATH } from './support/paths.ts';
import { RawLog } from './support/raw-log.ts';
import { type RedisProcess, startRedis } from './support/redis-server.ts';
import { type ReplicaProcess, sampleOf, seedRedis, startReplica } from './support/replicas.ts';
import {
  aside,
  atLeast,
  atMost,
  costs,
  type Figure,
  finish,
  median,
  medians,
  percentile,
  perSecond,
  settings,
} from './support/report.ts';
import { CLIENT_TOKEN, untilReady } from './support/service.ts';

/**
 * Several replicas on one Redis, all real processes; Redis runs with `redis.conf` (a sync before every answer). Measures how soon a write on one replica is
 * served by another, durable writes a second on one and on three replicas, and reads while Redis is stopped.
 * BENCH_FLAGS (500), BENCH_ROUNDS (5), BENCH_SECONDS a round (2), BENCH_WRITERS (64), BENCH_SAMPLES a round (200).
 */
const { FLAGS, ROUNDS, SECONDS, WRITERS, SAMPLES } = settings({
  FLAGS: 500,
  ROUNDS: 5,
  SECONDS: 2,
  WRITERS: 64,
  SAMPLES: 200,
});
/** A bench that hangs measures nothing. */
const TIMEOUT_MS = 15 * 60_000;
const READ_CONNECTIONS = 16;

interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** Takes one sample from each sampler in turn, so that all of them run under the same load of the machine. */
async function sampleTimes<Name extends string>(
  count: number,
  samplers: Readonly<Record<Name, () => Promise<number>>>,
): Promise<Record<Name, Times>> {
  const taken = new Map<string, number[]>(Object.keys(samplers).map((name) => [name, []]));
  for (let index = 0; index < count; index++) {
    for (const [name, sampler] of Object.entries<() => Promise<number>>(samplers)) {
      taken.get(name)?.push(await sampler());
    }
  }
  return Object.fromEntries(
    [...taken].map(([name, values]) => [name, { p50: percentile(values, 0.5), p99: percentile(values, 0.99) }]),
  ) as Record<Name, Times>;
}

async function visibility(replicas: readonly ReplicaProcess[], raw: RawLog, flag: string): Promise<Figure[]> {
  const [a, b] = replicas;
  if (!a || !b) throw new Error('two replicas are needed');
  const watcher = new Watcher(a.url, b.url, flag);
  const samplers = {
    seen: () => watcher.time(),
    publish: () => raw.timePublish(),
    append: () => raw.timeAppend(),
  };
  try {
    await sampleTimes(SAMPLES, samplers);
    const rounds: Record<keyof typeof samplers, Times>[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await sampleTimes(SAMPLES, samplers));
    const compare = (floor: 'publish' | 'append', share: keyof Times, name: string) =>
      medians(rounds, `write on A → list with it from B, ${share} / ${name}`, 'ms', (round) => [
        round.seen[share],
        round[floor][share],
      ]);
    return [
      atMost(5, compare('publish', 'p99', 'raw PUBLISH')),
      compare('publish', 'p50', 'raw PUBLISH'),
      compare('append', 'p99', 'raw durable append → its message'),
      compare('append', 'p50', 'raw durable append → its message'),
    ];
  } finally {
    watcher.close();
  }
}

/** Entries a second, `WRITERS` of them at a time. */
async function rawPerS(append: (size: number) => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  let count = 0;
  for (; performance.now() - startedMs < SECONDS * 1000; count += WRITERS) await append(WRITERS);
  return (count / (performance.now() - startedMs)) * 1000;
}

async function writes(replicas: readonly ReplicaProcess[], raw: RawLog, flags: readonly string[]): Promise<Figure[]> {
  const options = { writers: WRITERS, seconds: SECONDS };
  const round = async () => ({
    one: await writeOver(replicas.slice(0, 1), flags, options),
    raw: await rawPerS((size) => raw.appendPipeline(size)),
    rawBatch: await rawPerS((size) => raw.appendBatch(size)),
    three: await writeOver(replicas, flags, options),
  });
  await round();
  const rounds: { one: WriteLoad; raw: number; rawBatch: number; three: WriteLoad }[] = [];
  for (let index = 0; index < ROUNDS; index++) rounds.push(await round());
  const floor = perSecond(median(rounds.map(({ raw }) => raw)));
  const rate = (name: 'one' | 'three', count: string) => ({
    name: `durable writes, ${WRITERS} writers on ${count} / raw append script in pipelines of ${WRITERS}`,
    ours: perSecond(median(rounds.map((each) => each[name].perS))),
    floor,
    ratio: median(rounds.map((each) => each[name].perS / each.raw)),
  });
  const of = (pick: (each: (typeof rounds)[number]) => number) => median(rounds.map(pick));
  return [
    atLeast(0.25, rate('one', 'one replica')),
    atLeast(0.25, rate('three', 'three replicas')),
    medians(
      rounds,
      `durable writes on one replica / raw append script with ${WRITERS} entries a call`,
      '/s',
      ({ one, rawBatch }) => [one.perS, rawBatch],
    ),
    medians(rounds, 'conflicts on three replicas / acknowledged writes', '/s', ({ three }) => [
      three.conflictsPerS,
      three.perS,
    ]),
    aside({
      name: 'writes an append carries, three replicas / one',
      ours: of(({ three }) => three.batch).toFixed(1),
      floor: of(({ one }) => one.batch).toFixed(1),
      ratio: of(({ one, three }) => three.batch / one.batch),
    }),
  ];
}

const LIST_HEADERS = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'accept-encoding': 'gzip' };
const read = (replica: ReplicaProcess) =>
  rateOf(replica, { path: LIST_PATH, headers: LIST_HEADERS, connections: READ_CONNECTIONS, seconds: SECONDS });

async function reads(replica: ReplicaProcess, redis: RedisProcess): Promise<Figure[]> {
  const rounds: { before: Rate; stopped: Rate; after: Rate }[] = [];
  await read(replica);
  for (let round = 0; round < ROUNDS; round++) {
    const before = await read(replica);
    redis.stop();
    let stopped: Rate;
    try {
      stopped = await read(replica);
    } finally {
      redis.go();
    }
    await untilReachable(replica);
    rounds.push({ before, stopped, after: await read(replica) });
  }
  const stopped = (of: keyof Rate) => (round: (typeof rounds)[number]) =>
    [round.stopped[of], (round.before[of] + round.after[of]) / 2] as const;
  return [
    atLeast(0.95, medians(rounds, 'reads (lists, gzip) while Redis is stopped / at rest', '/s', stopped('perS'))),
    costs(rounds, 'the same, CPU a read', 'µs', stopped('cpuUs')),
  ];
}

async function untilReachable(replica: ReplicaProcess): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    await untilReady(replica);
    const answer = await fetch(`${replica.url}/ready`, { signal: AbortSignal.timeout(5_000) });
    if (((await answer.json()) as { store: string }).store === 'reachable') return;
    await sleep(50);
  }
  throw new Error('the replica does not find Redis again');
}

const watchdog = setTimeout(() => {
  process.stderr.write('the bench took too long\n');
  process.exit(1);
}, TIMEOUT_MS);
const features = makeFlags(Math.max(FLAGS, WRITERS + 1), { seed: 23 });
const [watched = '', ...names] = features.map(({ name }) => name);
const redis = await startRedis();
const replicas: ReplicaProcess[] = [];
let raw: RawLog | undefined;
try {
  await seedRedis(redis.url, features);
  for (let count = 0; count < 3; count++) replicas.push(await startReplica(redis.url));
  const [first] = replicas;
  if (!first) throw new Error('there is no replica');
  await writeOver([first], names, { writers: WRITERS, seconds: 1 });
  raw = new RawLog(redis.url, await sampleOf(redis.url, 256));
  await raw.start(redis.url);
  const figures = [
    ...(await visibility(replicas, raw, watched)),
    ...(await writes(replicas, raw, names)),
    ...(await reads(first, redis)),
  ];
  finish('Replicas on Redis, a sync before every answer', figures, [
    'Everything runs on this machine at once: Redis, three replicas, and writers or pollers in one process. PUBLISH is not synced to disk; every write is.',
  ]);
} finally {
  for (const replica of replicas) await replica.end();
  raw?.close();
  await redis.end();
  clearTimeout(watchdog);
}
