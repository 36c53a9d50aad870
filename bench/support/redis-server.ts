import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';
import { removeDirectory, temporaryDirectory } from './temporary.ts';

/** From `dist/bench/support`. */
const CONFIG = fileURLToPath(new URL('../../../redis.conf', import.meta.url));
const START_TIMEOUT_MS = 10_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export interface RedisProcess {
  readonly url: string;
  /** Stops and continues the process (SIGSTOP, SIGCONT): a stopped server accepts connections but does not answer. */
  stop(): void;
  go(): void;
  end(): Promise<void>;
}

/** A real redis-server with the repository's redis.conf, on a free port, in a directory that is removed with it. @throws Error when it does not start */
export async function startRedis(): Promise<RedisProcess> {
  const directory = temporaryDirectory();
  const port = await freePort();
  const args = [CONFIG, '--port', String(port), '--bind', '127.0.0.1', '--dir', directory];
  const child = spawn('redis-server', args, { stdio: 'ignore', cwd: directory });
  running.add(child);
  const ended = new Promise<void>((resolve) => {
    const settle = () => {
      running.delete(child);
      resolve();
    };
    child.once('close', settle);
    child.once('error', settle);
  });
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (!(await answers(port))) {
    const isGone = !running.has(child);
    if (isGone || performance.now() > deadlineMs) throw new Error('redis-server does not start: is it installed?');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: () => void child.kill('SIGSTOP'),
    go: () => void child.kill('SIGCONT'),
    async end() {
      child.kill('SIGKILL');
      await ended;
      removeDirectory(directory);
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
    const settle = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', (data) => settle(data.toString().startsWith('+PONG')));
    socket.once('error', () => settle(false));
    socket.once('timeout', () => settle(false));
  });
}
