import type { State } from '../state/state.ts';

/** The most requests that wait for a revision at the same time. This limits the memory that they use while the store cannot be reached. */
const WAITERS_MAX = 1_000;

interface Waiter {
  readonly revision: number;
  readonly settle: (hasRevision: boolean) => void;
}

/** Requests that wait until the state contains a revision, so that a client can read on one replica what it wrote on another one. */
export class RevisionWaiters {
  readonly #state: State;
  readonly #waiters = new Set<Waiter>();

  constructor(state: State) {
    this.#state = state;
  }

  /** Resolves with true when the state contains the revision. Resolves with false after `timeoutMs`, or immediately when too many requests wait. */
  wait(revision: number, timeoutMs: number): Promise<boolean> {
    if (this.#state.seq >= revision) return Promise.resolve(true);
    if (this.#waiters.size >= WAITERS_MAX) return Promise.resolve(false);
    return new Promise((resolve) => {
      const waiter: Waiter = {
        revision,
        settle: (hasRevision) => {
          this.#waiters.delete(waiter);
          clearTimeout(timer);
          resolve(hasRevision);
        },
      };
      const timer = setTimeout(() => waiter.settle(false), timeoutMs);
      this.#waiters.add(waiter);
    });
  }

  /** Called when the state has a new revision. Costs one comparison when no request waits. */
  wake(): void {
    if (this.#waiters.size === 0) return;
    for (const waiter of this.#waiters) if (waiter.revision <= this.#state.seq) waiter.settle(true);
  }

  /** Resolves all waits with false. */
  close(): void {
    for (const waiter of this.#waiters) waiter.settle(false);
  }
}
