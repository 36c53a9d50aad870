import { type Asker, SERVICE } from '../../base/asking/asker.ts';
import { SharedWork } from '../../base/asking/shared-work.ts';
import { sortedInSteps } from '../../base/lists/sorted.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Replica } from '../../engine/replica.ts';
import type { Feature } from '../../model/feature.ts';
import type { State } from '../../state/state.ts';
import { isBefore, type Moment } from '../../views/client/list-moment.ts';
import type { ChangesSince, RecentChanges } from '../flags/recent-changes.ts';
import { divideAgain, divided, type IndexBlock, inIndexOrder } from './index-blocks.ts';
import { hasSameRows, type Layout, layoutOf } from './index-rows.ts';

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
 * The index of all flags as bytes (docs/decisions/flag-index.md). It is created by the first request. Later, a request for the whole index, or a timer if
 * there are such requests, renews the blocks of the flags that changed (`flags/recent-changes.ts`).
 */
export class FlagIndex {
  readonly #state: State;
  #snapshot: IndexSnapshot | undefined;
  readonly #renewal = new SharedWork<void>();
  readonly #recent: RecentChanges;
  #layout: Layout | undefined;
  #layoutMoment: Moment | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether somebody asked for the whole index since the last renewal by the timer. */
  #isRequested = false;

  constructor(replica: Replica, recent: RecentChanges) {
    this.#state = replica.state;
    this.#recent = recent;
    replica.onApplied(() => {
      if (this.#isRequested && this.#snapshot) this.#timer ??= this.#startTimer();
    });
  }

  /** The current layout. */
  get layout(): Layout {
    const { seq, generation } = this.#state;
    const changed = this.#recent.since(this.#layoutMoment);
    if (!this.#layout || !changed || changed.environments || changed.projects.size > 0)
      this.#layout = layoutOf(this.#state, this.#layout);
    this.#layoutMoment = { seq, generation };
    return this.#layout;
  }

  /** Returns the index at this moment or at a later one. Concurrent callers wait for the same work, which ends with the last of them. */
  async renewed(asker: Asker): Promise<IndexSnapshot> {
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
    const renewed = await inSlices(this.#divide(), slicer);
    for (const block of renewed.blocks) await block.columns('rows', slicer);
    this.#snapshot = renewed;
  }

  /** The blocks at one moment: that of the last step in which it reads the state. */
  *#divide(): Steps<IndexSnapshot> {
    const before = this.#snapshot;
    const changed = this.#recent.since(before);
    if (!before || !changed || !hasSameRows(before.layout, this.layout)) {
      const flags = yield* this.#readFlags();
      const moment = this.#moment;
      return { ...moment, blocks: yield* divided(yield* sortedInSteps(flags.values(), inIndexOrder), moment.layout) };
    }
    const moment = this.#moment;
    const { flags } = changed;
    if (flags.size === 0) return { ...moment, blocks: before.blocks };
    const sorted = yield* sortedInSteps(this.#now(flags), inIndexOrder);
    return { ...moment, blocks: yield* divideAgain(before.blocks, moment.layout, flags, sorted) };
  }

  /** Those of the flags that exist. */
  #now(flags: ChangesSince['flags']): Feature[] {
    return Array.from(flags.keys()).flatMap((name) => this.#state.get('features', name) ?? []);
  }

  get #moment(): IndexMoment {
    const { seq, generation, revisions } = this.#state;
    return { seq, generation, mark: revisions.mark(seq), layout: this.layout };
  }

  /** Reads all flags in steps, and in the last step those that changed meanwhile: the result is the state at that step. */
  *#readFlags(): Steps<Map<string, Feature>> {
    for (;;) {
      const begin = this.#moment;
      const found = new Map<string, Feature>();
      for (const feature of this.#state.values('features')) {
        found.set(feature.name, feature);
        if (found.size % STEP_FLAGS === 0) yield;
      }
      const changed = this.#recent.since(begin);
      if (!changed) continue;
      for (const name of changed.flags.keys()) found.delete(name);
      for (const feature of this.#now(changed.flags)) found.set(feature.name, feature);
      return found;
    }
  }
}
