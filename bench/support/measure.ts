import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { LoopProbe } from './loop-probe.ts';

/** Processor time of this process so far, all threads, in milliseconds: other work on the machine does not count. */
export function ownCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Processor time of the work, in milliseconds. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = ownCpuMs();
  await work();
  return ownCpuMs() - before;
}

export interface Timed {
  readonly cpuMs: number;
  readonly ms: number;
  /** The longest time for which the event loop was blocked, by processor time of its own thread. */
  readonly heldMs: number;
}

export async function timed(probe: LoopProbe, work: () => unknown): Promise<Timed> {
  probe.take();
  const startedMs = performance.now();
  const spentMs = await cpuMs(work);
  return { cpuMs: spentMs, ms: performance.now() - startedMs, heldMs: probe.take().longestOwnMs };
}

let collect: (() => void) | undefined;

/** Heap and buffers after a collection. */
export function heldBytes(): number {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
