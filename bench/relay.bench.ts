import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, record } from './support/against-bare.ts';
import { makeFlags } from './support/flags.ts';
import { freePort } from './support/free-port.ts';
import { inTurn } from './support/in-turn.ts';
import { rateOf } from './support/load.ts';
import {
  atLeast,
  atMost,
  costs,
  type Figure,
  finish,
  inform,
  median,
  medians,
  milliseconds,
  pair,
  percentile,
  setting,
  settings,
} from './support/report.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  type Process,
  seedDirectory,
  startProcess,
  startService,
  untilReady,
} from './support/service.ts';
import { removeDirectory, temporaryDirectory } from './support/temporary.ts';

/**
 * `burgee relay` in front of Burgee, each in its own process. Lists are compared with a bare server that sends the same bytes, and answers for browsers with
 * the server's own answers. The time from a change upstream to an SDK's stream is measured at the relay and at upstream. Memory and the start from its
 * folder are compared with those of upstream.
 * BENCH_FLAGS (500) of the rates, BENCH_CHANGES (100), BENCH_LARGE_FLAGS (10,000) × BENCH_ENVIRONMENTS (20) of memory and start, BENCH_ROUNDS (5),
 * BENCH_SECONDS (2).
 */
const { FLAGS, CHANGES, LARGE_FLAGS, ENVIRONMENTS } = settings({
  FLAGS: 500,
  CHANGES: 100,
  LARGE_FLAGS: 10_000,
  ENVIRONMENTS: 20,
});
const HOW = { rounds: setting('BENCH_ROUNDS', 5), seconds: setting('BENCH_SECONDS', 2), connections: 64 };
const START_ROUNDS = 3;
/** A first start requests all lists and stores them. */
const FIRST_MS_MAX = 600_000;
const MAIN = fileURLToPath(new URL('../src/main.js', import.meta.url));
const NOBODY = 'http://127.0.0.1:9';

async function startRelay(upstreamUrl: string, directory: string, tokens: readonly string[]): Promise<Process> {
  const port = await freePort();
  const environment = {
    HTTP_HOST: '127.0.0.1',
    INTERFACE: '127.0.0.1',
    PORT: String(port),
    HTTP_PORT: String(port),
    UPSTREAM_URL: upstreamUrl,
    TOKENS: tokens.join(','),
    BACKUP_FOLDER: directory,
    LOG_LEVEL: 'warn',
    STREAMING: 'true',
    FEATURES_REFRESH_INTERVAL_SECONDS: '5',
  };
  const relay = await startProcess(MAIN, ['relay'], environment, port);
  await untilReady(relay, FIRST_MS_MAX);
  return relay;
}

const SDK = { authorization: CLIENT_TOKEN, 'unleash-client-spec': '5.2.0' };

/** The rates of a relay, which should equal those of the server. */
async function rates(upstream: Process, relay: Process): Promise<Figure[]> {
  const { etag } = await record(`${relay.url}/api/client/features`, SDK);
  return [
    ...(await compare(`relay: list, ${FLAGS} flags, gzip`, relay, { ...SDK, 'accept-encoding': 'gzip' }, HOW)),
    ...(await compare(`relay: list, ${FLAGS} flags, 304`, relay, { ...SDK, 'if-none-match': etag }, HOW)),
    ...(await frontendFigures(upstream, relay)),
  ];
}

/** Answers that are evaluated for each request, from the relay and from the server in turn. */
async function frontendFigures(upstream: Process, relay: Process): Promise<Figure[]> {
  const path = '/api/frontend?userId=7&appName=shop';
  const headers = { authorization: FRONTEND_TOKEN };
  const { body } = await record(relay.url + path, headers);
  const asked = (server: Process) => () => rateOf(server, { ...HOW, headers, path });
  for (const server of [relay, upstream]) await asked(server)();
  const rounds = await inTurn(HOW.rounds, { ours: asked(relay), floor: asked(upstream) });
  const name = `/api/frontend, ${FLAGS} flags (${body.byteLength.toLocaleString('en')} B), at the relay beside at the server`;
  return [
    atLeast(
      0.95,
      medians(rounds, `${name}, rate`, '/s', ({ ours, floor }) => [ours.perS, floor.perS]),
    ),
    atLeast(
      0.95,
      costs(rounds, `${name}, CPU a request`, 'µs', ({ ours, floor }) => [ours.cpuUs, floor.cpuUs]),
    ),
  ];
}

/** A stream that records when it received each flag. */
async function watch(url: string): Promise<{ readonly sent: Map<string, number>; end(): void }> {
  const sent = new Map<string, number>();
  const gone = new AbortController();
  const answer = await fetch(`${url}/api/client/streaming`, { headers: SDK, signal: gone.signal });
  const read = async () => {
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += Buffer.from(chunk).toString('latin1');
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const name = /"type":"feature-updated","feature":\{"name":"(changed-\d+)"/.exec(text.slice(0, end))?.[1];
        if (name !== undefined) sent.set(name, performance.now());
        text = text.slice(end + 2);
      }
    }
  };
  read().catch(() => {});
  return { sent, end: () => gone.abort() };
}

async function changeTimes(upstream: Process, relay: Process): Promise<Figure> {
  const [there, here] = [await watch(upstream.url), await watch(relay.url)];
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const rounds: { there: number; here: number }[] = [];
  for (let index = 0; index < CHANGES; index++) {
    const name = `changed-${index}`;
    const beganMs = performance.now();
    const body = JSON.stringify({ name, type: 'release' });
    await fetch(`${upstream.url}/api/admin/projects/default/features`, { method: 'POST', headers, body });
    for (const deadlineMs = beganMs + 10_000; !here.sent.has(name) || !there.sent.has(name); ) {
      if (performance.now() > deadlineMs) throw new Error(`${name} did not arrive within ten seconds`);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    rounds.push({ there: (there.sent.get(name) ?? 0) - beganMs, here: (here.sent.get(name) ?? 0) - beganMs });
  }
  there.end();
  here.end();
  const timesOf = (side: 'here' | 'there') => rounds.map((round) => round[side]);
  const text = (side: 'here' | 'there') =>
    `${milliseconds(median(timesOf(side)))} (p99 ${milliseconds(percentile(timesOf(side), 0.99))})`;
  return atMost(4, {
    name: 'change upstream → stream of an SDK, at the relay beside at upstream',
    ours: text('here'),
    floor: text('there'),
    ratio: median(timesOf('here')) / median(timesOf('there')),
  });
}

/** Requests every list, so that the service builds everything that it serves. */
async function askAll(url: string, tokens: readonly string[]): Promise<void> {
  for (const token of tokens) {
    const headers = { ...SDK, authorization: token, 'accept-encoding': 'gzip' };
    for (;;) {
      const answer = await fetch(`${url}/api/client/features`, { headers });
      await answer.arrayBuffer();
      if (answer.status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

async function large(root: string): Promise<Figure[]> {
  const environments = Array.from({ length: ENVIRONMENTS }, (_, index) => (index === 0 ? 'development' : `e${index}`));
  const features = makeFlags(LARGE_FLAGS, { seed: 3, environments });
  const [own, kept] = [join(root, 'upstream'), join(root, 'relay')];
  await seedDirectory(own, features, { snapshot: true, environments });
  const tokens = environments.map((environment) => `*:${environment}.bench-large`);
  const upstream = await startService(own, { env: { INIT_CLIENT_API_TOKENS: tokens.join(',') } });
  const beganMs = performance.now();
  const relay = await startRelay(upstream.url, kept, tokens);
  const firstMs = performance.now() - beganMs;
  await askAll(upstream.url, tokens);
  await askAll(relay.url, tokens);
  const [ours, theirs] = [relay.residentBytes(), upstream.residentBytes()];
  await relay.end();
  await upstream.end();
  const starts = await inTurn(START_ROUNDS, {
    ours: () => timed(() => startRelay(NOBODY, kept, tokens)),
    floor: () => timed(() => startService(own)),
  });
  const what = `${LARGE_FLAGS.toLocaleString('en')} flags × ${ENVIRONMENTS} environments`;
  return [
    atMost(1.3, pair(`memory of a relay, beside its upstream: ${what}`, 'MB', ours, theirs)),
    atMost(
      1.3,
      medians(starts, `start from its folder, without upstream, beside a server’s: ${what}`, 'ms', (start) => [
        start.ours,
        start.floor,
      ]),
    ),
    inform(`first start, until all lists are there: ${what}`, milliseconds(firstMs)),
  ];
}

async function timed(start: () => Promise<Process>): Promise<number> {
  const beganMs = performance.now();
  const started = await start();
  const tookMs = performance.now() - beganMs;
  await started.end();
  return tookMs;
}

const root = temporaryDirectory();
try {
  const figures: Figure[] = [];
  const directory = join(root, 'small');
  await seedDirectory(directory, makeFlags(FLAGS, { seed: 5 }));
  const upstream = await startService(directory);
  const relay = await startRelay(upstream.url, join(root, 'small-relay'), [CLIENT_TOKEN]);
  await askAll(relay.url, [CLIENT_TOKEN]);
  figures.push(...(await rates(upstream, relay)), await changeTimes(upstream, relay));
  await relay.end();
  await upstream.end();
  if (LARGE_FLAGS > 0) figures.push(...(await large(root)));
  finish('A relay in front of Burgee', figures);
} finally {
  removeDirectory(root);
}
