import { type Clock, isoTime } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import { type Commit, decodeCommit } from '../state/commit.ts';
import type { SharedStore } from '../stores/shared-store.ts';
import { type LogEntry, StoreError } from '../stores/store.ts';
import type { Replica } from './replica.ts';

/** How often the follower looks whether it is behind, whatever hints it got. The store itself asks for the tip as often. */
const LOOK_MS = 1_000;
/** Between two tries on a store that cannot be read. */
const RETRY_MS = 200;
/** Commits that rode along with hints and wait for those before them. More are read from the log. */
const HELD_MAX = 4_096;

export interface Lag {
  /** Commits that are known to be in the log and not yet in the state. */
  readonly commits: number;
  /** For how long there have been any. */
  readonly ms: number;
}

/**
 * Keeps a replica in step with a log that others append to. Hints bring commits within milliseconds; what they skip is read from the log,
 * which is the truth; a look every second is the net under both.
 */
export class Follower {
  readonly #replica: Replica;
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #closing = new AbortController();
  #unsubscribe: () => void = () => {};
  /** Of the history that `#heardEpoch` names, as is everything that is kept here. */
  #heardTip = 0;
  #heardEpoch = '';
  /** By sequence number. */
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

  /** Whether the state has reached the log's tip since this process began. Before that it may be as old as the local copy. */
  get joined(): boolean {
    return this.#joined;
  }

  get lag(): Lag {
    const commits = Math.max(0, this.#target() - this.#replica.state.seq);
    const since = this.#behindSinceMs;
    return { commits, ms: commits === 0 || since === null ? 0 : Math.max(0, this.#clock.nowMs() - since) };
  }

  /** Why the log is not followed any more, or null. Not the store's absence: what another version of Burgee wrote, for instance. */
  get defect(): { readonly since: string; readonly message: string } | null {
    return this.#defect;
  }

  /** Brings the state to the tip of a store that is open, for the first time, and follows from then on. @throws StoreError */
  async join(): Promise<void> {
    if (!this.#looking) {
      this.#unsubscribe = this.#store.onTip((tip, entries) => this.#onTip(tip, entries));
      this.#looking = this.#look();
    }
    await this.#replica.catchUp();
    this.#joined = true;
  }

  /** Catches up in the background, if that is due. */
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

  /** Commits that wait for earlier ones, which may have come by now. */
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

  /** As `#takeHeld`, while the log cannot be read: nothing of it may leave the loop that follows. */
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

  /** The state stays where it is, and is served; nothing can be written on it, because appends find the log ahead of it. */
  #fail(error: unknown): void {
    if (this.#defect) return;
    this.#defect = { since: isoTime(this.#clock.nowMs()), message: (error as Error).message };
    this.#logger.fatal({ err: error }, 'the log cannot be followed: this replica serves what it has');
  }
}
