import { basename } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { GivenUp } from '../model/surplus-mark.ts';
import { State } from '../state/state.ts';
import type { LossPolicy } from '../stores/course.ts';
import type { LogLoss, SharedStore } from '../stores/shared-store.ts';
import type { AppendGate } from './append-gate.ts';
import type { Replica } from './replica.ts';
import { RecentCommits, type Surplus, saveSurplus } from './surplus.ts';

/** Between two tries to settle a loss. */
const RETRY_MS = 200;

/** What became of losses since this process began. For people, `/ready` and gauges. */
export interface LossCounts {
  readonly found: number;
  /** Settled by putting this replica's state into the store. */
  readonly refilled: number;
  /** Settled by taking the store's state for this replica's. */
  readonly adopted: number;
  /** Commits that this replica had applied and gave up with that. */
  readonly givenUp: number;
  /** Where the newest of these were written down, or the copy that holds them was put; null when nothing was given up. */
  readonly surplus: string | null;
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
  /** Where what is given up is written down. */
  readonly directory: string;
  /** Puts the copy on the disk aside. Resolves with where it is then. */
  readonly setCopyAside: () => Promise<string>;
  /** Commits of this replica's state are not part of the history any more. */
  readonly tellSurplus?: (given: GivenUp) => void;
}

/**
 * Settles what happens when the store holds less than this replica knows, or another history. With the policy `halt` it only tells; with
 * `refill` the replica that knows most puts its state into the store, and one that knows commits which the others went on without takes
 * theirs. Never both: no commit is decided on a state that is not the store's.
 */
export class LossKeeper {
  readonly #parts: LossKeeperParts;
  readonly #closing = new AbortController();
  readonly #counts = { found: 0, refilled: 0, adopted: 0, givenUp: 0, surplus: null as string | null };
  readonly #recent: RecentCommits;
  #isLost = false;
  /** Where the state stood when it was last looked at before a refill. */
  #stoodAt = -1;
  #working: Promise<void> | undefined;

  constructor(parts: LossKeeperParts) {
    this.#parts = parts;
    this.#recent = new RecentCommits(parts.replica);
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
    return loss.kind === 'superseded' || (loss.kind === 'foreign' && !this.#parts.hasJoined());
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
    const { position } = store;
    const surplus = { position, commonSeq: Math.min(loss.commonSeq, position.seq) };
    replica.distrust();
    await gate.settled();
    const before = new State();
    before.replaceWith(replica.state);
    const commits = this.#recent.after(surplus.commonSeq);
    // On the disk before it is gone from memory: whatever happens from here on, what was acknowledged leaves a trace.
    const saved = commits && hasJoined() ? await this.#save(surplus, commits, before) : null;
    const aside = saved ? undefined : await setCopyAside();
    // The server may have lost what this was given up for: then it is not.
    if (store.loss?.kind !== loss.kind) {
      replica.trust();
      return;
    }
    gate.forget();
    this.#counts.adopted += 1;
    this.#counts.givenUp += position.seq - surplus.commonSeq;
    await store.adopt();
    if (hasJoined()) await replica.catchUp();
    this.#counts.surplus = saved ?? (hasJoined() ? await this.#save(surplus, null, before) : null) ?? aside ?? null;
    if (position.seq > surplus.commonSeq) this.#tellSurplus(surplus);
    const { seq } = position;
    logger.error(
      { ...loss, seq, aside, surplus: this.#counts.surplus },
      'took the history of Redis; commits that only this replica knew are not part of it',
    );
  }

  #tellSurplus({ position: { epoch, writeId, seq: throughSeq }, commonSeq }: Surplus): void {
    const { surplus } = this.#counts;
    const file = surplus === null ? null : basename(surplus);
    this.#parts.tellSurplus?.({ epoch, writeId, fromSeq: commonSeq + 1, throughSeq, file });
  }

  /** Null when it cannot be written: that is told, and does not hold up the replica. */
  async #save(surplus: Surplus, commits: ReturnType<RecentCommits['after']>, before: State): Promise<string | null> {
    const { directory, clock, logger, replica } = this.#parts;
    if (surplus.position.seq === surplus.commonSeq) return null;
    try {
      return await saveSurplus(directory, surplus, commits, { before, after: replica.state }, clock);
    } catch (error) {
      logger.fatal({ err: error, ...surplus }, 'what is given up could not be written down');
      return null;
    }
  }
}
