import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type Commit, decodeCommit } from '../state/commit.ts';
import type { SharedStore } from '../stores/shared-store.ts';
import { type LogEntry, StoreError } from '../stores/store.ts';
import type { Replica } from './replica.ts';

/** How often the follower checks whether it is behind, even without hints. The store asks its server for the tip at the same interval. */
const CHECK_MS = 1_000;
/** The pause between two attempts to read a store that cannot be read. */
const RETRY_MS = 200;
/** The most commits from hints that wait in memory while earlier commits are missing. Further commits are read from the log later. */
const WAITING_MAX = 4_096;

export interface Lag {
  /** The number of commits that are known to be in the log and not yet in the state. */
  readonly commits: number;
  /** How long the state has been behind the log, in milliseconds; 0 when it is not behind. */
  readonly ms: number;
}

/**
 * Keeps a replica up to date with a log that other replicas append to. Hints deliver commits within milliseconds. Commits that no hint delivered are
 * read from the log, which is authoritative. In case all hints are lost, the follower checks every second whether it is behind.
 */
export class Follower {
  readonly #replica: Replica;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #unsubscribe: () => void = () => {};
  /** The newest sequence number that a hint reported, in the epoch `#hintedEpoch`. `#waiting` contains commits of that epoch only. */
  #hintedTip = 0;
  #hintedEpoch = '';
  /** Commits from hints that wait for earlier commits. The key is the sequence number. */
  readonly #waiting = new Map<number, { readonly commit: Commit; readonly entry: LogEntry }>();
  #behindSinceMs: number | null = null;
  #working: Promise<void> | undefined;
  #checking: Promise<void> | undefined;
  #defect: { readonly since: string; readonly message: string } | null = null;
  #hasJoined = false;

  constructor(replica: Replica, store: SharedStore, clock: Clock, logger: Logger) {
    this.#replica = replica;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    replica.onApplied(({ commit }) => this.#onApplied(commit.seq));
    replica.onReplaced(() => this.#onReplaced());
  }

  /** Whether the state has reached the log's tip since this process began. Until then, it may be as old as the local copy. */
  get hasJoined(): boolean {
    return this.#hasJoined;
  }

  get lag(): Lag {
    const commits = Math.max(0, this.#target() - this.#replica.state.seq);
    const since = this.#behindSinceMs;
    return { commits, ms: commits === 0 || since === null ? 0 : Math.max(0, this.#clock.nowMs() - since) };
  }

  /**
   * Why the log cannot be followed, and since when; null when it can. A store that is out of reach is not a defect. An example of a defect is a
   * commit of a newer version of Burgee that this version cannot decode.
   */
  get defect(): { readonly since: string; readonly message: string } | null {
    return this.#defect;
  }

  /** Called when the store is open: brings the state to the tip of the log, and follows the log from then on. @throws StoreError */
  async join(): Promise<void> {
    if (!this.#checking) {
      this.#unsubscribe = this.#store.onTip((tip, entries) => this.#onTip(tip, entries));
      this.#checking = this.#checkRegularly();
    }
    await this.#replica.catchUp();
    this.#hasJoined = true;
  }

  /** Catches up in the background, if the state is behind. */
  nudge(): void {
    this.#behindSinceMs ??= this.#isBehind() ? this.#clock.nowMs() : null;
    if (this.#isBehind() && !this.#closing.signal.aborted) this.#working ??= this.#work();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe();
    await this.#checking;
    await this.#working;
  }

  #target(): number {
    this.#forgetOtherEpochs();
    return Math.max(this.#hintedTip, this.#store.position?.seq ?? 0);
  }

  /** Drops numbers and commits of other epochs: this epoch may use the same numbers for different commits. */
  #forgetOtherEpochs(): void {
    const { epoch } = this.#store;
    if (epoch === this.#hintedEpoch) return;
    this.#hintedEpoch = epoch;
    this.#hintedTip = 0;
    this.#waiting.clear();
  }

  #isBehind(): boolean {
    return this.#replica.isForeign || this.#target() > this.#replica.state.seq;
  }

  #onTip(tip: number, entries: readonly LogEntry[] = []): void {
    if (this.#replica.isForeign) return;
    this.#forgetOtherEpochs();
    this.#hintedTip = Math.max(this.#hintedTip, tip);
    try {
      for (const entry of entries) {
        if (entry.seq <= this.#replica.state.seq) continue;
        const commit = decodeCommit(entry.bytes);
        const isApplied = this.#replica.offer(commit, entry);
        if (!isApplied && this.#waiting.size < WAITING_MAX) this.#waiting.set(entry.seq, { commit, entry });
      }
      this.#applyWaiting();
    } catch (error) {
      this.#fail(error);
    }
    this.nudge();
  }

  /** Applies the waiting commits whose predecessors have been applied. */
  #applyWaiting(): void {
    const { state } = this.#replica;
    this.#forgetOtherEpochs();
    for (const seq of this.#waiting.keys()) if (seq <= state.seq) this.#waiting.delete(seq);
    for (;;) {
      const next = this.#waiting.get(state.seq + 1);
      if (!next || !this.#replica.offer(next.commit, next.entry)) return;
      this.#waiting.delete(next.commit.seq);
    }
  }

  /**
   * Same as `#applyWaiting`, for use while the log cannot be read. It reports an error and does not throw it, because a thrown error would end the
   * loop that follows the log.
   */
  #tryApplyWaiting(): void {
    try {
      this.#applyWaiting();
    } catch (error) {
      this.#fail(error);
    }
  }

  #onApplied(seq: number): void {
    if (seq >= this.#hintedTip) this.#behindSinceMs = null;
  }

  #onReplaced(): void {
    this.#logger.warn({ seq: this.#replica.state.seq }, 'the state was loaded anew from the store');
    this.#waiting.clear();
    this.#hintedTip = this.#replica.state.seq;
    this.#behindSinceMs = null;
  }

  async #work(): Promise<void> {
    while (this.#isBehind() && !this.#closing.signal.aborted) {
      try {
        await this.#replica.catchUp();
        this.#applyWaiting();
        this.#defect = null;
        if (!this.#isBehind()) break;
      } catch (error) {
        if (!(error instanceof StoreError)) this.#fail(error);
        this.#tryApplyWaiting();
      }
      await this.#clock.sleep(RETRY_MS, this.#closing.signal);
    }
    this.#working = undefined;
  }

  async #checkRegularly(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#clock.sleep(CHECK_MS, this.#closing.signal);
      this.nudge();
    }
  }

  /**
   * Reports a defect. The state is still served, but is not updated any more. Writes are refused, because each append finds newer commits in the log.
   */
  #fail(error: unknown): void {
    if (this.#defect) return;
    this.#defect = { since: isoTime(this.#clock.nowMs()), message: (error as Error).message };
    this.#logger.fatal(
      { err: error },
      'the log cannot be followed: this replica still serves its data, but gets no new changes and refuses writes',
    );
  }
}
