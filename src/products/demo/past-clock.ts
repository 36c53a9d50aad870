import { assert } from '../../base/assert.ts';
import { type Clock, DAY_MS, systemClock } from '../../base/clock.ts';

/** Every change takes this long, so that the changes of one day have different times. */
const CHANGE_MS = 40_000;

/**
 * A clock that is set while the data of the demo is created, so that its history covers several weeks. Its time never goes back. After `release`,
 * it is the given clock. Waiting always takes real time.
 */
export class PastClock implements Clock {
  readonly endMs: number;
  #atMs: number | null;
  readonly #after: Pick<Clock, 'nowMs'>;

  /** `startDays`: how many days before `endMs` the history begins. `after`: the clock that is used after `release`. */
  constructor(endMs: number, startDays: number, after: Pick<Clock, 'nowMs'> = systemClock) {
    this.endMs = endMs;
    this.#atMs = endMs - startDays * DAY_MS;
    this.#after = after;
  }

  nowMs(): number {
    return this.#atMs ?? this.#after.nowMs();
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(delayMs, signal);
  }

  /** Moves the time forward to this many days before the end. */
  moveTo(daysBefore: number): void {
    const atMs = this.endMs - Math.round(daysBefore * DAY_MS);
    assert(this.#atMs !== null && atMs >= this.#atMs, `the time of the demo goes back to ${daysBefore} days`);
    this.#atMs = atMs;
  }

  /** Moves the time forward by the duration of one change. */
  pass(): void {
    if (this.#atMs !== null) this.#atMs = Math.min(this.endMs, this.#atMs + CHANGE_MS);
  }

  release(): void {
    this.#atMs = null;
  }
}
