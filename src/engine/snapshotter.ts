import type { Logger } from '../base/logger.ts';
import { hashesSecrets } from '../state/dropped-secrets.ts';
import type { AppliedCommit } from '../state/state.ts';
import { isShared } from '../stores/shared-store.ts';
import type { SnapshotInfo, Store } from '../stores/store.ts';
import type { Replica } from './replica.ts';

interface SnapshotterOptions {
  /** The number of commits after which a snapshot is due. Limits the length of the log and the duration of a start. */
  readonly everyCommits: number;
  /** The store reports that it still contains data that must be erased. */
  readonly residue?: boolean;
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
  #residue: boolean;
  #running: Promise<SnapshotInfo | undefined> | undefined;
  #closed = false;
  #retryMs = RETRY_MS;
  #retry: NodeJS.Timeout | undefined;
  /** Whether the store could not be asked for its newest snapshot: then the next commit asks again. */
  #mustFind = false;
  /** When this process took its newest snapshot, in milliseconds of `performance.now()`; undefined when it took none. */
  takenMs: number | undefined;

  constructor(replica: Replica, store: Store, logger: Logger, lastSnapshotSeq: number, options: SnapshotterOptions) {
    this.#replica = replica;
    this.#store = store;
    this.#logger = logger;
    this.#lastSeq = lastSnapshotSeq;
    this.#everyCommits = options.everyCommits;
    this.#residue = options.residue ?? false;
    replica.onApplied((applied) => this.#onApplied(applied));
    replica.onReplaced(() => {
      this.#lastSeq = replica.state.seq;
      void this.#find();
    });
  }

  /** Number of commits after the newest snapshot that this process knows. */
  get behind(): number {
    return Math.max(0, this.#replica.state.seq - this.#lastSeq);
  }

  /** Takes a snapshot if an earlier process left work undone, and looks for the newest snapshot of a shared store. */
  start(): void {
    const { isMuch } = this.#replica.logWeight;
    if ((this.#residue || this.#isUrgent || isMuch) && !this.#closed) void this.snapshot();
    void this.#find();
  }

  /**
   * Erases secrets from the store if only their hashes should be stored. Resolves when this is done, or when it failed; a failure is logged and tried
   * again later.
   */
  async eraseSecrets(): Promise<void> {
    if (this.#isUrgent || (this.#residue && hashesSecrets(this.#replica.state))) await this.snapshot();
  }

  #onApplied({ commit }: AppliedCommit): void {
    if (this.#mustFind) void this.#find();
    const dropsSecrets = commit.seq === this.#replica.secretDroppedSeq;
    if ((this.#isDue(commit.seq) || (dropsSecrets && this.#isUrgent)) && !this.#closed) void this.snapshot();
  }

  /**
   * Takes a snapshot now, or joins a running one. Resolves with undefined when it failed: the older snapshot still exists, and the log after it as
   * well.
   */
  snapshot(): Promise<SnapshotInfo | undefined> {
    this.#running ??= this.#takeUntilCovered().finally(() => {
      this.#running = undefined;
      // The snapshot may not contain the commits that came while it was taken. If they are many, the next snapshot is due already.
      if (this.#isDue(this.#replica.state.seq) && !this.#closed) void this.snapshot();
    });
    return this.#running;
  }

  #isDue(seq: number): boolean {
    return seq - this.#lastSeq >= this.#everyCommits || this.#replica.logWeight.isMuch;
  }

  /**
   * Continues from the newest snapshot of a shared store, whichever replica took it. If each process counted only its own commits, processes that end
   * often would never reach the limit, and the log would grow without bound.
   */
  async #find(): Promise<void> {
    const store = this.#store;
    if (!isShared(store)) return;
    const { state } = this.#replica;
    const { generation } = state;
    const before = this.#lastSeq;
    this.#mustFind = false;
    try {
      const seq = await store.snapshotSeq();
      // Keep the newer information: a snapshot was taken meanwhile, or another state replaced this one.
      if (this.#lastSeq !== before || state.generation !== generation) return;
      this.#lastSeq = seq;
      if (this.#isDue(state.seq) && !this.#closed) void this.snapshot();
    } catch (error) {
      this.#logger.debug({ err: error }, 'cannot ask for the newest snapshot: the next commit asks again');
      this.#mustFind = true;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#running;
  }

  /** A running snapshot may have begun before the secrets were dropped. */
  async #takeUntilCovered(): Promise<SnapshotInfo | undefined> {
    const info = await this.#take();
    return info && this.#isUrgent ? this.#take() : info;
  }

  /**
   * Whether the store contains dropped secrets although only hashes should be stored. They are erased now, without waiting until a snapshot is due.
   */
  get #isUrgent(): boolean {
    const { state, secretDroppedSeq } = this.#replica;
    return secretDroppedSeq > 0 && hashesSecrets(state);
  }

  async #take(): Promise<SnapshotInfo | undefined> {
    const startedMs = performance.now();
    const { seq } = this.#replica.state;
    clearTimeout(this.#retry);
    // Set before the snapshot is taken, so that after a failure the next attempt waits for the pause, or for as many commits again. Otherwise every
    // commit would start a new attempt.
    this.#lastSeq = seq;
    this.#replica.logWeight.clear();
    try {
      const info = await this.#store.saveSnapshot(seq, this.#replica.snapshot());
      this.#lastSeq = info.seq;
      this.takenMs = performance.now();
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
      this.#logger.error({ err: error }, 'snapshot failed, or what came before it could not be dropped');
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
   * Whether the trim after this snapshot must erase. A snapshot that began before a secret was dropped may contain it; only a later snapshot does
   * not.
   */
  #mustErase(snapshotSeq: number): boolean {
    const { secretDroppedSeq } = this.#replica;
    return this.#residue || (secretDroppedSeq > 0 && secretDroppedSeq <= snapshotSeq);
  }

  #erased(snapshotSeq: number): void {
    this.#replica.erasedThrough(snapshotSeq);
    this.#residue = false;
  }
}
