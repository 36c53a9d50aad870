import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Feature } from '../src/model/feature.ts';
import { compare, type Difference } from './edge/answers.ts';
import { edgeBinary } from './edge/binary.ts';
import { contextQuestions, NAMED_FLAG, QUESTIONS } from './edge/questions.ts';
import { makeFlags } from './support/flags.ts';
import { freePort } from './support/free-port.ts';
import { inTurn } from './support/in-turn.ts';
import { rateOf } from './support/load.ts';
import { atLeast, atMost, type Figure, finish, median, medians, pair, settings } from './support/report.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  type Process,
  startProgram,
  startSeededService,
  untilReady,
} from './support/service.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * Compares `burgee relay` with Unleash Edge: the same upstream (a Burgee), the same tokens and the same command line. Both get every question of
 * `edge/questions.ts`, and the differences between their answers are printed. Then, in turn: rates, processor time, memory, start, and how long a change
 * takes to arrive. EDGE_BINARY names the program of Edge; without it, Edge is built in a temporary folder. BENCH_FLAGS, BENCH_CONTEXTS, BENCH_ROUNDS,
 * BENCH_SECONDS.
 */
const { FLAGS, CONTEXTS, ROUNDS, SECONDS } = settings({ FLAGS: 500, CONTEXTS: 200, ROUNDS: 5, SECONDS: 2 });
const CONNECTIONS = 64;
const REFRESH_S = 1;
const PROJECT_TOKEN = 'default:development.bench-project';

const MAIN = fileURLToPath(new URL('../packed/program/main.js', import.meta.url));

interface Relay extends Process {
  readonly startMs: number;
}

type Program = (args: readonly string[], port: number) => Process;

/** Both programs are started with the same arguments. */
async function startRelay(program: Program, upstream: string): Promise<Relay> {
  const port = await freePort();
  const startedMs = performance.now();
  const args = [
    '--port',
    String(port),
    '--interface',
    '127.0.0.1',
    'edge',
    '--upstream-url',
    upstream,
    '--tokens',
    CLIENT_TOKEN,
  ];
  const relay = program([...args, '--features-refresh-interval-seconds', String(REFRESH_S)], port);
  const url = relay.url;
  await untilReady({ ...relay, url: `${url}/internal-backstage` });
  const headers = { authorization: CLIENT_TOKEN };
  while (
    (await fetch(`${url}/api/client/features`, { headers }).then(
      (answer) => answer.status,
      () => 0,
    )) !== 200
  ) {
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return { ...relay, startMs: performance.now() - startedMs };
}

interface Asked {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

const LIST: Asked = {
  name: 'list',
  path: '/api/client/features',
  headers: { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0' },
};
const LOADS: readonly Asked[] = [
  LIST,
  { ...LIST, name: 'list, gzip', headers: { ...LIST.headers, 'accept-encoding': 'gzip' } },
  { name: 'evaluated answer', path: '/api/frontend?userId=7&sessionId=a', headers: { authorization: FRONTEND_TOKEN } },
  {
    name: 'evaluated answer, all flags',
    path: '/api/frontend/all?userId=7&sessionId=a',
    headers: { authorization: FRONTEND_TOKEN },
  },
];

const measure = (server: Process, { path, headers }: Asked) =>
  rateOf(server, { path, headers, connections: CONNECTIONS, seconds: SECONDS });

async function rates(asked: Asked, edge: Process, ours: Process): Promise<Figure[]> {
  for (const server of [edge, ours]) await measure(server, asked);
  const rounds = await inTurn(ROUNDS, { ours: () => measure(ours, asked), floor: () => measure(edge, asked) });
  return [
    atLeast(
      1,
      medians(rounds, `${asked.name}, ${FLAGS} flags, rate`, '/s', ({ ours: own, floor }) => [own.perS, floor.perS]),
    ),
    atMost(
      1,
      medians(rounds, `${asked.name}, ${FLAGS} flags, CPU a request`, 'µs', ({ ours: own, floor }) => [
        own.cpuUs,
        floor.cpuUs,
      ]),
    ),
  ];
}

/** Switches a flag upstream, and waits until each relay serves the change. */
async function changeMs(upstream: string, relays: readonly Process[], isOn: boolean): Promise<number[]> {
  const path = `/api/admin/projects/default/features/${NAMED_FLAG}/environments/development/${isOn ? 'on' : 'off'}`;
  const answer = await fetch(`${upstream}${path}`, { method: 'POST', headers: { authorization: ADMIN_TOKEN } });
  if (answer.status !== 200) throw new Error(`upstream did not switch ${NAMED_FLAG}: ${answer.status}`);
  const startedMs = performance.now();
  return Promise.all(relays.map((relay) => untilSignal(relay, isOn).then(() => performance.now() - startedMs)));
}

async function untilSignal({ url }: Process, isOn: boolean): Promise<void> {
  for (;;) {
    // The list that SDKs get.
    const answer = await fetch(`${url}${LIST.path}`, { headers: LIST.headers });
    const { features } = (await answer.json()) as { features: { name: string; enabled: boolean }[] };
    if (features.some(({ name, enabled }) => name === NAMED_FLAG && enabled === isOn)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function changes(upstream: string, edge: Process, ours: Process): Promise<Figure> {
  const rounds: number[][] = [];
  for (let round = 0; round < 2 * ROUNDS + 1; round++) {
    rounds.push(await changeMs(upstream, [edge, ours], round % 2 === 0));
    // Each change falls on another moment of the relays' refresh interval.
    await new Promise((resolve) => setTimeout(resolve, (round * 370) % (REFRESH_S * 1_000)));
  }
  const [edgeMs, ourMs] = [0, 1].map((at) => median(rounds.map((round) => round[at] ?? Number.NaN))) as [
    number,
    number,
  ];
  return atMost(1, pair(`change upstream, to the relay’s list, asked every ${REFRESH_S} s`, 'ms', ourMs, edgeMs));
}

async function starts(edge: Program, ours: Program, upstream: string): Promise<Figure> {
  const timed = (program: Program) => async () => {
    const relay = await startRelay(program, upstream);
    await relay.end();
    return relay.startMs;
  };
  const rounds = await inTurn(ROUNDS, { ours: timed(ours), floor: timed(edge) });
  const ourMs = median(rounds.map((round) => round.ours));
  const edgeMs = median(rounds.map((round) => round.floor));
  return atMost(1, pair('start, to the first list', 'ms', ourMs, edgeMs));
}

async function differences(edge: Process, ours: Process): Promise<Difference[]> {
  const found: Difference[] = [];
  for (const question of [...QUESTIONS, ...contextQuestions(CONTEXTS)]) {
    const difference = await compare(question, edge.url, ours.url);
    if (difference) found.push(difference);
  }
  return found;
}

function describeDifferences(found: readonly Difference[]): string[] {
  const count = QUESTIONS.length + CONTEXTS;
  const lines = found.map(({ question: { method, path, headers, body }, edge, ours }) => {
    const who = headers.authorization?.replace(/\..*/, '') ?? 'no token';
    return `${method} ${path} (${who}) ${body === undefined ? '' : JSON.stringify(body).slice(0, 80)}\n    Edge:   ${edge}\n    Burgee: ${ours}`;
  });
  return [`${count} questions, ${found.length} answered differently`, ...lines];
}

const directory = temporaryDirectory();
const binary = edgeBinary(join(directory, 'edge'));
if ('problem' in binary) {
  process.stderr.write(`${binary.problem}\n`);
  process.exitCode = 1;
} else {
  const edgeProgram: Program = (args, port) => startProgram(binary.file, args, {}, port);
  const ourProgram: Program = (args, port) =>
    startProgram(process.execPath, [MAIN, ...args], { LOG_LEVEL: 'warn' }, port);
  // Answers that depend on chance cannot be compared.
  const isCertain = (flag: Feature) => !/random/i.test(JSON.stringify(flag));
  const flags = makeFlags(FLAGS * 2, { seed: 5 })
    .filter(isCertain)
    .slice(0, FLAGS);
  const named = flags.map((flag) => ({ ...flag, name: NAMED_FLAG, dependencies: [] })).slice(0, 1);
  const tokens = { INIT_CLIENT_API_TOKENS: [CLIENT_TOKEN, PROJECT_TOKEN, '*:production.bench-production'].join(',') };
  const upstream = await startSeededService([...flags, ...named], { env: tokens });
  const ends = [() => upstream.end()];
  try {
    const edge = await startRelay(edgeProgram, upstream.url);
    ends.push(() => edge.end());
    const ours = await startRelay(ourProgram, upstream.url);
    ends.push(() => ours.end());
    const text = describeDifferences(await differences(edge, ours));
    process.stdout.write(`${text.join('\n')}\n`);
    const figures: Figure[] = [];
    for (const asked of LOADS) figures.push(...(await rates(asked, edge, ours)));
    figures.push(
      atMost(1, {
        name: 'resident memory after all that',
        ours: `${Math.round(ours.residentBytes() / 1e6)} MB`,
        floor: `${Math.round(edge.residentBytes() / 1e6)} MB`,
        ratio: ours.residentBytes() / edge.residentBytes(),
      }),
      await changes(upstream.url, edge, ours),
      await starts(edgeProgram, ourProgram, upstream.url),
    );
    finish('burgee relay beside Unleash Edge (floor)', figures);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
removeDirectory(directory);
