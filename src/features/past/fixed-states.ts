import type { Asker } from '../../base/asking/asker.ts';
import { type Rejection, unavailable } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import { FixedState } from '../../state/fixed-state.ts';
import type { AppliedCommit } from '../../state/state.ts';

/** How often work begins again because its state was lost. */
const ATTEMPTS_MAX = 8;

/**
 * Maximum number of entities that one commit adds to the states of answers, about 4 µs each, and that these states keep, about 200 bytes each. A reader
 * may take minutes for an answer, and there may be thousands of readers.
 */
const ADDED_MAX = 1_024;
const KEPT_MAX = 100_000;

/** The states that are being read. Passes every commit to them. */
export class FixedStates {
  readonly #replica: Replica;
  readonly #inUse = new Set<FixedState>();
  /** The states of answers that are being written, the oldest first, with the number of these answers. */
  readonly #ofAnswers = new Map<FixedState, number>();
  #newest: FixedState | undefined;

  constructor(replica: Replica) {
    this.#replica = replica;
    replica.onApplied((applied) => {
      for (const fixed of this.#inUse) fixed.apply(applied);
      this.#applyToAnswers(applied);
    });
    replica.onReplaced(() => {
      for (const fixed of this.#ofAnswers.keys()) this.#release(fixed);
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

  /**
   * The state as it is now, for an answer whose rows are read while it is written. All answers that begin at one moment share it. Later rows are those of
   * the current state after a commit of more than 128 changes, or if older answers and commits are so many that not all states can be kept.
   */
  until(asker: Asker): FixedState {
    const { state } = this.#replica;
    const newest = this.#newest;
    const isCurrent = newest?.seq === state.seq && !newest.isLost;
    const fixed = isCurrent ? newest : new FixedState(state);
    this.#newest = fixed;
    this.#ofAnswers.set(fixed, (this.#ofAnswers.get(fixed) ?? 0) + 1);
    asker.onEnd(() => this.#endAnswer(fixed));
    return fixed;
  }

  #endAnswer(fixed: FixedState): void {
    const rest = (this.#ofAnswers.get(fixed) ?? 0) - 1;
    if (rest > 0) this.#ofAnswers.set(fixed, rest);
    else this.#release(fixed);
  }

  /** Keeps the states of as many answers as a commit may cost, the newest ones: most answers are short. */
  #applyToAnswers(applied: AppliedCommit): void {
    const states = this.#ofAnswers;
    for (const oldest of states.keys()) {
      if (!applied.bulk && states.size * applied.changes.length <= ADDED_MAX) break;
      this.#release(oldest);
    }
    let kept = 0;
    for (const fixed of states.keys()) {
      fixed.apply(applied);
      kept += fixed.kept;
    }
    for (const oldest of states.keys()) {
      if (kept <= KEPT_MAX) break;
      kept -= oldest.kept;
      this.#release(oldest);
    }
  }

  #release(fixed: FixedState): void {
    this.#ofAnswers.delete(fixed);
    if (this.#newest === fixed) this.#newest = undefined;
    fixed.release();
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
