import { headerOf } from './support/answer-parser.ts';
import { Connection, requestBytes, targetOf } from './support/connection.ts';
import { makeFlags } from './support/flags.ts';
import { freePort } from './support/free-port.ts';
import { load } from './support/load.ts';
import { LIST_PATH } from './support/paths.ts';
import {
  aside,
  type Figure,
  finish,
  machine,
  median,
  microseconds,
  milliseconds,
  perSecond,
  setting,
} from './support/report.ts';
import { CLIENT_TOKEN, type Process, startSeededService } from './support/service.ts';

/**
 * What one process can serve, and what more processes on the same machine add: polls a second and processor time for 1 to BENCH_PROCESSES (2) processes that
 * share one port (SO_REUSEPORT). Each has its own directory with the same flags.
 * BENCH_FLAGS (500), BENCH_ROUNDS (5), BENCH_SECONDS a round (2), BENCH_CONNECTIONS (128).
 */
const PROCESSES = setting('BENCH_PROCESSES', 2);
const FLAGS = setting('BENCH_FLAGS', 500);
const ROUNDS = setting('BENCH_ROUNDS', 5);
const SECONDS = setting('BENCH_SECONDS', 2);
const CONNECTIONS = setting('BENCH_CONNECTIONS', 128);

interface Round {
  readonly perS: number;
  readonly p99Ms: number;
  /** Microseconds a poll, all processes together. */
  readonly cpuUs: number;
  /** Number of processors that the processes together kept busy. */
  readonly busy: number;
  /** The part of the work that the busiest process did; an even split is 1 ÷ processes. */
  readonly busiestShare: number;
}

interface Kind {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

const features = makeFlags(FLAGS, { seed: 71 });
const LIST_HEADERS = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0', 'accept-encoding': 'gzip' };

async function kinds(url: string): Promise<readonly Kind[]> {
  const target = targetOf(url);
  const connection = new Connection(target);
  const { head } = await connection.ask(requestBytes('GET', target, LIST_PATH, LIST_HEADERS));
  connection.close();
  return [
    { name: '304', headers: { ...LIST_HEADERS, 'if-none-match': headerOf(head, 'etag') ?? '' } },
    { name: 'gzip list', headers: LIST_HEADERS },
  ];
}

async function measure(services: readonly Process[], url: string, { headers }: Kind): Promise<Round> {
  const before = services.map((service) => service.cpuS());
  const startedMs = performance.now();
  const result = await load({ url: url + LIST_PATH, headers, connections: CONNECTIONS, durationS: SECONDS });
  const tookS = (performance.now() - startedMs) / 1000;
  if (result.errors > 0) throw new Error(`${result.errors} polls failed`);
  const used = services.map((service, index) => service.cpuS() - (before[index] ?? 0));
  const total = used.reduce((sum, cpuS) => sum + cpuS, 0);
  return {
    perS: result.requestsPerS,
    p99Ms: result.p99Ms,
    cpuUs: (total / result.requests) * 1e6,
    busy: total / tookS,
    busiestShare: Math.max(...used) / total,
  };
}

/** Measures each kind of poll with `count` processes on one port. */
async function measureProcesses(count: number): Promise<Map<string, Round[]>> {
  const port = await freePort();
  const services: Process[] = [];
  try {
    for (let index = 0; index < count; index++)
      services.push(await startSeededService(features, { port, env: { HTTP_SHARE_PORT: 'true' } }));
    const url = `http://127.0.0.1:${port}`;
    const rounds = new Map<string, Round[]>();
    for (const kind of await kinds(url)) {
      await measure(services, url, kind);
      const measured: Round[] = [];
      for (let round = 0; round < ROUNDS; round++) measured.push(await measure(services, url, kind));
      rounds.set(kind.name, measured);
    }
    return rounds;
  } finally {
    await Promise.all(services.map((service) => service.end()));
  }
}

const of = (rounds: readonly Round[], pick: (round: Round) => number) => median(rounds.map(pick));

function figuresOf(kind: string, count: number, rounds: readonly Round[], one: readonly Round[]): Figure[] {
  const name = `${kind}, ${count} process${count === 1 ? '' : 'es'}`;
  const perS = (all: readonly Round[]) => of(all, (round) => round.perS);
  const cpuUs = (all: readonly Round[]) => of(all, (round) => round.cpuUs);
  return [
    aside({
      name: `${name}: polls (p99 ${milliseconds(of(rounds, ({ p99Ms }) => p99Ms))})`,
      ours: perSecond(perS(rounds)),
      floor: `${perSecond(perS(one))} from one`,
      ratio: perS(rounds) / perS(one),
    }),
    aside({
      name: `${name}: CPU a poll (${of(rounds, ({ busy }) => busy).toFixed(2)} processors busy, busiest did ${Math.round(of(rounds, ({ busiestShare }) => busiestShare) * 100)} %)`,
      ours: microseconds(cpuUs(rounds)),
      floor: `${microseconds(cpuUs(one))} from one`,
      ratio: cpuUs(rounds) / cpuUs(one),
    }),
  ];
}

const byCount: Map<string, Round[]>[] = [];
for (let count = 1; count <= PROCESSES; count++) byCount.push(await measureProcesses(count));
const [single] = byCount;
const figures = byCount.flatMap((measured, index) =>
  [...measured].flatMap(([kind, rounds]) => figuresOf(kind, index + 1, rounds, single?.get(kind) ?? rounds)),
);
finish(`Processes that share a port, ${FLAGS} flags, ${CONNECTIONS} connections (${machine()})`, figures, [
  'The load generator needs its own processor. On two processors, a second process competes with it, and CPU a poll means more than the rate.',
]);
