import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loggerTo } from '../../src/base/logger.ts';
import { ThreadPool } from '../../src/base/thread-pool.ts';

let folder: string;
let threads: ThreadPool;
let log: string[];

const WORKER = `export default () => 'answer';`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-thread-pool-'));
  const filename = join(folder, 'worker.mjs');
  writeFileSync(filename, WORKER);
  log = [];
  const logger = loggerTo(
    'error',
    (line) => log.push(line),
    () => performance.now(),
  );
  threads = new ThreadPool({ purpose: 'a test', logger, filename, minThreads: 0, maxThreads: 1, idleTimeout: 60_000 });
});
afterEach(async () => {
  await threads.close();
  rmSync(folder, { recursive: true });
});

it('starts nothing before its first use, and closes then', async () => {
  expect(threads.hasStarted).toBe(false);
  await threads.close();
  expect(threads.workers).toEqual([]);
});

it('logs the failure of a thread that has no task: it does not end the process', async () => {
  const pool = await threads.pool();
  expect(await pool.run(null)).toBe('answer');
  pool.emit('error', new Error('late'));
  expect(log.join()).toMatch(/"late".*"purpose":"a test".*"msg":"a thread failed without a task"/);
  expect(await pool.run(null)).toBe('answer');
});
