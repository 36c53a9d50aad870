import { monitorEventLoopDelay } from 'node:perf_hooks';
import { agentClient, fetchClient, unleashSdk } from './kept/node-clients.ts';
import { type Client, Missing, type Outcome } from './kept/outcome.ts';
import { goClient, javaClient, pythonClient } from './kept/programs.ts';
import { behind } from './kept/proxies.ts';
import { DelayingProxy } from './support/delaying-proxy.ts';
import { makeFlags } from './support/flags.ts';
import { machine, setting } from './support/report.ts';
import { CLIENT_TOKEN, type Process, startSeededService } from './support/service.ts';

/**
 * What clients meet that keep their connections, and send the next request around the time at which the service closes connections without a request. Each
 * client has many callers, each with a connection of its own, GET and POST in turn, over a network with a delay for each direction.
 * "lost" are requests that arrived after the service had closed their connection; "failed" are those that the caller learns of, after what its client repeats.
 *
 * Arguments: names of clients (`--list` prints them; without any: all). BENCH_CALLERS (400, a multiple of 10), BENCH_REQUESTS for each caller (7),
 * BENCH_DELAYS in milliseconds (5,25), BENCH_PAUSE_MS from,to (6000,12500), HTTP_FRONT, SERVER_KEEPALIVE_TIMEOUT, BENCH_PYTHON (an interpreter with
 * `requests` and `UnleashClient`), BENCH_TOGETHER clients at the same time (2).
 */
const SAFE_RETRIES = ['retry-on conn-failure 503', 'http-request disable-l7-retry unless METH_GET'];
const CLIENTS: Readonly<Record<string, Client>> = {
  'unleash-sdk': unleashSdk,
  fetch: fetchClient,
  'agent-timeout-10s': agentClient(10_000),
  'agent-timeout-60s': agentClient(60_000),
  'agent-without-timeout': agentClient(undefined),
  go: goClient(),
  'go-7s': goClient('7s'),
  'python-requests': pythonClient('requests'),
  'python-sdk': pythonClient('sdk'),
  'java-httpclient': javaClient('client'),
  'java-httpclient-7s': javaClient('client', '-Djdk.httpclient.keepalive.timeout=7'),
  'java-urlconnection': javaClient('connection'),
  'nginx-default': behind({ program: 'nginx', lines: ['keepalive 64;'] }),
  'nginx-6s': behind({ program: 'nginx', lines: ['keepalive 64; keepalive_timeout 6s;'] }),
  'haproxy-default': behind({ program: 'haproxy', lines: SAFE_RETRIES }),
  'haproxy-close': behind({ program: 'haproxy', lines: [...SAFE_RETRIES, 'option http-server-close'] }),
  'haproxy-no-pool': behind({ program: 'haproxy', lines: SAFE_RETRIES, serverOptions: 'pool-max-conn 0' }),
};

const numbers = (name: string, fallback: string) => (process.env[name] ?? fallback).split(',').map(Number);
const CALLERS = setting('BENCH_CALLERS', 400);
const REQUESTS = setting('BENCH_REQUESTS', 7);
const TOGETHER = setting('BENCH_TOGETHER', 2);
const DELAYS = numbers('BENCH_DELAYS', '5,25');
const [PAUSE_MIN_MS = 6_000, PAUSE_MAX_MS = 12_500] = numbers('BENCH_PAUSE_MS', '6000,12500');

interface Row extends Outcome {
  readonly connections: number;
  readonly lost: number;
}

async function measure(service: Process, client: Client, delayMs: number): Promise<Row> {
  const network = new DelayingProxy(service.port, delayMs);
  try {
    const urls = await network.urls(CALLERS);
    const outcome = await client({
      ...{ urls, requests: REQUESTS, token: CLIENT_TOKEN },
      ...{ pauseMinMs: PAUSE_MIN_MS, pauseMaxMs: PAUSE_MAX_MS },
    });
    const { requests, failedGets, failedPosts, first } = outcome;
    return { requests, failedGets, failedPosts, first, connections: network.connections, lost: network.lost };
  } finally {
    await network.close();
  }
}

async function report(service: Process, name: string, client: Client): Promise<void> {
  for (const delayMs of DELAYS) {
    try {
      const { requests, connections, lost, failedGets, failedPosts, first } = await measure(service, client, delayMs);
      const failed = `${failedGets} GET, ${failedPosts} POST`;
      process.stdout.write(
        `| ${name} | ${delayMs} ms | ${requests} | ${connections} | ${lost} | ${failed} | ${first.slice(0, 120)} |\n`,
      );
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      process.stdout.write(`| ${name} | ${delayMs} ms | not run: ${error.message} |\n`);
      return;
    }
  }
}

const asked = process.argv.slice(2);
if (asked.includes('--list')) {
  process.stdout.write(`${Object.keys(CLIENTS).join('\n')}\n`);
  process.exit(0);
}
const unknown = asked.filter((name) => !Object.hasOwn(CLIENTS, name));
if (unknown.length > 0) {
  process.stderr.write(`there is no ${unknown.join(', ')}; there are ${Object.keys(CLIENTS).join(', ')}\n`);
  process.exit(1);
}
const env: Record<string, string> = {};
for (const name of ['HTTP_FRONT', 'SERVER_KEEPALIVE_TIMEOUT']) if (process.env[name]) env[name] = process.env[name];
/** Callers in this process, and the network, are late by this. */
const lateness = monitorEventLoopDelay({ resolution: 5 });
lateness.enable();
const service = await startSeededService(makeFlags(5, { seed: 1 }), { env });
try {
  process.stdout.write(
    `Kept connections (${machine()}; ${JSON.stringify(env)}; pauses ${PAUSE_MIN_MS} to ${PAUSE_MAX_MS} ms)\n`,
  );
  process.stdout.write(
    '| client | each way | requests | connections | lost | failed | the first failure |\n|---|---|---|---|---|---|---|\n',
  );
  const waiting = Object.entries(CLIENTS).filter(([name]) => asked.length === 0 || asked.includes(name));
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await report(service, ...next);
  };
  await Promise.all(Array.from({ length: TOGETHER }, worker));
  lateness.disable();
  const lateMs = (lateness.percentile(99) / 1e6 - 5).toFixed(0);
  process.stdout.write(`\nThe network and the callers of this process were late by ${lateMs} ms (p99).\n`);
} finally {
  await service.end();
}
