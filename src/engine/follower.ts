import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type Commit, decodeCommit } from '../state/commit.ts';
import type { SharedStore } from '../stores/shared-store.ts';
import { type LogEntry, StoreError } from '../stores/store.ts';
import type { Replica } from './replica.ts';

/** How often the follower checks whether it is behind, even without hints. The store asks for its tip at the same interval. */
const LOOK_MS = 1_000;
/** The pause between two attempts to read a store that cannot be read. */
const RETRY_MS = 200;
/** The most commits from hints that are kept while earlier commits are missing. Further commits are not kept; they are read from the log. */
const HELD_MAX = 4_096;

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
  /** The newest sequence number that a hint reported, in the epoch `#heardEpoch`. `#held` contains commits of that epoch only. */
  #heardTip = 0;
  #heardEpoch = '';
  /** Commits from hints that wait for earlier commits. The key is the sequence number. */
  readonly #held = new Map<number, { readonly commit: Commit; readonly entry: LogEntry }>();
  #behindSinceMs: number | null = null;
  #working: Promise<void> | undefined;
  #looking: Promise<void> | undefined;
  #defect: { readonly since: string; readonly message: string } | null = null;
  #joined = false;

  constructor(replica: Replica, store: SharedStore, clock: Clock, logger: Logger) {
    this.#replica = replica;
    this.#store = store;
    this.#clock = clock;
    this.#logger = logger;
    replica.onApplied(({ commit }) => this.#onApplied(commit.seq));
    replica.onReplaced(() => this.#onReplaced());
  }

  /** Whether the state has reached the log's tip since this process began. Until then, it may be as old as the local copy. */
  get joined(): boolean {
    return this.#joined;
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
    if (!this.#looking) {
      this.#unsubscribe = this.#store.onTip((tip, entries) => this.#onTip(tip, entries));
      this.#looking = this.#look();
    }
    await this.#replica.catchUp();
    this.#joined = true;
  }

  /** Catches up in the background, if the state is behind. */
  nudge(): void {
    this.#behindSinceMs ??= this.#isBehind() ? this.#clock.nowMs() : null;
    if (this.#isBehind() && !this.#closing.signal.aborted) this.#working ??= this.#work();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#unsubscribe();
    await this.#looking;
    await this.#working;
  }

  #target(): number {
    this.#forgetOtherEpochs();
    return Math.max(this.#heardTip, this.#store.position?.seq ?? 0);
  }

  /** Drops numbers and commits of other epochs: this epoch may use the same numbers for different commits. */
  #forgetOtherEpochs(): void {
    const { epoch } = this.#store;
    if (epoch === this.#heardEpoch) return;
    this.#heardEpoch = epoch;
    this.#heardTip = 0;
    this.#held.clear();
  }

  #isBehind(): boolean {
    return this.#replica.isForeign || this.#target() > this.#replica.state.seq;
  }

  #onTip(tip: number, entries: readonly LogEntry[] = []): void {
    if (this.#replica.isForeign) return;
    this.#forgetOtherEpochs();
    this.#heardTip = Math.max(this.#heardTip, tip);
    try {
      for (const entry of entries) {
        if (entry.seq <= this.#replica.state.seq) continue;
        const commit = decodeCommit(entry.bytes);
        const isTaken = this.#replica.offer(commit, entry);
        if (!isTaken && this.#held.size < HELD_MAX) this.#held.set(entry.seq, { commit, entry });
      }
      this.#takeHeld();
    } catch (error) {
      this.#fail(error);
    }
    this.nudge();
  }

  /** Applies the kept commits whose predecessors have been applied in the meantime. */
  #takeHeld(): void {
    const { state } = this.#replica;
    this.#forgetOtherEpochs();
    for (const seq of this.#held.keys()) if (seq <= state.seq) this.#held.delete(seq);
    for (;;) {
      const next = this.#held.get(state.seq + 1);
      if (!next || !this.#replica.offer(next.commit, next.entry)) return;
      this.#held.delete(next.commit.seq);
    }
  }

  /**
   * Same as `#takeHeld`, for use while the log cannot be read: it reports an error and does not throw it, because an error would end the loop that
   * follows the log.
   */
  #takeHeldAnyway(): void {
    try {
      this.#takeHeld();
    } catch (error) {
      this.#fail(error);
    }
  }

  #onApplied(seq: number): void {
    if (seq >= this.#heardTip) this.#behindSinceMs = null;
  }

  #onReplaced(): void {
    this.#logger.warn({ seq: this.#replica.state.seq }, 'the state was loaded anew from the store');
    this.#held.clear();
    this.#heardTip = this.#replica.state.seq;
    this.#behindSinceMs = null;
  }

  async #work(): Promise<void> {
    while (this.#isBehind() && !this.#closing.signal.aborted) {
      try {
        await this.#replica.catchUp();
        this.#takeHeld();
        this.#defect = null;
        if (!this.#isBehind()) break;
      } catch (error) {
        if (!(error instanceof StoreError)) this.#fail(error);
        this.#takeHeldAnyway();
      }
      await this.#clock.sleep(RETRY_MS, this.#closing.signal);
    }
    this.#working = undefined;
  }

  async #look(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      await this.#clock.sleep(LOOK_MS, this.#closing.signal);
      this.nudge();
    }
  }

  /**
   * Reports a defect. The state is not updated any more but is still served. Writes are refused, because each append finds newer commits in the log.
   */
  #fail(error: unknown): void {
    if (this.#defect) return;
    this.#defect = { since: isoTime(this.#clock.nowMs()), message: (error as Error).message };
    this.#logger.fatal({ err: error }, 'the log cannot be followed: this replica serves what it has');
  }
}
