import { Rejection } from '../src/base/rejection.ts';
import type { Services } from '../src/features/services.ts';
import type { Endpoint } from '../src/http/endpoint.ts';
import type { Caller } from '../src/model/caller.ts';
import type { Feature } from '../src/model/feature.ts';
import { record } from './support/against-bare.ts';
import { type BenchContext, makeContexts, makeFlags } from './support/flags.ts';
import { operation, startInProcess } from './support/in-process.ts';
import { load } from './support/load.ts';
import {
  aside,
  atLeast,
  atMost,
  type Figure,
  finish,
  machine,
  median,
  microseconds,
  perSecond,
  setting,
} from './support/report.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, startSeededService } from './support/service.ts';

/**
 * Evaluating for browsers and explaining: the endpoint's own handler, called in this process, until its answer is text, against
 * `JSON.stringify` of the same answer parsed. Every round has other flags and other contexts. Rates over HTTP are told for information, but for one
 * beside what Unleash Edge publishes.
 * BENCH_FLAGS (500), BENCH_ROUNDS (5), BENCH_SECONDS a rate is measured for (2).
 */
const FLAGS = setting('BENCH_FLAGS', 500);
const ROUNDS = setting('BENCH_ROUNDS', 5);
const SECONDS = setting('BENCH_SECONDS', 2);
const CONTEXTS = 100;
/** Passes over all contexts that warm up before a round, and the time a round takes at least. */
const WARM_UP_PASSES = 2;
const ROUND_MIN_MS = 400;

interface Kind {
  readonly name: string;
  readonly operationId: string;
  readonly path: string;
  readonly token: string;
  /** At most so many times what `JSON.stringify` takes. */
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

/** What is computed ends up here, so that nothing can be optimised away. */
let sink = 0;

/** As the transport takes it: gathered to 32 Ki characters, then bytes. */
const WRITE_CHARS = 32 * 1024;

function requestOf(body: unknown, caller: Caller) {
  const header = () => undefined;
  return { params: {}, query: {}, queryText: '', body, caller, remoteAddress: '127.0.0.1', header };
}

function answerText(endpoint: Endpoint<Services>, body: unknown, caller: Caller, services: Services): string {
  const answer = endpoint.handle(requestOf(body, caller) as never, services);
  if (answer instanceof Promise || answer instanceof Rejection || !answer.pieces) throw new Error('not such an answer');
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

/** Microseconds of processor time an operation: this machine may be doing other things. */
function time(operations: readonly (() => void)[]): number {
  for (let pass = 0; pass < WARM_UP_PASSES; pass++) for (const run of operations) run();
  const before = process.cpuUsage();
  for (let passes = 1; ; passes++) {
    for (const run of operations) run();
    const { user, system } = process.cpuUsage(before);
    if (user + system >= ROUND_MIN_MS * 1000) return (user + system) / (passes * operations.length);
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
    await services.flagViews.ofAll([{ environment: 'development', projects: null }]);
    const bodies = makeContexts(CONTEXTS, seed).map(body);
    // What the flags read is looked for once.
    await endpoint.handle(requestOf(bodies[0], caller) as never, services);
    const answers = bodies.map((one) => answerText(endpoint, one, caller, services));
    const parsed = answers.map((text) => JSON.parse(text) as unknown);
    const ours = bodies.map((one) => () => void answerText(endpoint, one, caller, services));
    const peer = parsed.map((one) => () => {
      sink += Buffer.byteLength(JSON.stringify(one));
    });
    const bytes = answers.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / answers.length;
    // In alternating order: what else the machine does may fade or grow.
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
  return atMost(kind.aim, {
    name: `${kind.name}, ${FLAGS} flags (${Math.round(of(({ bytes }) => bytes)).toLocaleString('en')} B)`,
    ours: microseconds(of(({ oursUs }) => oursUs)),
    floor: `${microseconds(of(({ peerUs }) => peerUs))} JSON.stringify`,
    ratio: of(({ oursUs, peerUs }) => oursUs / peerUs),
  });
}

async function rates(): Promise<Figure[]> {
  const service = await startSeededService(makeFlags(FLAGS, { seed: 100 }));
  try {
    const figures: Figure[] = [];
    const [context] = makeContexts(1, 100);
    for (const { name, path, token, body } of KINDS) {
      const headers = { authorization: token, 'content-type': 'application/json' };
      const cpuBeforeS = service.cpuS();
      const options = {
        url: service.url + path,
        headers,
        connections: 16,
        body: JSON.stringify(body(context as BenchContext)),
      };
      const result = await load({ ...options, durationS: SECONDS });
      if (result.errors > 0) throw new Error(`${result.errors} requests failed`);
      const cpuUs = ((service.cpuS() - cpuBeforeS) / result.requests) * 1e6;
      figures.push(
        aside({
          name: `${name} over HTTP, 16 connections`,
          ours: perSecond(result.requestsPerS),
          floor: `${microseconds(cpuUs)} CPU a request`,
          ratio: null,
        }),
      );
    }
    return figures;
  } finally {
    await service.end();
  }
}

/**
 * As Unleash Edge measured its own (docs/benchmarking.md of its repository): what such an answer is of, how it is asked for, and answers a second on one processor.
 * 866 MiB of them in ten seconds make 13 kB each.
 */
const PUBLISHED = { flags: 350, strategies: 200, connections: 50, perS: 6_900 };
/** Of the flags without strategies, one in so many is on: then the answer is as long as Edge's. */
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

/** Answers a second and processor, what the kernel does for them included, beside what Edge publishes. */
async function besidePublished(): Promise<Figure> {
  const { connections, flags, perS } = PUBLISHED;
  const service = await startSeededService(publishedFlags());
  try {
    const headers = { authorization: FRONTEND_TOKEN };
    const url = `${service.url}/api/frontend`;
    const { body } = await record(url, headers);
    const list = await record(`${service.url}/api/client/features`, { authorization: CLIENT_TOKEN });
    const measure = async () => {
      const beforeS = service.cpuS();
      const { errors, requests } = await load({ url, headers, connections, durationS: SECONDS });
      if (errors > 0) throw new Error(`${errors} requests failed`);
      return requests / (service.cpuS() - beforeS);
    };
    await measure();
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push(await measure());
    return atLeast(1, {
      name: `/api/frontend over HTTP, ${flags} flags (${kilobytes(list.body)} as a list, ${kilobytes(body)} of answer), a second of one processor / what Edge publishes`,
      ours: perSecond(median(rates)),
      floor: `${perSecond(perS)} on its makers’ machine`,
      ratio: median(rates) / perS,
    });
  } finally {
    await service.end();
  }
}

const kilobytes = ({ byteLength }: Buffer): string => `${Math.round(byteLength / 1_000)} kB`;

const figures: Figure[] = [];
for (const kind of KINDS) figures.push(await compare(kind));
figures.push(...(await rates()), await besidePublished());
finish(`Answers that are evaluated for each request (${machine()})`, figures, [
  'Edge’s figure is of 350 flags with 200 strategies (100 kB as a list, 13 kB of answer), asked for without a context over 50 connections, on one processor of a machine that is not named: the only figure here that was not measured in the same run. `npm run bench:edge` measures Edge itself.',
]);
if (sink === 0) throw new Error('nothing was computed');
