import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { LossPolicy } from '../stores/course.ts';
import type { LogLoss, SharedStore } from '../stores/shared-store.ts';
import type { AppendGate } from './append-gate.ts';
import type { Replica } from './replica.ts';

/** Between two tries to settle a loss. */
const RETRY_MS = 200;

/** What became of losses since this process began. For people, `/ready` and gauges. */
export interface LossCounts {
  readonly found: number;
  /** Settled by putting this replica's state into the store. */
  readonly refilled: number;
  /** Settled by taking the store's state for this replica's. */
  readonly adopted: number;
}

export interface LossKeeperParts {
  readonly replica: Replica;
  readonly store: SharedStore;
  readonly gate: AppendGate;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly policy: LossPolicy;
  /** Whether this replica's state ever stood at the log's tip. If not, it is a copy from the disk. */
  readonly hasJoined: () => boolean;
  /** Puts the copy on the disk aside. Resolves with where it is then. */
  readonly setCopyAside: () => Promise<string>;
}

/**
 * Settles what happens when the store holds less than this replica knows, or another history. With the policy `halt` it only tells; with
 * `refill` the replica that knows most puts its state into the store, and one that knows commits which the others went on without takes
 * theirs. Never both: no commit is decided on a state that is not the store's.
 */
export class LossKeeper {
  readonly #parts: LossKeeperParts;
  readonly #closing = new AbortController();
  readonly #counts = { found: 0, refilled: 0, adopted: 0 };
  #isLost = false;
  /** Where the state stood when it was last looked at before a refill. */
  #stoodAt = -1;
  #working: Promise<void> | undefined;

  constructor(parts: LossKeeperParts) {
    this.#parts = parts;
    parts.store.onLoss((loss) => this.#onLoss(loss));
  }

  get counts(): LossCounts {
    return { ...this.#counts };
  }

  get policy(): LossPolicy {
    return this.#parts.policy;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#working;
  }

  #onLoss(loss: LogLoss | null): void {
    const { policy, logger } = this.#parts;
    if (loss && !this.#isLost) {
      this.#counts.found += 1;
      if (policy === 'halt') {
        logger.fatal({ ...loss }, 'REDIS_ON_LOSS=halt: writes are refused until somebody has put Redis right');
      }
    }
    this.#isLost = loss !== null;
    if (this.#mayAct(loss)) this.#working ??= this.#work();
  }

  #mayAct(loss: LogLoss | null): loss is LogLoss {
    if (!loss || this.#parts.policy === 'halt' || this.#closing.signal.aborted) return false;
    // A state that is about to be exchanged is of another history than what is claimed.
    if (loss.kind === 'behind') return loss.mayRefill && !this.#parts.replica.isForeign;
    // Another history took the place of this one while this process was running: which one counts is not for it to say.
    return loss.kind === 'superseded' || !this.#parts.hasJoined();
  }

  async #work(): Promise<void> {
    const { store, clock, logger } = this.#parts;
    for (;;) {
      const { loss } = store;
      if (!this.#mayAct(loss)) break;
      try {
        if (loss.kind === 'behind') await this.#refill(loss);
        else await this.#adopt(loss);
      } catch (error) {
        logger.error({ err: error }, 'the loss could not be settled yet');
      }
      await clock.sleep(RETRY_MS, this.#closing.signal);
    }
    this.#working = undefined;
  }

  async #refill(loss: LogLoss): Promise<void> {
    const { replica, store, gate } = this.#parts;
    const { state } = replica;
    // What was read or appended is about to be applied. If it is not, the store has to know.
    if (state.seq < loss.known.seq && state.seq !== this.#stoodAt) {
      this.#stoodAt = state.seq;
      return;
    }
    const { seq, lastEventId } = state;
    const outcome = await store.refill({ seq, lastEventId, pieces: replica.snapshot(), events: gate.events });
    if (outcome === 'refilled') this.#counts.refilled += 1;
  }

  async #adopt(loss: LogLoss): Promise<void> {
    const { replica, store, gate, logger, hasJoined, setCopyAside } = this.#parts;
    const { seq } = replica.state;
    replica.distrust();
    await gate.settled();
    gate.forget();
    const aside = hasJoined() ? undefined : await setCopyAside();
    await store.adopt();
    if (hasJoined()) await replica.catchUp();
    this.#counts.adopted += 1;
    logger.error({ ...loss, seq, aside }, 'took the history of Redis; commits that only this replica knew are gone');
  }
}
