import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type AppliedCommit, State } from '../state/state.ts';
import type { LossPolicy } from '../stores/recovery-action.ts';
import type { LogLoss, SharedStore } from '../stores/shared-store.ts';
import type { AppendGate } from './append-gate.ts';
import type { Divergence } from './divergent-commits.ts';
import { RecentCommits } from './recent-commits.ts';
import type { Replica } from './replica.ts';

/** The pause between two attempts to settle a loss. */
const RETRY_MS = 200;
/** The pause between two attempts to write divergent commits to a file, for example while the disk is full. */
const WRITE_RETRY_MS = 2_000;
/**
 * The most sets of divergent commits that wait to be written to a file. More than one set waits only if histories diverge repeatedly while the disk
 * is full.
 */
const UNWRITTEN_MAX = 4;

/**
 * The discarded commits. `commits` is null when they are not known any more; then the state `before`, which contains them, is compared with the valid
 * state.
 */
interface Unwritten {
  readonly divergence: Divergence;
  readonly commits: Iterable<AppliedCommit> | null;
  readonly before: State;
}

/** The number of losses since this process began, for users, `/ready` and gauges. */
export interface LossCounts {
  readonly found: number;
  /** Losses that were settled because this replica wrote its state into the store. */
  readonly refilled: number;
  /** Losses that were settled because this replica loaded the state of the store. */
  readonly adopted: number;
  /** Commits that this replica had applied, and discarded when it loaded the state of the store. */
  readonly givenUp: number;
  /**
   * The path of the file with the newest discarded commits, or of the state that contains them; `/ready` shows it. Null when no commits were
   * discarded, or when they could not be written.
   */
  readonly surplus: string | null;
}

interface LossKeeperParts {
  readonly replica: Replica;
  readonly store: SharedStore;
  readonly gate: AppendGate;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Logger;
  readonly policy: LossPolicy;
  /** Whether the state has reached the log's tip since the process began. If not, it is the state of the local copy. */
  readonly hasJoined: () => boolean;
  /** See `saveDivergentCommits`. Resolves with the path of the file. */
  readonly saveDivergentCommits: (
    divergence: Divergence,
    commits: Iterable<AppliedCommit> | null,
    states: { readonly before: State; readonly after: State },
  ) => Promise<string>;
  /** Saves the state under another name than the local copy. Resolves with the path; null when it could not be written. */
  readonly setCopyAside: () => Promise<string | null>;
}

/**
 * Handles a store that has less than this replica knows, or another history. With the policy `halt`, it only reports the loss. With `refill`, the
 * replica that knows most writes its state into the store, and a replica with commits that the others do not have adopts the state of the store. One
 * loss is settled in only one of these ways, so no commit is decided on a state that differs from the store's.
 */
export class LossKeeper {
  readonly #parts: LossKeeperParts;
  readonly #closing = new AbortController();
  readonly #counts = { found: 0, refilled: 0, adopted: 0, givenUp: 0, surplus: null as string | null };
  readonly #recent: RecentCommits;
  /** Discarded commits that were not written to a file for users yet: not at all, or only as a copy of the state, which users cannot read. */
  #unwritten: readonly Unwritten[] = [];
  #isLost = false;
  /** The sequence number of the state when the last refill was postponed; -1 before the first time. */
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
    for (const supplied of this.#unwritten) {
      if (supplied.commits || !this.#parts.replica.isForeign) await this.#write(supplied);
    }
  }

  #onLoss(loss: LogLoss | null): void {
    const { policy, logger } = this.#parts;
    if (loss && !this.#isLost) {
      this.#counts.found += 1;
      if (policy === 'halt') {
        logger.fatal({ ...loss }, 'REDIS_ON_LOSS=halt: writes are refused until an operator has repaired Redis');
      }
    }
    this.#isLost = loss !== null;
    if (this.#mayAct(loss)) this.#working ??= this.#work();
  }

  #mayAct(loss: LogLoss | null): loss is LogLoss {
    if (!loss || this.#parts.policy === 'halt' || this.#closing.signal.aborted) return false;
    // A state that is about to be replaced belongs to another history than the position that this replica reported: it must not be written to the
    // store.
    if (loss.kind === 'behind') return loss.mayRefill && !this.#parts.replica.isForeign;
    // Another history replaced this one while this process was running: this process cannot decide which one is valid.
    return loss.kind === 'superseded' || (loss.kind === 'foreign' && !this.#parts.hasJoined());
  }

  async #work(): Promise<void> {
    const { store, clock, logger } = this.#parts;
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const { loss } = store;
      const [supplied] = this.#unwritten;
      const mayAct = this.#mayAct(loss);
      if (!mayAct && !supplied) break;
      try {
        if (mayAct) await (loss.kind === 'behind' ? this.#refill(loss) : this.#adopt(loss));
        else if (supplied && !(await this.#write(supplied))) await clock.sleep(WRITE_RETRY_MS, signal);
      } catch (error) {
        logger.error({ err: error }, 'the loss could not be settled yet');
      }
      await clock.sleep(RETRY_MS, signal);
    }
    this.#working = undefined;
  }

  async #refill(loss: LogLoss): Promise<void> {
    const { replica, store, gate } = this.#parts;
    const { state } = replica;
    // This replica knows entries that it read or appended and is about to apply: the refill waits once for them. If the state has not changed by the
    // next attempt, they will not be applied, and `store.refill` corrects the known position.
    if (state.seq < loss.known.seq && state.seq !== this.#stoodAt) {
      this.#stoodAt = state.seq;
      return;
    }
    const { seq, lastEventId } = state;
    const outcome = await store.refill({ seq, lastEventId, pieces: replica.snapshot(), events: gate.events });
    if (outcome === 'refilled') this.#counts.refilled += 1;
  }

  async #adopt(loss: LogLoss): Promise<void> {
    const { replica, store, gate, logger, hasJoined } = this.#parts;
    replica.distrust();
    await gate.settled();
    const { position } = store;
    const divergence = { position, commonSeq: Math.min(loss.commonSeq, position.seq) };
    const count = position.seq - divergence.commonSeq;
    const before = new State();
    before.replaceWith(replica.state);
    const supplied = { divergence, commits: this.#recent.after(divergence.commonSeq), before };
    // Write the commits to the disk and log it before they are removed from memory: acknowledged commits are never lost silently.
    const path = count === 0 ? null : await this.#putDown(supplied);
    if (store.loss?.kind !== loss.kind || store.loss.commonSeq !== loss.commonSeq) {
      // The loss has changed, for example because the server lost the history for which the commits were to be discarded. The next attempt decides
      // again: it may discard no commits, or more than were written now.
      replica.trust();
      return;
    }
    gate.forget();
    this.#counts.adopted += 1;
    this.#counts.givenUp += count;
    if (count > 0) this.#counts.surplus = path;
    const { seq } = position;
    logger.error(
      { ...loss, seq, givenUp: count, file: path },
      'this replica takes the history of Redis, without its divergent commits; the file has them (burgee store reapply)',
    );
    const isCopy = path !== null && !supplied.commits;
    if (count > 0 && (path === null || (isCopy && hasJoined()))) this.#writeLater(supplied);
    await store.adopt();
    if (hasJoined()) await replica.catchUp();
  }

  /**
   * Writes the discarded commits to a file for users. If the commits are not known, saves a copy of the state that contains them. Resolves with the
   * path, or null when it cannot be written now.
   */
  #putDown({ divergence, commits, before }: Unwritten): Promise<string | null> {
    return commits ? this.#save(divergence, commits, before) : this.#parts.setCopyAside();
  }

  #writeLater(supplied: Unwritten): void {
    const [oldest] = this.#unwritten;
    if (oldest && this.#unwritten.length === UNWRITTEN_MAX) {
      this.#parts.logger.fatal(
        { ...oldest.divergence },
        'divergent commits were never written to a file: the disk was full for too long',
      );
      this.#unwritten = this.#unwritten.slice(1);
    }
    this.#unwritten = [...this.#unwritten, supplied];
  }

  /**
   * Writes discarded commits that wait. If the commits are not known, this compares the states, so the valid state must be loaded first. Resolves
   * with false when it must be tried again.
   */
  async #write(supplied: Unwritten): Promise<boolean> {
    const { replica, logger } = this.#parts;
    const { divergence, commits, before } = supplied;
    // The error is not logged here: the follower reports why the history cannot be loaded.
    if (!commits && replica.isForeign) await replica.catchUp().catch(() => {});
    if (!commits && replica.isForeign) return false;
    const path = await this.#save(divergence, commits, before);
    if (!path) return false;
    this.#unwritten = this.#unwritten.filter((other) => other !== supplied);
    this.#counts.surplus = path;
    logger.error({ file: path }, 'the divergent commits are in a file (burgee store reapply)');
    return true;
  }

  /** Resolves with null when the file cannot be written. The error is logged, and the replica continues. */
  async #save(divergence: Divergence, commits: Iterable<AppliedCommit> | null, before: State): Promise<string | null> {
    const { saveDivergentCommits, logger, replica } = this.#parts;
    try {
      return await saveDivergentCommits(divergence, commits, { before, after: replica.state });
    } catch (error) {
      logger.fatal({ err: error, ...divergence }, 'the divergent commits could not be written to a file');
      return null;
    }
  }
}
