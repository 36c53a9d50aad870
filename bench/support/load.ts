import { spawn, spawnSync } from 'node:child_process';
import autocannon from 'autocannon';

export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationS: number;
}

export interface LoadResult {
  readonly requestsPerS: number;
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were neither 2xx nor 304, and broken connections. Anything but 0 spoils the run. */
  readonly errors: number;
}

export const hasWrk = spawnSync('wrk', ['-v']).error === undefined;

/** Asks for one URL as fast as the answers come: with wrk where it is installed, else with autocannon, which costs more itself. */
export function load(options: LoadOptions): Promise<LoadResult> {
  return hasWrk ? loadWithWrk(options) : loadWithAutocannon(options);
}

async function loadWithWrk({ url, headers, connections, durationS }: LoadOptions): Promise<LoadResult> {
  const args = ['-t1', `-c${connections}`, `-d${durationS}s`, '--latency'];
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`);
  const child = spawn('wrk', [...args, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? 0);
  const time = (share: string) => {
    const [, value = '0', unit = 'ms'] = new RegExp(`${share}%\\s+([\\d.]+)(us|ms|s)`).exec(text) ?? [];
    return Number(value) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1);
  };
  const sockets = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(text);
  const socketErrors = sockets ? sockets.slice(1).reduce((sum, count) => sum + Number(count), 0) : 0;
  return {
    requestsPerS: number(/Requests\/sec:\s+([\d.]+)/),
    requests: number(/(\d+) requests in/),
    p50Ms: time('50'),
    p99Ms: time('99'),
    errors: number(/Non-2xx or 3xx responses: (\d+)/) + socketErrors,
  };
}

async function loadWithAutocannon({ url, headers, connections, durationS }: LoadOptions): Promise<LoadResult> {
  const result = await autocannon({ url, headers: { ...headers }, connections, duration: durationS });
  return {
    requestsPerS: result.requests.average,
    requests: result.requests.total,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + (result.non2xx - (result.statusCodeStats?.['304']?.count ?? 0)),
  };
}
