export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_MS = 365 * DAY_MS;

/** Where time comes from. Rings that must be deterministic take it as a value; actors take it as this port, so that tests can hold it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves after `delayMs`, or at once when `signal` aborts. Never keeps the process alive by itself. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      timer.unref();
      signal?.addEventListener('abort', done, { once: true });
    }),
};

/** RFC 3339, UTC, milliseconds: how every timestamp in state and answers is written. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
