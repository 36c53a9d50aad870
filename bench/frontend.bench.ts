import { SERVICE } from '../src/base/asking/asker.ts';
import { Rejection } from '../src/base/rejection.ts';
import type { Services } from '../src/features/services.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import type { Caller } from '../src/model/caller.ts';
import type { Feature } from '../src/model/feature.ts';
import { record } from './support/against-bare.ts';
import { type BenchContext, makeContexts, makeFlags } from './support/flags.ts';
import { operation, startInProcess } from './support/in-process.ts';
import { rateOf } from './support/load.ts';
import { ownCpuMs } from './support/measure.ts';
import {
  atLeast,
  atMost,
  type Figure,
  finish,
  inform,
  median,
  medians,
  microseconds,
  pair,
  perSecond,
  settings,
} from './support/report.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, startSeededService } from './support/service.ts';

/**
 * Evaluation for browsers and for the playground: the endpoint's own handler is called in this process until its answer is text. The peer is
 * `JSON.stringify` of the same answer, parsed before. Every round has other flags and other contexts. Rates over HTTP are for information, except one that
 * is compared with what Unleash Edge publishes.
 * BENCH_FLAGS (500), BENCH_ROUNDS (5), BENCH_SECONDS a rate is measured for (2).
 */
const { FLAGS, ROUNDS, SECONDS } = settings({ FLAGS: 500, ROUNDS: 5, SECONDS: 2 });
const CONTEXTS = 100;
/** Warm-up passes over all contexts before a round, and the minimum duration of a round. */
const WARM_UP_PASSES = 2;
const ROUND_MIN_MS = 400;

interface Kind {
  readonly name: string;
  readonly operationId: string;
  readonly path: string;
  readonly token: string;
  /** The maximum, as a multiple of the time of `JSON.stringify`. */
  readonly aim: number;
  body(context: BenchContext): unknown;
}

const KINDS: readonly Kind[] = [
  {
    name: '/api/frontend',
    operationId: 'postFrontendFeatures',
    path: '/api/frontend',
    token: FRONTEND_TOKEN,
    aim: 1,
    body: (context) => ({ context }),
  },
  {
    name: 'playground',
    operationId: 'getPlayground',
    path: '/api/admin/playground',
    token: ADMIN_TOKEN,
    aim: 2,
    body: (context) => ({ environment: 'development', projects: '*', context }),
  },
];

/** Collects all results, so that no work can be optimised away. */
let sink = 0;

/** The transport also gathers 32 Ki characters before it encodes them. */
const WRITE_CHARS = 32 * 1024;

function requestOf(body: unknown, caller: Caller) {
  const header = () => undefined;
  return { params: {}, query: {}, queryText: '', body, caller, asker: SERVICE, remoteAddress: '127.0.0.1', header };
}

function answerText(endpoint: Endpoint<Services>, body: unknown, caller: Caller, services: Services): string {
  const answer = endpoint.handle(requestOf(body, caller) as never, services);
  if (answer instanceof Promise || answer instanceof Rejection || !answer.pieces) throw new Error('it has no pieces');
  let whole = '';
  let text = '';
  for (const piece of answer.pieces) {
    text += piece;
    if (text.length < WRITE_CHARS) continue;
    sink += Buffer.byteLength(text);
    whole += text;
    text = '';
  }
  sink += Buffer.byteLength(text);
  return whole + text;
}

/** Microseconds of processor time per operation, because other work may run on this machine. */
function time(operations: readonly (() => void)[]): number {
  for (let pass = 0; pass < WARM_UP_PASSES; pass++) for (const run of operations) run();
  const before = ownCpuMs();
  for (let passes = 1; ; passes++) {
    for (const run of operations) run();
    const tookMs = ownCpuMs() - before;
    if (tookMs >= ROUND_MIN_MS) return (tookMs * 1_000) / (passes * operations.length);
  }
}

interface Round {
  readonly oursUs: number;
  readonly peerUs: number;
  readonly bytes: number;
}

async function measureRound({ operationId, token, body }: Kind, seed: number): Promise<Round> {
  const running = await startInProcess(makeFlags(FLAGS, { seed }));
  try {
    const { services } = running;
    const endpoint = operation(operationId);
    const caller = services.tokens.find(token);
    if (!caller) throw new Error('the token is missing');
    await services.flagViews.snapshotsOf([{ environment: 'development', projects: null }]);
    const bodies = makeContexts(CONTEXTS, seed).map(body);
    // The first request finds out which context fields the flags read.
    await endpoint.handle(requestOf(bodies[0], caller) as never, services);
    const answers = bodies.map((one) => answerText(endpoint, one, caller, services));
    const parsed = answers.map((text) => JSON.parse(text) as unknown);
    const ours = bodies.map((one) => () => void answerText(endpoint, one, caller, services));
    const peer = parsed.map((one) => () => {
      sink += Buffer.byteLength(JSON.stringify(one));
    });
    const bytes = answers.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / answers.length;
    // In alternating order, because the load of the machine may change meanwhile.
    const before = seed % 2 === 0 ? undefined : time(peer);
    const oursUs = time(ours);
    return { oursUs, peerUs: before ?? time(peer), bytes };
  } finally {
    await running.close();
  }
}

async function compare(kind: Kind): Promise<Figure> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measureRound(kind, 100 + round));
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  return atMost(
    kind.aim,
    medians(
      rounds,
      `${kind.name}, ${FLAGS} flags (${Math.round(of(({ bytes }) => bytes)).toLocaleString('en')} B)`,
      ['µs', 'JSON.stringify'],
      ({ oursUs, peerUs }) => [oursUs, peerUs],
    ),
  );
}

async function rates(): Promise<Figure[]> {
  const service = await startSeededService(makeFlags(FLAGS, { seed: 100 }));
  try {
    const figures: Figure[] = [];
    const [context] = makeContexts(1, 100);
    for (const { name, path, token, body } of KINDS) {
      const headers = { authorization: token, 'content-type': 'application/json' };
      const text = JSON.stringify(body(context as BenchContext));
      const { perS, cpuUs } = await rateOf(service, { path, headers, connections: 16, body: text, seconds: SECONDS });
      figures.push(
        inform(`${name} over HTTP, 16 connections`, perSecond(perS), `${microseconds(cpuUs)} CPU a request`),
      );
    }
    return figures;
  } finally {
    await service.end();
  }
}

/**
 * The published measurement of Unleash Edge (benchmarking.md in the docs of its repository): its flags, its connections, and its answers a second on one processor.
 * 866 MiB of answers in ten seconds make 13 kB each.
 */
const PUBLISHED = { flags: 350, strategies: 200, connections: 50, perS: 6_900 };
/** One in this many of the flags without strategies is on, so that the answer is as long as that of Edge. */
const ON_ONE_IN = 3;

function publishedFlags(): Feature[] {
  const { flags, strategies } = PUBLISHED;
  const of = { seed: 100, environments: ['development'] };
  const without = makeFlags(flags - strategies, { ...of, strategies: 0 });
  return [
    ...makeFlags(strategies, { ...of, strategies: 1 }),
    ...without.map((flag, index) => ({
      ...flag,
      name: `without-strategies-${index}`,
      environments: flag.environments.map((each) => ({ ...each, enabled: index % ON_ONE_IN === 0 })),
    })),
  ];
}

/** Answers per second of processor time, including the kernel's, compared with what Edge publishes. */
async function besidePublished(): Promise<Figure> {
  const { connections, flags, perS } = PUBLISHED;
  const service = await startSeededService(publishedFlags());
  try {
    const headers = { authorization: FRONTEND_TOKEN };
    const url = `${service.url}/api/frontend`;
    const { body } = await record(url, headers);
    const list = await record(`${service.url}/api/client/features`, { authorization: CLIENT_TOKEN });
    const path = '/api/frontend';
    const measure = async () => 1e6 / (await rateOf(service, { path, headers, connections, seconds: SECONDS })).cpuUs;
    await measure();
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push(await measure());
    return atLeast(
      1,
      pair(
        `/api/frontend over HTTP, ${flags} flags (${kilobytes(list.body)} as a list, ${kilobytes(body)} of answer), a second of one processor / what Edge publishes`,
        ['/s', 'on its makers’ machine'],
        median(rates),
        perS,
      ),
    );
  } finally {
    await service.end();
  }
}

const kilobytes = ({ byteLength }: Buffer): string => `${Math.round(byteLength / 1_000)} kB`;

const figures: Figure[] = [];
for (const kind of KINDS) figures.push(await compare(kind));
figures.push(...(await rates()), await besidePublished());
finish('Answers that are evaluated for each request', figures, [
  'The number for Edge is for 350 flags with 200 strategies (a list of 100 kB, answers of 13 kB), requested without a context over 50 connections, on one processor of a machine that is not named. It is the only number here that was not measured in the same run. `npm run bench -- edge` measures Edge itself.',
]);
if (sink === 0) throw new Error('nothing was computed');
