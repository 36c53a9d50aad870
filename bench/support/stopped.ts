import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process } from './service.ts';

/** Does `work` while the process is stopped: what it is sent meanwhile stays in its socket buffers, and is there all at once when it continues. */
export async function whileStopped<T>({ child }: Process, work: () => Promise<T>): Promise<T> {
  child.kill('SIGSTOP');
  try {
    while (!isStopped(child.pid)) await sleep(1);
    return await work();
  } finally {
    child.kill('SIGCONT');
  }
}

/** @throws Error when there is no such process any more. */
function isStopped(pid: number | undefined): boolean {
  return /^\d+ \(.*\) [Tt] /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
}
