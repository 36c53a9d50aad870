import { silentLogger } from '../src/base/logger.ts';
import { Rejection } from '../src/base/rejection.ts';
import { switchFeatures } from '../src/features/flags/environments/switch-features.ts';
import type { Feature } from '../src/model/feature.ts';
import { LmdbStore } from '../src/stores/lmdb/lmdb-store.ts';
import type { AppendBatch, EventEntry, LogEntry } from '../src/stores/store.ts';
import { Connection, targetOf } from './support/connection.ts';
import { makeFlags } from './support/flags.ts';
import { startInProcess } from './support/in-process.ts';
import { ownCpuMs } from './support/measure.ts';
import { switchRequest } from './support/paths.ts';
import { aside, atLeast, costs, type Figure, finish, medians, parts, settings } from './support/report.ts';
import { BY, type Process, startSeededService } from './support/service.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';
import { measureBatches } from './writes/batches.ts';

/**
 * Durable admin writes a second. Each is acknowledged before its writer sends the next. The floor is the raw store, which appends the same bytes: alone, and
 * in batches of 64. Measured over HTTP and, because on few cores the clients cost as much as the service, also for the writer in this process. A write
 * switches a flag on or off; every writer has its own flags. Then the processor time of batches over wide flags.
 * BENCH_FLAGS (500), BENCH_ROUNDS (5), BENCH_SECONDS a round (2), BENCH_WRITERS (64), BENCH_PARTS (rates,batches).
 */
const PARTS = parts('rates,batches');
const { FLAGS, ROUNDS, SECONDS, WRITERS } = settings({ FLAGS: 500, ROUNDS: 5, SECONDS: 2, WRITERS: 64 });
const PROJECT = 'default';
/** A service runs for days, so the compilation of its first seconds is not measured. */
const WARM_ROUNDS = 4;

interface Speed {
  readonly perS: number;
  /** Processor time of the process that writes, microseconds a write, all its threads. */
  readonly cpuUs: number;
}

/** Repeats `write`, one call after the other, until the deadline. Returns the number of calls. */
async function repeat(deadlineMs: number, write: (count: number) => Promise<void>): Promise<number> {
  let count = 0;
  while (performance.now() < deadlineMs) await write(count++);
  return count;
}

/** Runs `writers` writers at once; each sends one write after the other. */
async function measure(
  writers: number,
  cpuS: () => number,
  write: (writer: number, count: number) => Promise<void>,
): Promise<Speed> {
  const startedMs = performance.now();
  const cpuBeforeS = cpuS();
  const deadlineMs = startedMs + SECONDS * 1000;
  const counts = await Promise.all(
    Array.from({ length: writers }, (_, writer) => repeat(deadlineMs, (count) => write(writer, count))),
  );
  const total = counts.reduce((sum, count) => sum + count, 0);
  return {
    perS: (total / (performance.now() - startedMs)) * 1000,
    cpuUs: ((cpuS() - cpuBeforeS) / total) * 1e6,
  };
}

const ownCpuS = () => ownCpuMs() / 1_000;

/** The new position of a writer's flag: alternates between on and off. */
const position = (count: number) => (count % 2 === 0 ? 'on' : 'off');

async function overHttp(service: Process, flags: readonly string[], writers: number): Promise<Speed> {
  const target = targetOf(service.url);
  const connections = Array.from({ length: writers }, () => new Connection(target));
  const requests = flags
    .slice(0, writers)
    .map((flag) => ({ on: switchRequest(target, flag, 'on'), off: switchRequest(target, flag, 'off') }));
  try {
    return await measure(writers, service.cpuS, async (writer, count) => {
      const answer = await connections[writer]?.ask(requests[writer]?.[position(count)] as Buffer);
      if (answer?.status !== 200) throw new Error(`a write was answered ${answer?.status}`);
    });
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** The writer and its store in this process, and the bytes of its writes. */
class InProcess {
  readonly #directory = temporaryDirectory();
  readonly #store = new LmdbStore({ directory: this.#directory, logger: silentLogger });
  readonly #features: readonly Feature[];
  #running: Awaited<ReturnType<typeof startInProcess>> | undefined;

  constructor(features: readonly Feature[]) {
    this.#features = features;
  }

  async start(): Promise<void> {
    this.#running = await startInProcess(this.#features, this.#store);
  }

  measure(writers: number): Promise<Speed> {
    return measure(writers, ownCpuS, async (writer, count) => {
      const outcome = await this.#running?.services.writer.submit(
        switchFeatures,
        {
          project: PROJECT,
          names: [this.#features[writer]?.name ?? ''],
          environment: 'development',
          enabled: position(count) === 'on',
          activateDisabledStrategies: false,
        },
        BY,
      );
      if (outcome instanceof Rejection) throw new Error(outcome.message);
    });
  }

  /** The last entries of the log, and the last events. */
  async sample(count: number): Promise<{ entries: readonly LogEntry[]; events: readonly EventEntry[] }> {
    const tip = await this.#store.tip();
    const entries = await this.#store.read(Math.max(1, tip - count + 1), count);
    return { entries, events: await this.#store.readEvents(Number.MAX_SAFE_INTEGER, count) };
  }

  async close(): Promise<void> {
    await this.#running?.close();
    removeDirectory(this.#directory);
  }
}

/** The store alone. */
class RawStore {
  readonly #directory = temporaryDirectory();
  readonly #store = new LmdbStore({ directory: this.#directory, logger: silentLogger });
  readonly #sample: Awaited<ReturnType<InProcess['sample']>>;
  #tip = 0;

  constructor(sample: Awaited<ReturnType<InProcess['sample']>>) {
    this.#sample = sample;
  }

  async start(): Promise<void> {
    this.#tip = (await this.#store.open()).tip;
  }

  /** One batch after the other. */
  async measure(batchSize: number): Promise<Speed> {
    const { perS, cpuUs } = await measure(1, ownCpuS, async () => {
      const outcome = await this.#store.append(this.#batch(batchSize));
      if (outcome.status !== 'appended') throw new Error('the raw store has a conflict');
      this.#tip += batchSize;
    });
    return { perS: perS * batchSize, cpuUs: cpuUs / batchSize };
  }

  async close(): Promise<void> {
    await this.#store.close();
    removeDirectory(this.#directory);
  }

  #batch(size: number): AppendBatch {
    const { entries, events } = this.#sample;
    const numbers = Array.from({ length: size }, (_, index) => this.#tip + 1 + index);
    const bytesOf = (list: readonly (LogEntry | EventEntry)[], number: number) =>
      list[number % list.length]?.bytes ?? new Uint8Array();
    return {
      expectedTip: this.#tip,
      writeId: String(this.#tip),
      entries: numbers.map((seq) => ({ seq, bytes: bytesOf(entries, seq) })),
      events: numbers.map((id) => ({ id, bytes: bytesOf(events, id) })),
    };
  }
}

type Subject = 'httpOne' | 'httpMany' | 'writerOne' | 'writerMany' | 'rawOne' | 'rawMany';
type Round = Record<Subject, Speed>;

function compare(rounds: readonly Round[], ours: Subject, floor: Subject, name: string) {
  const rate = medians(rounds, `${name}, rate`, '/s', (round) => [round[ours].perS, round[floor].perS]);
  const cpu = costs(rounds, `${name}, CPU a write`, 'µs', (round) => [round[ours].cpuUs, round[floor].cpuUs]);
  return { rate, cpu };
}

async function measureRounds(service: Process, writer: InProcess, raw: RawStore, names: readonly string[]) {
  const round = async (): Promise<Round> => ({
    httpMany: await overHttp(service, names, WRITERS),
    rawMany: await raw.measure(WRITERS),
    writerMany: await writer.measure(WRITERS),
    httpOne: await overHttp(service, names, 1),
    rawOne: await raw.measure(1),
    writerOne: await writer.measure(1),
  });
  for (let index = 0; index < WARM_ROUNDS; index++) await round();
  const rounds: Round[] = [];
  for (let index = 0; index < ROUNDS; index++) rounds.push(await round());
  return rounds;
}

async function measureRates(): Promise<Figure[]> {
  const features = makeFlags(Math.max(FLAGS, WRITERS), { seed: 23 });
  const names = features.map(({ name }) => name);
  const writer = new InProcess(features);
  let [service, raw]: [Process | undefined, RawStore | undefined] = [undefined, undefined];
  try {
    await writer.start();
    await writer.measure(WRITERS);
    raw = new RawStore(await writer.sample(256));
    await raw.start();
    service = await startSeededService(features);
    const rounds = await measureRounds(service, writer, raw, names);
    const many = compare(rounds, 'httpMany', 'rawMany', `HTTP, ${WRITERS} writers / raw batches of ${WRITERS}`);
    const inside = compare(rounds, 'writerMany', 'rawMany', `writer in-process, ${WRITERS} at once / raw batches`);
    const one = compare(rounds, 'httpOne', 'rawOne', 'HTTP, 1 writer / raw one at a time');
    const oneInside = compare(rounds, 'writerOne', 'rawOne', 'writer in-process, 1 at a time / raw one at a time');
    return [
      atLeast(0.25, many.rate),
      aside(many.cpu),
      atLeast(0.25, inside.rate),
      ...[inside.cpu, one.rate, one.cpu, oneInside.rate, oneInside.cpu].map(aside),
    ];
  } finally {
    await service?.end();
    await raw?.close();
    await writer.close();
  }
}

const figures = [
  ...(PARTS.has('rates') ? await measureRates() : []),
  ...(PARTS.has('batches') ? await measureBatches() : []),
];
finish('Durable writes on the embedded store', figures, [
  'Writers over HTTP run in one process beside the service: on few cores their own cost bounds the rate. CPU a write is the service’s alone.',
]);
