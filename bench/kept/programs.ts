import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory } from '../support/temporary.ts';
import { type Client, METRICS_BODY, Missing, type Outcome, type Plan } from './outcome.ts';

/** The sources are not compiled, and are read where they stand. */
const SOURCES = fileURLToPath(new URL('../../bench/kept/programs/', new URL('../', import.meta.url)));

const has = (program: string, ...args: string[]) => spawnSync(program, args, { stdio: 'ignore' }).error === undefined;

const source = (name: string) => join(SOURCES, name);

/** Runs a program with the plan, and reads its result. */
async function run(
  command: string,
  before: readonly string[],
  plan: Plan,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { requests, pauseMinMs, pauseMaxMs, token, urls } = plan;
  const args = [...before, requests, pauseMinMs, pauseMaxMs, token, METRICS_BODY, ...urls].map(String);
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } });
  let [text, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (text += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (errors.startsWith('missing: ')) throw new Missing(errors.trim());
  const found = /^(\d+) (\d+) (\d+) ?(.*)$/.exec(text.trimEnd());
  if (code !== 0 || !found) throw new Error(`${command} ended with ${code}: ${errors.slice(-1_000)}`);
  const [, all, gets, posts, first = ''] = found;
  return { requests: Number(all), failedGets: Number(gets), failedPosts: Number(posts), first };
}

/** Go's net/http with its default settings, or with this time after which it closes idle connections. */
export function goClient(idleTimeout = ''): Client {
  return (plan) => {
    if (!has('go', 'version')) throw new Missing('go is not installed');
    const program = join(temporaryDirectory(), 'client');
    const built = spawnSync('go', ['build', '-o', program, source('client.go')], { encoding: 'utf8' });
    if (built.status !== 0) throw new Error(built.stderr);
    return run(program, [], plan, { IDLE_TIMEOUT: idleTimeout });
  };
}

/** `requests`, or Unleash's SDK for Python. BENCH_PYTHON names an interpreter that has them. */
export function pythonClient(way: 'requests' | 'sdk'): Client {
  return (plan) => {
    const python = process.env.BENCH_PYTHON ?? 'python3';
    if (!has(python, '--version')) throw new Missing(`${python} is not installed`);
    return run(python, [source('client.py'), way], plan);
  };
}

/** The JDK's `HttpClient`, or its `HttpURLConnection`. */
export function javaClient(way: 'client' | 'connection', ...options: readonly string[]): Client {
  return (plan) => {
    if (!has('java', '-version')) throw new Missing('java is not installed');
    return run('java', [...options, source('Client.java'), way], plan);
  };
}
