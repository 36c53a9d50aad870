import type { Logger } from '../base/logger.ts';
import { hashesSecrets } from '../state/dropped-secrets.ts';
import type { AppliedCommit } from '../state/state.ts';
import { isShared } from '../stores/shared-store.ts';
import type { SnapshotInfo, Store } from '../stores/store.ts';
import type { Replica } from './replica.ts';

interface SnapshotterOptions {
  /** The number of commits after which a snapshot is due. Limits the length of the log and the duration of a start. */
  readonly everyCommits: number;
  /** Whether the store reports that it still contains data that must be erased. */
  readonly hasResidue?: boolean;
}

/**
 * The pause before a failed snapshot is tried again. It doubles after each failure, up to RETRY_MS_MAX, because the cause may last for a moment or
 * for hours.
 */
const RETRY_MS = 5_000;
const RETRY_MS_MAX = 10 * 60_000;

/**
 * Takes a snapshot when enough new commits have been applied, then trims the log before it. Only one snapshot runs at a time. A failure is logged,
 * and the snapshot is tried again, with increasing pauses. Secrets that are no longer in the snapshot are erased together with the trimmed log. If
 * replicas share a store, the replica with the lease takes the snapshot, and the others use it.
 */
export class Snapshotter {
  readonly #replica: Replica;
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #everyCommits: number;
  #lastSeq: number;
  #hasResidue: boolean;
  #running: Promise<SnapshotInfo | undefined> | undefined;
  #closed = false;
  #retryMs = RETRY_MS;
  #retry: NodeJS.Timeout | undefined;
  /** Whether the store could not be asked for its newest snapshot. Then the next commit asks again. */
  #mustAskStore = false;
  /** When this process took its newest snapshot, in milliseconds of `performance.now()`; undefined when it took none. */
  snapshotTakenMs: number | undefined;

  constructor(replica: Replica, store: Store, logger: Logger, lastSnapshotSeq: number, options: SnapshotterOptions) {
    this.#replica = replica;
    this.#store = store;
    this.#logger = logger;
    this.#lastSeq = lastSnapshotSeq;
    this.#everyCommits = options.everyCommits;
    this.#hasResidue = options.hasResidue ?? false;
    replica.onApplied((applied) => this.#onApplied(applied));
    replica.onReplaced(() => {
      this.#lastSeq = replica.state.seq;
      void this.#findNewest();
    });
  }

  /** Number of commits after the newest snapshot that this process knows. */
  get commitsAfterSnapshot(): number {
    return Math.max(0, this.#replica.state.seq - this.#lastSeq);
  }

  /** Takes a snapshot if an earlier process left work undone, and looks for the newest snapshot of a shared store. */
  start(): void {
    const { isSnapshotDue } = this.#replica.logWeight;
    if ((this.#hasResidue || this.#isUrgent || isSnapshotDue) && !this.#closed) void this.snapshot();
    void this.#findNewest();
  }

  /**
   * Erases secrets from the store if only their hashes may be stored. Resolves when they are erased, or when the attempt failed. A failure is logged,
   * and the attempt is repeated later.
   */
  async eraseSecrets(): Promise<void> {
    if (this.#isUrgent || (this.#hasResidue && hashesSecrets(this.#replica.state))) await this.snapshot();
  }

  #onApplied({ commit }: AppliedCommit): void {
    if (this.#mustAskStore) void this.#findNewest();
    const dropsSecrets = commit.seq === this.#replica.secretDroppedSeq;
    if ((this.#isDue(commit.seq) || (dropsSecrets && this.#isUrgent)) && !this.#closed) void this.snapshot();
  }

  /**
   * Takes a snapshot now, or waits for a running one. Resolves with undefined when it failed: the older snapshot and the log after it still exist.
   */
  snapshot(): Promise<SnapshotInfo | undefined> {
    this.#running ??= this.#takeUntilCovered().finally(() => {
      this.#running = undefined;
      // The snapshot may lack the commits that were applied while it was taken. If these are many, the next snapshot is already due.
      if (this.#isDue(this.#replica.state.seq) && !this.#closed) void this.snapshot();
    });
    return this.#running;
  }

  #isDue(seq: number): boolean {
    return seq - this.#lastSeq >= this.#everyCommits || this.#replica.logWeight.isSnapshotDue;
  }

  /**
   * Continues from the newest snapshot of a shared store, whichever replica took it. If each process counted only its own commits, processes that end
   * often would never reach the limit, and the log would grow without bound.
   */
  async #findNewest(): Promise<void> {
    const store = this.#store;
    if (!isShared(store)) return;
    const { state } = this.#replica;
    const { generation } = state;
    const before = this.#lastSeq;
    this.#mustAskStore = false;
    try {
      const seq = await store.snapshotSeq();
      // The answer is outdated if a snapshot was taken, or another state replaced this one, while the store was asked.
      if (this.#lastSeq !== before || state.generation !== generation) return;
      this.#lastSeq = seq;
      if (this.#isDue(state.seq) && !this.#closed) void this.snapshot();
    } catch (error) {
      this.#logger.debug(
        { err: error },
        'the store cannot be asked for its newest snapshot: the next commit asks again',
      );
      this.#mustAskStore = true;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#running;
  }

  /** Takes a second snapshot if the first one began before secrets were removed that must be erased now. */
  async #takeUntilCovered(): Promise<SnapshotInfo | undefined> {
    const info = await this.#takeOne();
    return info && this.#isUrgent ? this.#takeOne() : info;
  }

  /** Whether the store contains removed secrets although only hashes may be stored. Then the next snapshot is taken immediately, to erase them. */
  get #isUrgent(): boolean {
    const { state, secretDroppedSeq } = this.#replica;
    return secretDroppedSeq > 0 && hashesSecrets(state);
  }

  async #takeOne(): Promise<SnapshotInfo | undefined> {
    const startedMs = performance.now();
    const { seq } = this.#replica.state;
    clearTimeout(this.#retry);
    // Set before the snapshot is taken. So after a failure, the next attempt starts after the pause, or after `everyCommits` more commits. Otherwise
    // every commit would start a new attempt.
    this.#lastSeq = seq;
    this.#replica.logWeight.clear();
    try {
      const info = await this.#store.saveSnapshot(seq, this.#replica.snapshot());
      this.#lastSeq = info.seq;
      this.snapshotTakenMs = performance.now();
      const erase = this.#mustErase(info.seq);
      await this.#store.trim(info.seq, { erase });
      if (erase) this.#erased(info.seq);
      this.#retryMs = RETRY_MS;
      this.#logger.info(
        { ...info, erased: erase, tookMs: Math.round(performance.now() - startedMs) },
        'snapshot taken',
      );
      return info;
    } catch (error) {
      this.#logger.error(
        { err: error },
        'the snapshot could not be saved, or older data could not be removed: it is tried again later',
      );
      this.#tryAgainLater();
      return undefined;
    }
  }

  #tryAgainLater(): void {
    if (this.#closed) return;
    this.#retry = setTimeout(() => void this.snapshot(), this.#retryMs).unref();
    this.#retryMs = Math.min(2 * this.#retryMs, RETRY_MS_MAX);
  }

  /**
   * Whether the trim after this snapshot must erase secrets. Only if the snapshot began after a secret was removed, it certainly lacks the secret.
   */
  #mustErase(snapshotSeq: number): boolean {
    const { secretDroppedSeq } = this.#replica;
    return this.#hasResidue || (secretDroppedSeq > 0 && secretDroppedSeq <= snapshotSeq);
  }

  #erased(snapshotSeq: number): void {
    this.#replica.erasedThrough(snapshotSeq);
    this.#hasResidue = false;
  }
}
