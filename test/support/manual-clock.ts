import type { Clock } from '../../src/base/clock.ts';

/** Time that passes when a test says so. */
export class ManualClock implements Clock {
  #nowMs: number;
  #sleepers: { wakeMs: number; wake: () => void }[] = [];

  constructor(nowMs = Date.parse('2026-01-01T00:00:00.000Z')) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = () => {
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#sleepers.push({ wakeMs: this.#nowMs + delayMs, wake });
      signal?.addEventListener('abort', wake);
    });
  }

  /** Lets time pass, and wakes those whose time has come. */
  advance(byMs: number): void {
    this.#nowMs += byMs;
    const due = this.#sleepers.filter(({ wakeMs }) => wakeMs <= this.#nowMs);
    this.#sleepers = this.#sleepers.filter(({ wakeMs }) => wakeMs > this.#nowMs);
    for (const { wake } of due) wake();
  }
}
