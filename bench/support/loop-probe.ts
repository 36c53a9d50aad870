import { readFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';

export interface LoopHolds {
  /** The longest time between two ticks of a timer that is due every millisecond, minus that millisecond. */
  readonly longestMs: number;
  /** The longest processor time of this thread in one such interval. The rest is waiting for a processor, which depends on the machine, not on the service. */
  readonly longestOwnMs: number;
  /** The same without the pauses of the garbage collector: how long code did not give the event loop back. */
  readonly longestOfCodeMs: number;
}

const TICK_MS = 1;
/** Shorter holds are not compared with pauses of the garbage collector. */
const SHORT_MS = 2;
/** Number of holds that are kept for the comparison. */
const KEPT_MAX = 1_000;

interface Hold {
  readonly fromMs: number;
  readonly toMs: number;
  readonly ownMs: number;
}

/** Measures how long this thread's event loop is blocked. Costs about ten microseconds a millisecond. */
export class LoopProbe {
  readonly #timer: NodeJS.Timeout;
  readonly #collections: PerformanceObserver;
  /** Start and duration of each pause of the garbage collector. Node reports them some turns later. */
  #pauses: (readonly [startMs: number, durationMs: number])[] = [];
  #holds: Hold[] = [];
  #lastMs = performance.now();
  #lastCpuMs = threadCpuMs();
  #longestMs = 0;
  #longestOwnMs = 0;

  constructor() {
    this.#collections = new PerformanceObserver((list) => this.#note(list.getEntries()));
    this.#collections.observe({ entryTypes: ['gc'] });
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** The longest times since the last call. */
  take(): LoopHolds {
    this.#note(this.#collections.takeRecords());
    const holds = {
      longestMs: this.#longestMs,
      longestOwnMs: this.#longestOwnMs,
      longestOfCodeMs: Math.max(0, ...this.#holds.map((hold) => hold.ownMs - this.#pausedMs(hold))),
    };
    this.#holds = [];
    this.#pauses = [];
    this.#longestMs = 0;
    this.#longestOwnMs = 0;
    this.#lastMs = performance.now();
    this.#lastCpuMs = threadCpuMs();
    return holds;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#collections.disconnect();
  }

  #note(entries: readonly { readonly startTime: number; readonly duration: number }[]): void {
    for (const { startTime, duration } of entries) this.#pauses.push([startTime, duration]);
  }

  #pausedMs({ fromMs, toMs }: Hold): number {
    let sum = 0;
    for (const [startMs, durationMs] of this.#pauses)
      sum += Math.max(0, Math.min(startMs + durationMs, toMs) - Math.max(startMs, fromMs));
    return sum;
  }

  #tick(): void {
    const [nowMs, cpuMs] = [performance.now(), threadCpuMs()];
    const heldMs = nowMs - this.#lastMs - TICK_MS;
    const ownMs = Math.min(heldMs, cpuMs - this.#lastCpuMs);
    if (ownMs > SHORT_MS && this.#holds.length < KEPT_MAX)
      this.#holds.push({ fromMs: this.#lastMs, toMs: nowMs, ownMs });
    this.#longestMs = Math.max(this.#longestMs, heldMs);
    this.#longestOwnMs = Math.max(this.#longestOwnMs, ownMs);
    this.#lastMs = nowMs;
    this.#lastCpuMs = cpuMs;
  }
}

/** Processor time of the main thread, whose id is that of its process. 0 if the kernel does not report it. */
function threadCpuMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}
