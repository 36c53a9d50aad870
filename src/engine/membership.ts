import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { LossPolicy } from '../stores/recovery-action.ts';
import type { EventsLoss, LogLoss, SharedStore } from '../stores/shared-store.ts';
import { StoreError } from '../stores/store.ts';
import type { AppendGate } from './append-gate.ts';
import { divergentFilesIn, saveDivergentCommits } from './divergent-commits.ts';
import { Follower, type Lag } from './follower.ts';
import { type LocalCopy, LocalCopyKeeper } from './local-copy.ts';
import { type LossCounts, LossKeeper } from './loss-keeper.ts';
import type { Replica } from './replica.ts';
import type { Obstacle } from './write-refusals.ts';

/** The pause between two attempts to open a store that cannot be reached, or whose loss is not settled yet. */
const RETRY_MS = 200;

interface MembershipParts {
  readonly replica: Replica;
  readonly store: SharedStore;
  readonly gate: AppendGate;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly dataDirectory: string;
  /** The local copy that the replica's state was loaded from; null when the state is empty. */
  readonly copy: LocalCopy | null;
  readonly onLoss: LossPolicy;
  readonly localCopyEveryMs: number;
  /**
   * How long one call of the store's `open` tries, in milliseconds. If `open` rejects earlier, another attempt would fail too, unless the store
   * reports a loss.
   */
  readonly openMs: number;
}

/** The status of a replica for people and load balancers. Whether the store can be reached is not part of it. */
export interface MembershipStatus {
  readonly lag: Lag;
  /** Why the served data may be old, and since when, as text; null when the data is up to date. */
  readonly stale: string | null;
  readonly loss: LogLoss | null;
  readonly losses: LossCounts;
  /** The last loss of audit events in the store; null when there was none. */
  readonly eventsLoss: EventsLoss | null;
  readonly onLoss: LossPolicy;
}

/**
 * The membership of one process in a service of several replicas: it joins the shared store, follows the store, keeps a local copy, and settles
 * losses.
 */
export class Membership {
  readonly follower: Follower;
  readonly #parts: MembershipParts;
  readonly #losses: LossKeeper;
  readonly #copies: LocalCopyKeeper;
  readonly #closing = new AbortController();

  constructor(parts: MembershipParts) {
    const { replica, store, gate, clock, logger, dataDirectory, onLoss, localCopyEveryMs } = parts;
    this.#parts = parts;
    this.follower = new Follower(replica, store, clock, logger);
    this.#copies = new LocalCopyKeeper(replica, store, clock, logger, {
      directory: dataDirectory,
      everyMs: localCopyEveryMs,
      loadedPosition: parts.copy?.position,
    });
    this.#losses = new LossKeeper({
      replica,
      store,
      gate,
      clock,
      logger,
      policy: onLoss,
      hasJoined: () => this.follower.hasJoined,
      saveDivergentCommits: (divergence, commits, states) =>
        saveDivergentCommits(dataDirectory, divergence, commits, states, clock),
      setCopyAside: () => this.#copies.setAside(),
    });
  }

  /** Resolves when the state has reached the tip of the store, without a time limit. Rejects if more waiting cannot help. */
  async join(): Promise<void> {
    const { replica, clock, logger, copy } = this.#parts;
    const startedMs = clock.nowMs();
    await this.#open();
    for (;;) {
      try {
        await this.follower.join();
        break;
      } catch (error) {
        if (!isTemporary(error)) throw error;
        logger.warn({ err: error }, 'the state cannot be loaded from Redis yet: trying again');
        await this.#pause();
      }
    }
    const tookMs = clock.nowMs() - startedMs;
    logger.info(
      { seq: replica.state.seq, copySeq: copy?.position.seq ?? null, tookMs },
      'this replica has loaded the newest state from Redis',
    );
    this.#copies.start();
    await this.#logDivergentFiles();
  }

  /** Whether the store may contain commits that are not in the state of this replica. */
  get mayBeBehind(): boolean {
    return !this.follower.hasJoined || !this.#parts.store.status().reachable || this.follower.lag.commits > 0;
  }

  status(): MembershipStatus {
    const { store } = this.#parts;
    const { lag } = this.follower;
    return {
      lag,
      stale: this.#staleness(),
      loss: store.loss,
      losses: this.#losses.counts,
      eventsLoss: store.eventsLoss,
      onLoss: this.#losses.policy,
    };
  }

  /** Why this replica cannot write, even if the store accepts writes; null when it can. */
  obstacle(): Obstacle | null {
    const { hasJoined, defect } = this.follower;
    if (defect) return { reason: 'not-followed', since: defect.since, message: defect.message };
    if (hasJoined && !this.#parts.replica.isForeign) return null;
    return {
      reason: 'loading',
      message: hasJoined ? 'the history of Redis is being loaded' : 'the state is not loaded yet',
    };
  }

  /** Does not close the store: the writer may still need it. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#losses.close();
    await this.follower.close();
    await this.#copies.close();
  }

  /** Logs all files with divergent commits, including those of earlier processes: such a process may have ended before it logged its file. */
  async #logDivergentFiles(): Promise<void> {
    const { dataDirectory: directory, logger } = this.#parts;
    const files = await divergentFilesIn(directory).catch(() => []);
    if (files.length > 0)
      logger.warn(
        { directory, files },
        'there are files of divergent commits, which are not in Redis: `burgee store reapply FILE` shows them',
      );
  }

  #staleness(): string | null {
    const { replica, store, copy } = this.#parts;
    const { hasJoined, defect } = this.follower;
    if (defect) return `since ${defect.since}: ${defect.message}. The data in memory is served, and writes are refused`;
    if (!hasJoined) return copy ? `since ${copy.savedAt}: served from the local copy` : 'the state is not loaded yet';
    if (replica.isForeign) return 'the history of Redis is being loaded';
    const status = store.status();
    return status.reachable ? null : `since ${status.since}: the store is not followed`;
  }

  async #open(): Promise<void> {
    const { store, clock, openMs, logger } = this.#parts;
    let isReported = false;
    for (;;) {
      const startedMs = clock.nowMs();
      try {
        await store.open();
        return;
      } catch (error) {
        const gaveUpEarly = clock.nowMs() - startedMs < openMs;
        if (!isTemporary(error) || (gaveUpEarly && !store.loss)) throw error;
        if (!isReported) logger.warn({ err: error }, 'Redis cannot be used yet: trying again');
        isReported = true;
        await this.#pause();
      }
    }
  }

  async #pause(): Promise<void> {
    await this.#parts.clock.sleep(RETRY_MS, this.#closing.signal);
    if (this.#closing.signal.aborted) throw new Error('the process was stopped before it could open the store');
  }
}

/** Whether another attempt may succeed. */
function isTemporary(error: unknown): boolean {
  return error instanceof StoreError;
}
