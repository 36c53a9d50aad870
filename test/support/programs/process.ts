import { type ChildProcess, spawn } from 'node:child_process';
import { freePort } from '../../../bench/support/free-port.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../service.ts';
import { BUILT_PROGRAM } from './built-program.ts';

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** What it wrote to standard error so far. */
  readonly log: () => string;
  /** What it wrote to standard output so far. */
  readonly output: () => string;
  /** Resolves with the exit code, or null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Sends the signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the built service in its own process. Does not wait until it serves. */
export async function spawnService(
  directory: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const port = env.HTTP_PORT ?? String(await freePort());
  const child = spawn(process.execPath, [BUILT_PROGRAM], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: port,
      DATA_DIR: directory,
      LOG_LEVEL: 'warn',
      INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
      INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
      INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
      ...env,
    },
  });
  let log = '';
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    log += chunk.toString();
  });
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    log: () => log,
    output: () => output,
    exited,
    end(signal = 'SIGTERM') {
      child.kill(signal);
      return exited;
    },
  };
}

/** Resolves when the process answers `/ready` with 200; throws with its log when it ends before. */
export async function untilReady(service: ServiceProcess, timeoutMs = 60_000): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  let ended = false;
  void service.exited.then(() => {
    ended = true;
  });
  while (Date.now() < deadlineMs) {
    if (ended) throw new Error(`the service ended before it was ready: ${service.log()}`);
    const answer = await fetch(`${service.url}/ready`).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new Error(`the service was not ready in time: ${service.log()}`);
}
