import type { State } from '../state/state.ts';

/** Requests that may wait for a revision at a time. One more gets 503 at once: bounds memory when the store is away. */
const WAITERS_MAX = 1_000;

interface Waiter {
  readonly revision: number;
  readonly settle: (isThere: boolean) => void;
}

/** Those who wait until the state holds a revision: reading one's writes on another replica. */
export class RevisionWaiters {
  readonly #state: State;
  readonly #waiters = new Set<Waiter>();

  constructor(state: State) {
    this.#state = state;
  }

  /** Resolves with true when the state holds the revision, with false when it does not in time. */
  wait(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.#state.seq >= revision) return Promise.resolve(true);
    if (this.#waiters.size >= WAITERS_MAX) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        settle: (isThere) => {
          this.#waiters.delete(waiter);
          clearTimeout(timer);
          resolve(isThere);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  /** The state has moved on. Costs one comparison when no request waits. */
  wake(): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) if (waiter.revision <= this.#state.seq) waiter.settle(true);
  }

  /** Ends all waiting. */
  close(): void {
    for (const waiter of this.#waiters) waiter.settle(false);
  }
}
