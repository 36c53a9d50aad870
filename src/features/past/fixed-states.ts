import type { Asker } from '../../base/asking/asker.ts';
import { type Rejection, unavailable } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import { FixedState } from '../../state/fixed-state.ts';

/** How often work begins again because its state was lost. */
const ATTEMPTS_MAX = 8;

/** The states that are being read. Passes every commit to them. */
export class FixedStates {
  readonly #replica: Replica;
  readonly #inUse = new Set<FixedState>();

  constructor(replica: Replica) {
    this.#replica = replica;
    replica.onApplied((applied) => {
      for (const fixed of this.#inUse) fixed.apply(applied);
    });
  }

  /** Calls `read` with the state as it is now. `known`: a state of an earlier call, which is used again if no commit came since. */
  async reading<T>(read: (fixed: FixedState) => Promise<T>, known?: FixedState): Promise<T> {
    const { state } = this.#replica;
    const fixed = known?.seq === state.seq && !known.isLost ? known : new FixedState(state);
    this.#inUse.add(fixed);
    try {
      return await read(fixed);
    } finally {
      this.#inUse.delete(fixed);
    }
  }

  /** The state as it is now, for an answer whose rows are read while it is written. Commits of more than 128 changes are seen in later rows. */
  until(asker: Asker): FixedState {
    const fixed = new FixedState(this.#replica.state);
    this.#inUse.add(fixed);
    asker.onEnd(() => this.#inUse.delete(fixed));
    return fixed;
  }

  /** Does the work in slices, on the state as it is now; ordinary commits do not disturb it. `subject`: what the caller wants, for a rejection. */
  async work<T>(subject: string, asker: Asker, begin: (now: FixedState) => Steps<T>): Promise<T | Rejection> {
    for (let attempts = 0; attempts < ATTEMPTS_MAX; attempts++) {
      const done = await this.reading(async (now) => {
        const result = await inSlices(begin(now), Slicer.of(asker));
        return now.isLost ? undefined : { result };
      });
      if (done) return done.result;
    }
    return unavailable(`The state is replaced too often to make ${subject} now. Try again.`, 1);
  }
}
