import type { Asker } from '../../../base/asking/asker.ts';
import { FairQueue } from '../../../base/queues/fair-queue.ts';
import { Rejection } from '../../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../../base/yield-control.ts';
import type { Feature } from '../../../model/feature.ts';
import type { State } from '../../../state/state.ts';
import type { Moment } from '../../../views/client/list-moment.ts';
import type { FlagUse } from '../../usage/flag-use.ts';
import { lastStep } from '../../usage/lifecycle.ts';
import { lifecycleSteps } from '../../usage/lifecycle-commands.ts';
import type { ChangesSince, RecentChanges } from '../recent-changes.ts';
import { FlagColumns } from './flag-columns.ts';
import { type Found, type PlannedSearch, searchInSteps } from './search-steps.ts';
import { Selection } from './selection.ts';

/** Maximum number of searches that wait. If there are more, the newest search of the caller with the most searches is refused. */
const WAITING_MAX = 1_000;
const TOO_MANY = new Rejection('TooManyRequestsError', 'Too many searches are waiting. Try again.', [], 1);

/** Decides what to search, or rejects the search. */
type Plan = (columns: FlagColumns) => PlannedSearch | Rejection;

/**
 * Searches flags in columns (docs/decisions/flag-search.md). The columns are created by the first search. Later, each search updates the columns
 * of the flags that changed since the search before it (`recent-changes.ts`).
 */
export class FlagSearch {
  readonly #state: State;
  readonly #flagUse: () => FlagUse;
  readonly #columns = new FlagColumns();
  readonly #selection = new Selection();
  readonly #recent: RecentChanges;
  /** The columns contain all earlier commits. Undefined before the first search. */
  #moment: Moment | undefined;
  #followsUse = false;
  /** Searches run one after the other, because the columns must not change during a search. */
  readonly #waiting = new FairQueue<(isDropped?: boolean) => void>(WAITING_MAX);
  #isBusy = false;

  constructor(state: State, recent: RecentChanges, flagUse: () => FlagUse) {
    this.#state = state;
    this.#recent = recent;
    this.#flagUse = flagUse;
  }

  /** Calls `plan` when it is the turn of the search, and runs the search. `asker`: who waits for it. */
  async find(asker: Asker, plan: Plan): Promise<Found | Rejection> {
    if (this.#isBusy) {
      const isDropped = await new Promise<boolean | undefined>((resolve) =>
        this.#waiting.add(asker.holder, resolve)?.(true),
      );
      if (isDropped) return TOO_MANY;
    }
    this.#isBusy = true;
    try {
      return await inSlices(this.#run(plan), Slicer.of(asker));
    } finally {
      const next = this.#waiting.take();
      if (next) next();
      else this.#isBusy = false;
    }
  }

  *#run(plan: Plan): Steps<Found | Rejection> {
    yield* this.#update();
    // No pause between the update and the plan, so the answer contains all earlier commits.
    const planned = plan(this.#columns);
    return planned instanceof Rejection ? planned : yield* searchInSteps(planned, this.#columns, this.#selection);
  }

  /** Updates the columns until they have all commits. Commits that are applied during a pause are included. An abandoned update begins again. */
  *#update(): Steps<void> {
    if (!this.#followsUse) this.#flagUse().onUse((name, environment, ms) => this.#noteUse(name, environment, ms));
    this.#followsUse = true;
    for (;;) {
      const { seq, generation } = this.#state;
      const changed = this.#recent.since(this.#moment);
      if (changed) yield* this.#updateFlags(changed);
      else yield* this.#compareFlags();
      yield* this.#columns.sort();
      this.#moment = { seq, generation };
      if (seq === this.#state.seq && generation === this.#state.generation) return;
    }
  }

  *#updateFlags({ flags, stages, projects }: ChangesSince): Steps<void> {
    for (const names of [flags.keys(), stages]) {
      for (const name of names) {
        this.#updateFlag(name);
        yield;
      }
    }
    for (const project of projects) yield* this.#updateUses(project);
  }

  *#compareFlags(): Steps<void> {
    const columns = this.#columns;
    for (const { name } of this.#state.values('features')) {
      this.#updateFlag(name);
      yield;
    }
    if (columns.size === this.#state.size('features')) return;
    for (const name of columns.names()) {
      if (!this.#state.get('features', name)) columns.remove(name);
      yield;
    }
  }

  #updateFlag(name: string): void {
    const feature = this.#state.get('features', name);
    if (!feature) this.#columns.remove(name);
    else {
      const { stage } = lastStep(lifecycleSteps(this.#state, feature));
      this.#columns.put(feature, { stage, seenMs: this.#newestUse(feature) });
    }
  }

  *#updateUses(project: string): Steps<void> {
    const { seenMs } = this.#columns;
    for (const feature of this.#state.lookup('featuresByProject', project)) {
      const slot = this.#columns.slotOf(feature.name);
      if (slot !== undefined) seenMs[slot] = this.#newestUse(feature);
      yield;
    }
  }

  #newestUse({ name, project }: Feature): number {
    return this.#flagUse().newestUseMs(name, this.#environmentsOf(project));
  }

  #environmentsOf(project: string): readonly string[] {
    return this.#state.get('projects', project)?.environments ?? [];
  }

  /** A use that was reported. If the flag's project is not known yet, the next search reads the last use with the flag. */
  #noteUse(name: string, environment: string, useMs: number): void {
    const columns = this.#columns;
    const slot = columns.slotOf(name);
    if (slot === undefined || useMs <= (columns.seenMs[slot] as number)) return;
    const project = columns.features[slot]?.project ?? '';
    if (this.#environmentsOf(project).includes(environment)) columns.seenMs[slot] = useMs;
  }
}
