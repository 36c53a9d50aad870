import { readFileSync } from 'node:fs';

export interface LoopHolds {
  /** The longest time between two ticks of a timer that is due every millisecond, minus that millisecond. */
  readonly longestMs: number;
  /** The longest processor time of this thread in one such interval. The rest is waiting for a processor, which depends on the machine, not on the service. */
  readonly longestOwnMs: number;
}

const TICK_MS = 1;

/** Measures how long this thread's event loop is blocked. Costs about ten microseconds a millisecond. */
export class LoopProbe {
  readonly #timer: NodeJS.Timeout;
  #lastMs = performance.now();
  #lastCpuMs = threadCpuMs();
  #longestMs = 0;
  #longestOwnMs = 0;

  constructor() {
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** The longest times since the last call. */
  take(): LoopHolds {
    const holds = { longestMs: this.#longestMs, longestOwnMs: this.#longestOwnMs };
    this.#longestMs = 0;
    this.#longestOwnMs = 0;
    this.#lastMs = performance.now();
    this.#lastCpuMs = threadCpuMs();
    return holds;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const [nowMs, cpuMs] = [performance.now(), threadCpuMs()];
    const heldMs = nowMs - this.#lastMs - TICK_MS;
    this.#longestMs = Math.max(this.#longestMs, heldMs);
    this.#longestOwnMs = Math.max(this.#longestOwnMs, Math.min(heldMs, cpuMs - this.#lastCpuMs));
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
