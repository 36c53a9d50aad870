import type { Logger } from '../base/logger.ts';
import { hashesSecrets } from '../state/dropped-secrets.ts';
import type { AppliedCommit } from '../state/state.ts';
import { isShared } from '../stores/shared-store.ts';
import type { SnapshotInfo, Store } from '../stores/store.ts';
import type { Replica } from './replica.ts';

interface SnapshotterOptions {
  /** Commits after which a snapshot is due. Bounds the log and the time recovery takes. */
  readonly everyCommits: number;
  /** The store reports that it still contains data that must be erased. */
  readonly residue?: boolean;
}

/** One that failed is tried again after that, and each time after twice as long: what was wrong may be over in a moment, or not for hours. */
const RETRY_MS = 5_000;
const RETRY_MS_MAX = 10 * 60_000;

/**
 * Takes a snapshot when there are enough new commits, then trims the log below it. Only one runs at a time; a failure is logged and tried again, with
 * increasing delays. Secrets that are no longer in the snapshot are erased with the log below it. If replicas share a store, the replica with the lease takes
 * the snapshot, and the others continue from it.
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
  /** The store could not be asked for its newest. */
  #mustFind = false;
  /** When this process took its newest snapshot, by the clock of `performance`; undefined when it took none. */
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

  /** Does what an earlier process left undone. */
  start(): void {
    const { isMuch } = this.#replica.logWeight;
    if ((this.#residue || this.#isUrgent || isMuch) && !this.#closed) void this.snapshot();
    void this.#find();
  }

  /** Resolves when no secret is left in the store of which only the hash should be there, or erasing it failed. */
  async eraseSecrets(): Promise<void> {
    if (this.#isUrgent || (this.#residue && hashesSecrets(this.#replica.state))) await this.snapshot();
  }

  #onApplied({ commit }: AppliedCommit): void {
    if (this.#mustFind) void this.#find();
    const dropsSecrets = commit.seq === this.#replica.secretDroppedSeq;
    if ((this.#isDue(commit.seq) || (dropsSecrets && this.#isUrgent)) && !this.#closed) void this.snapshot();
  }

  /** Takes a snapshot now, or joins a running one. Undefined when it failed: the older snapshot and the whole log still exist. */
  snapshot(): Promise<SnapshotInfo | undefined> {
    this.#running ??= this.#takeUntilCovered().finally(() => {
      this.#running = undefined;
      // Of what came meanwhile it has nothing.
      if (this.#isDue(this.#replica.state.seq) && !this.#closed) void this.snapshot();
    });
    return this.#running;
  }

  #isDue(seq: number): boolean {
    return seq - this.#lastSeq >= this.#everyCommits || this.#replica.logWeight.isMuch;
  }

  /**
   * Continues from the newest snapshot of a shared store, independent of which replica took it. If each process counted only its own commits, processes
   * that end often would never reach the limit, and the log would grow without bound.
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

  /** Whether there are secrets to erase where none should be: they are not left until enough commits have piled up. */
  get #isUrgent(): boolean {
    const { state, secretDroppedSeq } = this.#replica;
    return secretDroppedSeq > 0 && hashesSecrets(state);
  }

  async #take(): Promise<SnapshotInfo | undefined> {
    const startedMs = performance.now();
    const { seq } = this.#replica.state;
    clearTimeout(this.#retry);
    // Even when it fails: the next attempt waits for its time, or for as many commits again, instead of failing at every one.
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

  /** A snapshot that began before a secret was dropped may hold it; the next one does not. */
  #mustErase(snapshotSeq: number): boolean {
    const { secretDroppedSeq } = this.#replica;
    return this.#residue || (secretDroppedSeq > 0 && secretDroppedSeq <= snapshotSeq);
  }

  #erased(snapshotSeq: number): void {
    this.#replica.erasedThrough(snapshotSeq);
    this.#residue = false;
  }
}
