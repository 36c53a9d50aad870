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
 * The most sets of divergent commits that wait to be written to a file. Several sets wait only if histories diverge repeatedly while the disk is
 * full.
 */
const UNWRITTEN_MAX = 4;

/**
 * Discarded commits. `commits` is null when the commits are not known any more. Then the state `before`, which contains them, is compared with the
 * valid state.
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
  readonly divergentFile: string | null;
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
 * Handles a store that lacks commits which this replica knows, or that has another history. With the policy `halt`, it only reports the loss. With
 * `refill`, the replica that knows the most commits writes its state into the store. A replica with commits that are not part of the store's history
 * adopts the state of the store. A replica settles one loss in only one of these two ways, so no commit is decided on a state that differs from the
 * store's.
 */
export class LossKeeper {
  readonly #parts: LossKeeperParts;
  readonly #closing = new AbortController();
  readonly #counts = { found: 0, refilled: 0, adopted: 0, givenUp: 0, divergentFile: null as string | null };
  readonly #recent: RecentCommits;
  /** Discarded commits for which there is no file yet that users can read. For some there is a copy of the state that contains them. */
  #unwritten: readonly Unwritten[] = [];
  #isLost = false;
  /** The sequence number of the state when a refill was last postponed; -1 if none was. */
  #postponedAtSeq = -1;
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
    for (const unwritten of this.#unwritten) {
      if (unwritten.commits || !this.#parts.replica.isForeign) await this.#write(unwritten);
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
      const [unwritten] = this.#unwritten;
      const mayAct = this.#mayAct(loss);
      if (!mayAct && !unwritten) break;
      try {
        if (mayAct) await (loss.kind === 'behind' ? this.#refill(loss) : this.#adopt(loss));
        else if (unwritten && !(await this.#write(unwritten))) await clock.sleep(WRITE_RETRY_MS, signal);
      } catch (error) {
        logger.error({ err: error }, 'the loss of changes in Redis could not be settled yet: trying again');
      }
      await clock.sleep(RETRY_MS, signal);
    }
    this.#working = undefined;
  }

  async #refill(loss: LogLoss): Promise<void> {
    const { replica, store, gate } = this.#parts;
    const { state } = replica;
    // This replica knows entries that it read or appended and has not applied yet: the refill is postponed once to wait for them. If the state has
    // not changed by the next attempt, the entries will not be applied, and `store.refill` corrects the known position.
    if (state.seq < loss.known.seq && state.seq !== this.#postponedAtSeq) {
      this.#postponedAtSeq = state.seq;
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
    const unwritten = { divergence, commits: this.#recent.after(divergence.commonSeq), before };
    // The commits are written to the disk, and the file is logged, before the commits are removed from memory: acknowledged commits are never lost
    // silently.
    const path = count === 0 ? null : await this.#saveBeforeDiscarding(unwritten);
    if (store.loss?.kind !== loss.kind || store.loss.commonSeq !== loss.commonSeq) {
      // The loss has changed, for example because the server lost the history that was to replace this one. The next attempt decides again: it may
      // discard no commits, or more commits than were written to the file now.
      replica.trust();
      return;
    }
    gate.forget();
    this.#counts.adopted += 1;
    this.#counts.givenUp += count;
    if (count > 0) this.#counts.divergentFile = path;
    const { seq } = position;
    logger.error(
      { ...loss, seq, givenUp: count, file: path },
      'this replica takes the history of Redis and discards its own divergent commits: `file` contains them (burgee store reapply)',
    );
    const isCopy = path !== null && !unwritten.commits;
    if (count > 0 && (path === null || (isCopy && hasJoined()))) this.#writeLater(unwritten);
    await store.adopt();
    if (hasJoined()) await replica.catchUp();
  }

  /**
   * Writes the discarded commits to a file for users. If the commits are not known, saves a copy of the state that contains them. Resolves with the
   * path, or null when neither can be written now.
   */
  #saveBeforeDiscarding({ divergence, commits, before }: Unwritten): Promise<string | null> {
    return commits ? this.#save(divergence, commits, before) : this.#parts.setCopyAside();
  }

  #writeLater(unwritten: Unwritten): void {
    const [oldest] = this.#unwritten;
    if (oldest && this.#unwritten.length === UNWRITTEN_MAX) {
      this.#parts.logger.fatal(
        { ...oldest.divergence },
        'divergent commits are lost: they could not be written to a file, because too many sets of them were waiting',
      );
      this.#unwritten = this.#unwritten.slice(1);
    }
    this.#unwritten = [...this.#unwritten, unwritten];
  }

  /**
   * Writes one set of divergent commits to a file. If the commits are not known, two states are compared, so the valid state must be loaded first.
   * Resolves with false when the attempt must be repeated.
   */
  async #write(unwritten: Unwritten): Promise<boolean> {
    const { replica, logger } = this.#parts;
    const { divergence, commits, before } = unwritten;
    // This function ignores the error: the follower reports why the history cannot be loaded.
    if (!commits && replica.isForeign) await replica.catchUp().catch(() => {});
    if (!commits && replica.isForeign) return false;
    const path = await this.#save(divergence, commits, before);
    if (!path) return false;
    this.#unwritten = this.#unwritten.filter((other) => other !== unwritten);
    this.#counts.divergentFile = path;
    logger.error({ file: path }, 'the divergent commits are now in a file (burgee store reapply)');
    return true;
  }

  /** Resolves with null when the file cannot be written. The error is logged, and the replica continues. */
  async #save(divergence: Divergence, commits: Iterable<AppliedCommit> | null, before: State): Promise<string | null> {
    const { saveDivergentCommits, logger, replica } = this.#parts;
    try {
      return await saveDivergentCommits(divergence, commits, { before, after: replica.state });
    } catch (error) {
      logger.fatal({ err: error, ...divergence }, 'the divergent commits could not be written to a file: trying again');
      return null;
    }
  }
}
