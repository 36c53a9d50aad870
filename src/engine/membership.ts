import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { LossPolicy } from '../stores/recovery-action.ts';
import type { LogLoss, SharedStore } from '../stores/shared-store.ts';
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
   * How long one call of the store's `open` tries, in milliseconds. If `open` rejects earlier, another attempt would not help, unless the store
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
      loaded: parts.copy?.position,
    });
    this.#losses = new LossKeeper({
      replica,
      store,
      gate,
      clock,
      logger,
      policy: onLoss,
      hasJoined: () => this.follower.joined,
      saveDivergentCommits: (divergence, commits, states) =>
        saveDivergentCommits(dataDirectory, divergence, commits, states, clock),
      setCopyAside: () => this.#copies.setAside(),
    });
  }

  /** Resolves when the state has reached the tip of the store, without a time limit. Rejects when waiting will not help. */
  async join(): Promise<void> {
    const { replica, clock, logger, copy } = this.#parts;
    const startedMs = clock.nowMs();
    await this.#open();
    for (;;) {
      try {
        await this.follower.join();
        break;
      } catch (error) {
        if (!isPassing(error)) throw error;
        logger.warn({ err: error }, 'the state cannot be loaded from the store yet');
        await this.#pause();
      }
    }
    const tookMs = clock.nowMs() - startedMs;
    logger.info({ seq: replica.state.seq, copySeq: copy?.position.seq ?? null, tookMs }, 'joined the replicas');
    this.#copies.start();
    await this.#logDivergentFiles();
  }

  /** Whether the store may contain commits that this replica does not know. */
  get mayBeBehind(): boolean {
    return !this.follower.joined || !this.#parts.store.status().reachable || this.follower.lag.commits > 0;
  }

  status(): MembershipStatus {
    const { store } = this.#parts;
    const { lag } = this.follower;
    return {
      lag,
      stale: this.#staleness(),
      loss: store.loss,
      losses: this.#losses.counts,
      onLoss: this.#losses.policy,
    };
  }

  /** Why this replica cannot write, even if the store accepts writes; null when it can. */
  obstacle(): Obstacle | null {
    const { joined, defect } = this.follower;
    if (defect) return { reason: 'not-followed', since: defect.since, message: defect.message };
    if (joined && !this.#parts.replica.isForeign) return null;
    return { reason: 'loading', message: joined ? 'the history of Redis is being loaded' : 'nothing is loaded yet' };
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
      logger.warn({ directory, files }, 'files of divergent commits: burgee store reapply FILE shows them');
  }

  #staleness(): string | null {
    const { replica, store, copy } = this.#parts;
    const { joined, defect } = this.follower;
    if (defect) return `since ${defect.since}: ${defect.message}. What is in memory is served, writes are refused`;
    if (!joined) return copy ? `since ${copy.savedAt}: served from the local copy` : 'nothing is loaded yet';
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
        if (!isPassing(error) || (gaveUpEarly && !store.loss)) throw error;
        if (!isReported) logger.warn({ err: error }, 'waiting for the store');
        isReported = true;
        await this.#pause();
      }
    }
  }

  async #pause(): Promise<void> {
    await this.#parts.clock.sleep(RETRY_MS, this.#closing.signal);
    if (this.#closing.signal.aborted) throw new Error('stopped before the store was there');
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof StoreError;
}
