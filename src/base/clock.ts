export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const YEAR_MS = 365 * DAY_MS;

/** The source of the time. Deterministic code gets the time as a value; actors get this interface, so that tests can control the time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Resolves after `delayMs`, or immediately when `signal` aborts. The timer does not keep the process alive. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  sleep: (delayMs, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        stopWaiting();
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      timer.unref();
      const stopWaiting = signal ? onAbort(signal, done) : () => {};
    }),
};

/** Signal → what is called when it aborts. No set is empty. */
const waiting = new WeakMap<AbortSignal, { readonly calls: Set<() => void>; readonly listener: () => void }>();

/**
 * Calls `call` when the signal aborts, which it has not done yet; the returned function ends the wait. All waits of one signal share one listener:
 * Node takes more than ten listeners for a leak, and warns.
 */
export function onAbort(signal: AbortSignal, call: () => void): () => void {
  let waits = waiting.get(signal);
  if (!waits) {
    const calls = new Set<() => void>();
    const listener = () => {
      for (const each of calls) each();
    };
    waits = { calls, listener };
    waiting.set(signal, waits);
    signal.addEventListener('abort', listener, { once: true });
  }
  const { calls, listener } = waits;
  calls.add(call);
  return () => {
    if (!calls.delete(call) || calls.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', listener);
  };
}

/** The format of every timestamp in the state and in answers: RFC 3339, UTC, with milliseconds. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
