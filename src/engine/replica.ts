import { SERVICE } from '../base/asking/asker.ts';
import type { Logger } from '../base/logger.ts';
import { inSlices, inSlicesWhile, Slicer } from '../base/yield-control.ts';
import { type Commit, decodeInSteps } from '../state/commit.ts';
import { dropsSecret } from '../state/dropped-secrets.ts';
import { decodeSnapshot, encodeSnapshot, StateReplacedError } from '../state/snapshot.ts';
import { APPLIED_AT_ONCE_BYTES, APPLIED_AT_ONCE_MAX, type AppliedCommit, State } from '../state/state.ts';
import type { SharedStore } from '../stores/shared-store.ts';
import {
  type EntryOrigin,
  type LogEntry,
  type Store,
  StoreError,
  type StoreOpening,
  TrimmedError,
} from '../stores/store.ts';
import { LogWeight } from './log-weight.ts';
import { RevisionWaiters } from './revision-waiters.ts';

/** The number of log entries that one read returns while the replica catches up. */
const READ_LIMIT = 256;

/** The part of an epoch that goes into ETags. */
export function historyMark(epoch: string): string {
  return epoch.slice(0, 8);
}

/**
 * `bytes`: the encoded commit, as it is in the log; undefined when the code that applied the commit did not have it. A listener that keeps the bytes
 * must copy them: they may be a slice of a received message.
 */
type AppliedListener = (applied: AppliedCommit, bytes?: Uint8Array) => void;

/** Data that is derived from a state that will replace the live one. Until the replacement, every commit of that state is passed to `apply`. */
export interface Successor {
  apply(applied: AppliedCommit): void;
  /** Called in the same turn of the event loop in which the state is replaced. */
  takeOver(): void;
}

/** Prepares all data that clients will request from a state that is about to replace the live one. */
type Preparation = (next: State) => Promise<Successor>;

/**
 * The live state and its listeners. Commits arrive from two sides: from the writer, which has just stored them, and from the log, which also contains
 * the commits of other processes. Each commit is applied once, in order, when the first of the two sides delivers it. Listeners (views) run in the
 * same turn of the event loop, so no request sees a difference between state and views.
 *
 * If the log was trimmed beyond the position of the state, the state cannot follow the log any more: a new state is loaded next to the live one, and
 * replaces it in one turn of the event loop (docs/decisions/replicas-replacing-state.md).
 */
export class Replica {
  readonly state: State;
  readonly waiters: RevisionWaiters;
  /** How much the log contains after the newest snapshot, as far as this replica has read or written it. */
  readonly logWeight = new LogWeight();
  readonly #store: Store;
  readonly #listeners: AppliedListener[] = [];
  readonly #replacedListeners: (() => void)[] = [];
  #prepare: Preparation = async () => ({ apply: () => {}, takeOver: () => {} });
  #catchingUp: Promise<void> | undefined;
  /** The run of `catchUp` that follows the current run. */
  #nextCatchUp: Promise<void> | undefined;
  /** Pending while the changes of a large commit are moved into the tables of the state. The next commit waits for it. */
  #settling: Promise<void> | undefined;
  #isForeign = false;
  /** Set only in a replica that is not live: the origin of the newest entry that was applied to its state. */
  #newest: EntryOrigin | undefined;
  readonly #isLive: boolean;
  #secretDroppedSeq = 0;

  /** A replica that is not live (`isLive: false`) loads a state that is to replace the live one. */
  constructor(state: State, store: Store, { isLive = true, secretDroppedSeq = 0 } = {}) {
    this.state = state;
    this.#store = store;
    this.#isLive = isLive;
    this.#secretDroppedSeq = secretDroppedSeq;
    this.waiters = new RevisionWaiters(state);
  }

  onApplied(listener: AppliedListener): void {
    this.#listeners.push(listener);
  }

  /** Adds a listener, which is called when another state has replaced this one, in the same turn of the event loop. */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.push(listener);
  }

  /** Adds a preparation that must finish before a state may replace the live one. */
  prepareWith(preparation: Preparation): void {
    this.#prepare = preparation;
  }

  /**
   * The sequence number of the newest applied commit that removed a secret from the state, while the store may still contain the secret: that is,
   * until a snapshot covers the commit and the older data is erased. 0 when there is no such commit.
   */
  get secretDroppedSeq(): number {
    return this.#secretDroppedSeq;
  }

  /** Called when the store no longer contains the secrets that were removed by commits up to `seq`. */
  erasedThrough(seq: number): void {
    if (this.#secretDroppedSeq <= seq) this.#secretDroppedSeq = 0;
  }

  /**
   * Whether the state belongs to another history than the store's. Then no commit is applied to it, and no commit that was decided on it may be
   * appended.
   */
  get isForeign(): boolean {
    return this.#isForeign;
  }

  /** Marks the state as one of another history. The next `catchUp` replaces it by the state of the store. Until then, it is still served. */
  distrust(): void {
    this.#isForeign = true;
  }

  /** Undoes `distrust`, when the history that was to be adopted is not in the store any more. The state did not change after `distrust`. */
  trust(): void {
    this.#isForeign = false;
  }

  /**
   * The state as the pieces of a snapshot for the store. Throws if the state is found to belong to another history than the store's: then it must not
   * become part of the store's history. @throws StateReplacedError
   */
  async *snapshot(): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of encodeSnapshot(this.state, SERVICE)) {
      if (this.#isForeign) throw new StateReplacedError();
      yield piece;
    }
    if (this.#isForeign) throw new StateReplacedError();
  }

  /** The mark of the epoch that is followed; "" for a store whose history is never replaced. */
  get mark(): string {
    const { epoch } = this.#store as Partial<SharedStore>;
    return epoch ? historyMark(epoch) : '';
  }

  /**
   * Applies the commit if it is the next one. Returns true also for a commit that was applied earlier. Returns false when the commit is not applied:
   * earlier commits are missing, the commit must be passed to `take`, or it is not part of the state's history. `entry` is the commit as it is in the
   * log.
   */
  offer(commit: Commit, entry?: LogEntry): boolean {
    if (this.#isForeign) return false;
    if (commit.seq <= this.state.seq) return true;
    if (commit.seq > this.state.seq + 1 || this.#settling || isLarge(commit, entry)) return false;
    if (!this.#mayTake(commit.seq, entry?.origin)) return false;
    this.#notify(this.state.apply(commit, markOf(entry?.origin)), entry?.bytes);
    return true;
  }

  /** Same as `offer`, but also applies a large commit: it is prepared in slices, and becomes visible as a whole. */
  async take(commit: Commit, entry?: LogEntry, slicer = Slicer.of(SERVICE)): Promise<boolean> {
    while (this.#settling) await this.#settling;
    if (!isLarge(commit, entry) || this.#isForeign || commit.seq !== this.state.seq + 1)
      return this.offer(commit, entry);
    const { state } = this;
    const { generation } = state;
    const isNext = () => state.generation === generation && state.seq + 1 === commit.seq && !this.#isForeign;
    const staged = await inSlicesWhile(state.stage(commit), isNext, slicer);
    // During the pauses a commit was applied, another state replaced this one, or another large commit began to settle: the commit is tried again.
    if (!staged || this.#settling) return await this.take(commit, entry, slicer);
    if (!this.#mayTake(commit.seq, entry?.origin)) return false;
    const applied = state.publish(staged, markOf(entry?.origin));
    this.#settling = inSlices(state.settle(), Slicer.of(SERVICE)).finally(() => {
      this.#settling = undefined;
    });
    this.#notify(applied, entry?.bytes);
    return true;
  }

  #notify(applied: AppliedCommit, bytes: Uint8Array | undefined): void {
    this.logWeight.add(applied);
    if (dropsSecret(applied.commit)) this.#secretDroppedSeq = applied.commit.seq;
    for (const listener of this.#listeners) listener(applied, bytes);
    this.waiters.wake();
  }

  /**
   * Brings the state to the tip of the log, in slices. There is only one run at a time. A call during a run gets the result of the next run, because
   * the caller may know of entries that the current run does not read any more.
   */
  catchUp(): Promise<void> {
    if (this.#catchingUp) {
      const repeat = () => {
        this.#nextCatchUp = undefined;
        return this.catchUp();
      };
      this.#nextCatchUp ??= this.#catchingUp.then(repeat, repeat);
      return this.#nextCatchUp;
    }
    this.#catchingUp = this.#followLog().finally(() => {
      this.#catchingUp = undefined;
    });
    return this.#catchingUp;
  }

  /**
   * Reports to the shared store that the state has reached the end of the log, as far as it was read. `newest` is the origin of the newest entry. If
   * it is missing, the store uses the tip that its last read found.
   */
  announcePosition(newest?: EntryOrigin): void {
    if (this.#isLive) (this.#store as Partial<SharedStore>).noteStatePosition?.(this.state.seq, newest);
  }

  /**
   * Whether an entry may be applied: the shared store decides whether the entry is part of the followed history. A state that is not live does not
   * ask the store, because the store would record its position. Its position is reported when it replaces the live state.
   */
  #mayTake(seq: number, origin: EntryOrigin | undefined): boolean {
    if (!origin) return true;
    if (this.#isLive) return (this.#store as Partial<SharedStore>).take?.(seq, origin) ?? true;
    this.#newest = origin;
    return true;
  }

  async #followLog(): Promise<void> {
    try {
      if (!this.#isForeign) await readLog(this.#store, this);
      if (!this.#isForeign) return;
    } catch (error) {
      if (!(error instanceof TrimmedError)) throw error;
    }
    await this.#loadAnew();
  }

  async #loadAnew(): Promise<void> {
    const { epoch } = this.#store as Partial<SharedStore>;
    const snapshot = await this.#store.loadSnapshot();
    const state = snapshot ? await decodeSnapshot(snapshot.pieces) : new State();
    const next = new Replica(state, this.#store, { isLive: false });
    await readLog(this.#store, next);
    const successor = await this.#prepare(state);
    next.onApplied((applied) => successor.apply(applied));
    await readLog(this.#store, next);
    if ((this.#store as Partial<SharedStore>).epoch !== epoch) {
      throw new StoreError('another epoch began while the state was loaded anew', 'not-appended');
    }
    // The next commit may follow immediately after the state has replaced the live one, so no large commit may still be settling.
    while (next.#settling) await next.#settling;
    if (!this.#isForeign && state.seq < this.state.seq) {
      throw new StoreError(
        `the log ends at commit ${state.seq}, but this replica has already applied commit ${this.state.seq}`,
        'not-appended',
      );
    }
    this.state.replaceWith(state);
    successor.takeOver();
    // Sequence numbers of another history have no meaning in this one. In the same history, the store may still contain a secret that a commit before
    // the loaded snapshot removed.
    const dropped = this.#isForeign ? 0 : this.#secretDroppedSeq;
    this.#secretDroppedSeq = Math.max(dropped, next.#secretDroppedSeq);
    this.logWeight.copyFrom(next.logWeight);
    this.#isForeign = false;
    this.announcePosition(next.#newest);
    for (const listener of this.#replacedListeners) listener();
    this.waiters.wake();
  }
}

/**
 * Whether a commit is large by the number of its changes or by its bytes: a hundred flags with fifty environments are as much work as thousands of
 * small flags.
 */
function isLarge({ changes }: Commit, entry: LogEntry | undefined): boolean {
  return (
    changes.length > APPLIED_AT_ONCE_MAX || (changes.length > 1 && (entry?.bytes.length ?? 0) > APPLIED_AT_ONCE_BYTES)
  );
}

/** The mark of the epoch in which the entry was appended; "" for a store whose history is never replaced: its entries have no origin. */
function markOf(origin: EntryOrigin | undefined): string {
  return origin ? historyMark(origin.epoch) : '';
}

async function readLog(store: Store, replica: Replica): Promise<void> {
  const slicer = Slicer.of(SERVICE);
  for (;;) {
    const entries = await store.read(replica.state.seq + 1, READ_LIMIT);
    for (const entry of entries) {
      if (entry.seq <= replica.state.seq) continue;
      const isTaken = await replica.take(await inSlices(decodeInSteps(entry.bytes), slicer), entry, slicer);
      if (replica.isForeign) return;
      if (!isTaken) throw new StoreError(`commit ${entry.seq} is not part of the history any more`, 'not-appended');
      if (slicer.spent) await slicer.pause();
    }
    if (entries.length < READ_LIMIT) {
      if (entries.length === 0) replica.announcePosition();
      return;
    }
  }
}

/** Loads the newest snapshot, if one exists, and replays the log after it. Throws when either cannot be read: a start must not lose data. */
export async function recover(store: Store, opening: StoreOpening, empty: State, logger: Logger): Promise<Replica> {
  const startedMs = performance.now();
  const snapshot = await store.loadSnapshot();
  const state = snapshot ? await decodeSnapshot(snapshot.pieces) : empty;
  if (opening.firstSeq > state.seq + 1) {
    throw new StoreError(
      `the log starts at ${opening.firstSeq} but the snapshot ends at ${state.seq}: the commits between them are missing`,
      'not-appended',
    );
  }
  const replica = new Replica(state, store);
  await replica.catchUp();
  logger.info(
    { seq: state.seq, snapshotSeq: snapshot?.info.seq ?? 0, tookMs: Math.round(performance.now() - startedMs) },
    'recovered',
  );
  return replica;
}
