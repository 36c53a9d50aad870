import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type AppliedCommit, State } from '../state/state.ts';
import type { LossPolicy } from '../stores/recovery-action.ts';
import type { LogLoss, SharedStore } from '../stores/shared-store.ts';
import type { AppendGate } from './append-gate.ts';
import type { Divergence } from './divergent-commits.ts';
import { RecentCommits } from './recent-commits.ts';
import type { Replica } from './replica.ts';

/** Between two tries to settle a loss. */
const RETRY_MS = 200;
/** Between two tries to write divergent commits to a file, while the disk is full. */
const WRITE_RETRY_MS = 2_000;
/** What waits to be written down. More than one only when histories part again and again while the disk is full. */
const UNWRITTEN_MAX = 4;

/** Discarded commits; if they are not known any more, the state that contains them. */
interface Unwritten {
  readonly divergence: Divergence;
  readonly commits: Iterable<AppliedCommit> | null;
  readonly before: State;
}

/** Counts of losses since this process began, for users, `/ready` and gauges. */
export interface LossCounts {
  readonly found: number;
  /** Settled by putting this replica's state into the store. */
  readonly refilled: number;
  /** Settled by taking the store's state for this replica's. */
  readonly adopted: number;
  /** Commits that this replica had applied and gave up with that. */
  readonly givenUp: number;
  /** The file of the newest discarded commits, or the copy with them, as named in `/ready`; null when there are none or they could not be written. */
  readonly surplus: string | null;
}

interface LossKeeperParts {
  readonly replica: Replica;
  readonly store: SharedStore;
  readonly gate: AppendGate;
  readonly clock: Pick<Clock, 'sleep'>;
  readonly logger: Logger;
  readonly policy: LossPolicy;
  /** Whether this replica's state ever reached the log's tip. If not, it is a copy from the disk. */
  readonly hasJoined: () => boolean;
  /** Resolves with the path of the file. See `saveDivergentCommits`. */
  readonly saveDivergentCommits: (
    divergence: Divergence,
    commits: Iterable<AppliedCommit> | null,
    states: { readonly before: State; readonly after: State },
  ) => Promise<string>;
  /** Puts a copy of the state aside, on the disk. Resolves with where it is; null when it could not be written. */
  readonly setCopyAside: () => Promise<string | null>;
}

/**
 * Handles a store that contains less than this replica knows, or another history. With the policy `halt` it only reports. With
 * `refill` the replica that knows most writes its state into the store, and a replica with commits that the others do not have adopts
 * the state of the store. Never both: no commit is decided on a state that differs from the store's.
 */
export class LossKeeper {
  readonly #parts: LossKeeperParts;
  readonly #closing = new AbortController();
  readonly #counts = { found: 0, refilled: 0, adopted: 0, givenUp: 0, surplus: null as string | null };
  readonly #recent: RecentCommits;
  /** Discarded commits that are not written to a readable file yet, or only to a copy, which users cannot read. */
  #unwritten: readonly Unwritten[] = [];
  #isLost = false;
  /** Position of the state at the last check before a refill. */
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
    // A state that is about to be exchanged is of another history than what is claimed.
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
      // The server may have lost the history for which the commits were discarded: then nothing is discarded, or more than was written.
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

  /** Writes the discarded commits to a readable file, or a copy of the state that contains them if they are not known. Null when it cannot be written now. */
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

  /** Of a state that has to be compared, once the one that counts is there. False when it has to be tried again. */
  async #write(supplied: Unwritten): Promise<boolean> {
    const { replica, logger } = this.#parts;
    const { divergence, commits, before } = supplied;
    // The follower reports what keeps it away.
    if (!commits && replica.isForeign) await replica.catchUp().catch(() => {});
    if (!commits && replica.isForeign) return false;
    const path = await this.#save(divergence, commits, before);
    if (!path) return false;
    this.#unwritten = this.#unwritten.filter((other) => other !== supplied);
    this.#counts.surplus = path;
    logger.error({ file: path }, 'the divergent commits are in a file (burgee store reapply)');
    return true;
  }

  /** Null when it cannot be written: that is logged, and does not block the replica. */
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
