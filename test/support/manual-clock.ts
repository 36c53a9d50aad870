import { type Clock, onAbort } from '../../src/base/clock.ts';

/** A clock whose time passes only when a test advances it. */
export class ManualClock implements Clock {
  #nowMs: number;
  #sleepers: { wakeMs: number; wake: () => void }[] = [];

  constructor(nowMs = Date.parse('2026-01-01T00:00:00.000Z')) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  /** The number of calls of `sleep` that have not ended. */
  get sleeperCount(): number {
    return this.#sleepers.length;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        stopWaiting();
        this.#sleepers = this.#sleepers.filter((sleeper) => sleeper.wake !== wake);
        resolve();
      };
      this.#sleepers.push({ wakeMs: this.#nowMs + delayMs, wake });
      const stopWaiting = signal ? onAbort(signal, wake) : () => {};
    });
  }

  /** Advances the time, and wakes the sleepers that are due. */
  advance(byMs: number): void {
    this.#nowMs += byMs;
    const due = this.#sleepers.filter(({ wakeMs }) => wakeMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ wakeMs }) => wakeMs > this.#nowMs);
    for (const { wake } of due) wake();
  }
}
