import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import autocannon from 'autocannon';
import type { Process } from './service.ts';
import { removeDirectory, temporaryDirectory } from './temporary.ts';

interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationS: number;
  /** Sent with POST. Without it: GET. */
  readonly body?: string;
}

interface LoadResult {
  readonly requestsPerS: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were neither 2xx nor 304, and broken connections. A run is valid only if this is 0. */
  readonly errors: number;
}

/** Extra time that a load generator may take to print its results. */
const GRACE_S = 15;

const hasWrk = spawnSync('wrk', ['-v'], { timeout: 5_000 }).error === undefined;

/** Requests one URL as fast as the answers come: with wrk if it is installed, otherwise with autocannon, which uses more processor time itself. */
export function load(options: LoadOptions): Promise<LoadResult> {
  return hasWrk ? loadWithWrk(options) : loadWithAutocannon(options);
}

async function loadWithWrk(options: LoadOptions): Promise<LoadResult> {
  const { connections, durationS, url, body } = options;
  const directory = temporaryDirectory();
  try {
    const script = join(directory, 'request.lua');
    writeFileSync(script, body === undefined ? '' : `wrk.method = "POST"\nwrk.body = ${luaText(body)}\n`);
    const args = ['-t1', `-c${connections}`, `-d${durationS}s`, '--timeout', '10s', '--latency', '-s', script];
    for (const [name, value] of Object.entries(options.headers)) args.push('-H', `${name}: ${value}`);
    return parse(await output('wrk', [...args, url], durationS + GRACE_S));
  } finally {
    removeDirectory(directory);
  }
}

const luaText = (text: string): string =>
  `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;

async function output(command: string, args: readonly string[], timeoutS: number): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], timeout: timeoutS * 1000 });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  return text;
}

function parse(text: string): LoadResult {
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const time = (share: string) => {
    const [, value = '0', unit = 'ms'] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? [];
    return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1);
  };
  const requests = number(/(\d+) requests in/);
  if (requests === 0) throw new Error(`no request was answered:\n${text}`);
  const sockets = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const socketErrors = sockets ? sockets.slice(1).reduce((sum, count) => sum + Number(count), 0) : 0;
  return {
    requestsPerS: number(/Requests\/sec:\s+([\d.]+)/),
    requests,
    p50Ms: time('50'),
    p99Ms: time('99'),
    errors: number(/Non-2xx or 3xx responses: (\d+)/) + socketErrors,
  };
}

async function loadWithAutocannon(options: LoadOptions): Promise<LoadResult> {
  const { url, headers, connections, durationS, body } = options;
  const post = body === undefined ? {} : { method: 'POST' as const, body };
  const result = await autocannon({ url, headers: { ...headers }, connections, duration: durationS, ...post });
  return {
    requestsPerS: result.requests.average,
    requests: result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + (result.non2xx - (result.statusCodeStats?.['304']?.count ?? 0)),
  };
}

export interface Rate {
  readonly perS: number;
  /** Processor time of the server, microseconds a request: other work on the machine hardly affects it. */
  readonly cpuUs: number;
}

interface Asked extends Omit<LoadOptions, 'url' | 'durationS'> {
  readonly path: string;
  readonly seconds: number;
}

/** Sends requests to one server as fast as it answers, for one round. @throws Error when one fails */
export async function rateOf(server: Process, { path, seconds, ...asked }: Asked): Promise<Rate> {
  const before = server.cpuS();
  const result = await load({ url: server.url + path, durationS: seconds, ...asked });
  if (result.errors > 0) throw new Error(`${result.errors} requests for ${path} failed`);
  return { perS: result.requestsPerS, cpuUs: ((server.cpuS() - before) / result.requests) * 1e6 };
}
