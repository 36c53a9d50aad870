import { type Asker, SERVICE } from '../../base/asking/asker.ts';
import { SharedWork } from '../../base/asking/shared-work.ts';
import { sortedInSteps } from '../../base/lists/sorted.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Feature } from '../../model/feature.ts';
import type { AppliedCommit, State } from '../../state/state.ts';
import { isBefore, type Moment } from '../../views/client/list-moment.ts';
import { divideAgain, divided, type IndexBlock, inIndexOrder } from './index-blocks.ts';
import { hasSameRows, type Layout, layoutOf } from './index-rows.ts';
import { RecentFlags } from './recent-flags.ts';

/** Maximum number of changed flags that are remembered. If more flags change between two renewals, the next renewal reads all flags. */
const TOUCHED_MAX = 10_000;

/**
 * Interval of renewals without a request for the whole index: this time, and additional time for each flag. A renewal of all blocks takes about 5 µs of processor time for
 * each flag, so renewals use at most a twentieth of the time.
 */
const RENEWAL_MS = 5_000;
const RENEWAL_MS_PER_FLAG = 0.1;

/** Number of flags that are read in one step. */
const STEP_FLAGS = 64;

/** The index of all flags at one moment. Immutable. */
export interface IndexSnapshot extends IndexMoment {
  readonly blocks: readonly IndexBlock[];
}

interface IndexMoment extends Moment {
  /** The mark of the history that the sequence number belongs to. */
  readonly mark: string;
  readonly layout: Layout;
}

/**
 * The index of all flags as bytes (docs/decisions/flag-index.md). It is created by the first request. Later, a commit only notes which flags it changed.
 * A request for the whole index, or a timer if there are such requests, renews the blocks of these flags.
 */
export class FlagIndex {
  readonly #state: State;
  #snapshot: IndexSnapshot | undefined;
  readonly #renewal = new SharedWork<void>();
  /** Undefined until the first request. */
  #recent: RecentFlags | undefined;
  /** Whether all flags must be read. */
  #isOutdated = true;
  /** The flags that changed after the snapshot, as they are in the snapshot. */
  readonly #touched = new Map<string, Feature | undefined>();
  #layout: Layout | undefined;
  #isLayoutOutdated = true;
  #timer: NodeJS.Timeout | undefined;
  /** Whether somebody asked for the whole index since the last renewal by the timer. */
  #isRequested = false;

  constructor(replica: Replica) {
    this.#state = replica.state;
    replica.onApplied((applied) => this.#note(applied));
    replica.onReplaced(() => {
      this.#readAll();
      this.#isLayoutOutdated = true;
      this.#recent?.restart(this.#state.seq);
    });
  }

  /** Which flags changed recently: those after the first call. */
  get recent(): RecentFlags {
    this.#recent ??= new RecentFlags(this.#state.seq);
    return this.#recent;
  }

  /** The current layout. */
  get layout(): Layout {
    if (this.#layout === undefined || this.#isLayoutOutdated) this.#layout = layoutOf(this.#state, this.#layout);
    this.#isLayoutOutdated = false;
    return this.#layout;
  }

  /** Returns the index at this moment or at a later one. Concurrent callers wait for the same work, which ends with the last of them. */
  async renewed(asker: Asker): Promise<IndexSnapshot> {
    void this.recent;
    this.#isRequested = true;
    const { seq, generation } = this.#state;
    for (;;) {
      const snapshot = this.#snapshot;
      if (snapshot && !isBefore(snapshot, { seq, generation })) return snapshot;
      await this.#renewal.ask(asker, (askers) => this.#renew(askers));
    }
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #note(applied: AppliedCommit): void {
    if (this.#recent === undefined) return;
    this.#recent.note(applied);
    const { changes, bulk } = applied;
    const isTooMuch = changes.length > TOUCHED_MAX;
    for (const change of isTooMuch ? (bulk?.changesExceptFlags ?? []) : changes) {
      const { collection, key } = change;
      if (collection === 'projects' || collection === 'environments') this.#isLayoutOutdated = true;
      else if (collection === 'features' && !this.#isOutdated && !this.#touched.has(key))
        this.#touched.set(key, change.before);
    }
    if (isTooMuch || this.#touched.size > TOUCHED_MAX) this.#readAll();
    if (this.#isRequested && this.#snapshot) this.#timer ??= this.#startTimer();
  }

  #readAll(): void {
    this.#isOutdated = true;
    this.#touched.clear();
  }

  #startTimer(): NodeJS.Timeout {
    const delayMs = RENEWAL_MS + this.#state.size('features') * RENEWAL_MS_PER_FLAG;
    const timer = setTimeout(() => {
      this.#timer = undefined;
      // Work of the service: the timer renews the index for later requests.
      void this.renewed(SERVICE);
      this.#isRequested = false;
    }, delayMs);
    return timer.unref();
  }

  async #renew(asker: Asker): Promise<void> {
    const slicer = Slicer.of(asker);
    const renewed = await inSlices(this.#divideOrReadAll(), slicer);
    for (const block of renewed.blocks) await block.columns('rows', slicer);
    this.#snapshot = renewed;
  }

  /** If the work is abandoned, the next renewal reads all flags. */
  *#divideOrReadAll(): Steps<IndexSnapshot> {
    let isDone = false;
    try {
      const snapshot = yield* this.#divide();
      isDone = true;
      return snapshot;
    } finally {
      if (!isDone) this.#readAll();
    }
  }

  /** The blocks at one moment: that of the last step in which it reads the state. */
  *#divide(): Steps<IndexSnapshot> {
    const before = this.#snapshot;
    if (!before || this.#isOutdated || !hasSameRows(before.layout, this.layout)) {
      const flags = yield* this.#readFlags();
      const moment = this.#moment;
      return { ...moment, blocks: yield* divided(yield* sortedInSteps(flags.values(), inIndexOrder), moment.layout) };
    }
    const moment = this.#moment;
    if (this.#touched.size === 0) return { ...moment, blocks: before.blocks };
    const removed = new Set<Feature>();
    const added: Feature[] = [];
    for (const [name, feature] of this.#touched) {
      if (feature) removed.add(feature);
      const after = this.#state.get('features', name);
      if (after) added.push(after);
    }
    this.#touched.clear();
    const sorted = yield* sortedInSteps(added, inIndexOrder);
    return { ...moment, blocks: yield* divideAgain(before.blocks, moment.layout, removed, sorted) };
  }

  get #moment(): IndexMoment {
    const { seq, generation, revisions } = this.#state;
    return { seq, generation, mark: revisions.mark(seq), layout: this.layout };
  }

  /** Reads all flags in steps, and in the last step those that changed meanwhile: the result is the state at that step. */
  *#readFlags(): Steps<Map<string, Feature>> {
    for (;;) {
      this.#isOutdated = false;
      const found = new Map<string, Feature>();
      for (const feature of this.#state.values('features')) {
        found.set(feature.name, feature);
        if (found.size % STEP_FLAGS === 0) yield;
      }
      if (this.#isOutdated) continue;
      for (const name of this.#touched.keys()) {
        const feature = this.#state.get('features', name);
        if (feature) found.set(name, feature);
        else found.delete(name);
      }
      this.#touched.clear();
      return found;
    }
  }
}
