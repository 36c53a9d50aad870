import type { Asker } from '../../../base/asker.ts';
import { FairQueue } from '../../../base/queues/fair-queue.ts';
import { Rejection } from '../../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../../base/yield-control.ts';
import type { Replica } from '../../../engine/replica.ts';
import type { Feature } from '../../../model/feature.ts';
import type { AppliedCommit, State } from '../../../state/state.ts';
import type { FlagUse } from '../../usage/flag-use.ts';
import { lastStep } from '../../usage/lifecycle.ts';
import { lifecycleSteps } from '../../usage/lifecycle-commands.ts';
import { FlagColumns } from './flag-columns.ts';
import { type Found, type PlannedSearch, searchInSteps } from './search-steps.ts';
import { Selection } from './selection.ts';

/** Maximum number of changed flags that are remembered. If more flags change between two searches, the next search compares all flags. */
const CHANGED_MAX = 10_000;

/** Maximum number of searches that wait. If there are more, the newest search of the caller with the most searches is refused. */
const WAITING_MAX = 1_000;
const TOO_MANY = new Rejection('TooManyRequestsError', 'Too many searches are waiting. Try again.', [], 1);

/** Decides what to search, or rejects the search. */
type Plan = (columns: FlagColumns) => PlannedSearch | Rejection;

/**
 * Searches flags in columns (docs/decisions/flag-search.md). The columns are created by the first search. Later, a commit only notes which flags it
 * changed, and the next search updates the columns of these flags.
 */
export class FlagSearch {
  readonly #state: State;
  readonly #flagUse: () => FlagUse;
  readonly #columns = new FlagColumns();
  readonly #selection = new Selection();
  /** Whether all flags must be compared with the columns. */
  #isOutdated = true;
  /** Whether the first search has begun. */
  #isUsed = false;
  readonly #changedFlags = new Set<string>();
  /** Projects whose list of environments may have changed. */
  readonly #changedProjects = new Set<string>();
  /** Searches run one after the other, because the columns must not change during a search. */
  readonly #waiting = new FairQueue<(isDropped?: boolean) => void>(WAITING_MAX);
  #isBusy = false;

  constructor(replica: Replica, flagUse: () => FlagUse) {
    this.#state = replica.state;
    this.#flagUse = flagUse;
    replica.onApplied((applied) => this.#note(applied));
    replica.onReplaced(() => this.#compareAll());
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

  #note({ changes, bulk }: AppliedCommit): void {
    if (this.#isOutdated) return;
    for (const { collection, key } of bulk ? [] : changes) {
      if (collection === 'features' || collection === 'lifecycles') this.#changedFlags.add(key);
      else if (collection === 'projects') this.#changedProjects.add(key);
    }
    if (bulk || this.#changedFlags.size > CHANGED_MAX) this.#compareAll();
  }

  #compareAll(): void {
    this.#isOutdated = true;
    this.#changedFlags.clear();
    this.#changedProjects.clear();
  }

  /** Updates the columns until they have all commits. Commits that are applied during a pause are included. */
  *#update(): Steps<void> {
    if (!this.#isUsed) this.#flagUse().onUse((name, environment, seenMs) => this.#noteUse(name, environment, seenMs));
    this.#isUsed = true;
    while (this.#isOutdated || this.#changedFlags.size > 0 || this.#changedProjects.size > 0) {
      if (this.#isOutdated) {
        yield* this.#updateAll();
      }
      for (const name of this.#changedFlags) {
        this.#changedFlags.delete(name);
        this.#updateFlag(name);
        yield;
      }
      for (const project of this.#changedProjects) {
        yield* this.#updateUses(project);
      }
      yield* this.#columns.sort();
    }
    // Only if the search that changed the columns was abandoned.
    yield* this.#columns.sort();
  }

  /** If the search is abandoned meanwhile, the next one compares all flags again. */
  *#updateAll(): Steps<void> {
    this.#isOutdated = false;
    let isDone = false;
    try {
      yield* this.#compareFlags();
      isDone = true;
    } finally {
      if (!isDone) this.#compareAll();
    }
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
    this.#changedProjects.delete(project);
    let isDone = false;
    try {
      for (const feature of this.#state.lookup('featuresByProject', project)) {
        const slot = this.#columns.slotOf(feature.name);
        if (slot !== undefined) seenMs[slot] = this.#newestUse(feature);
        yield;
      }
      isDone = true;
    } finally {
      if (!isDone) this.#changedProjects.add(project);
    }
  }

  #newestUse({ name, project }: Feature): number {
    return this.#flagUse().newestUseMs(name, this.#environmentsOf(project));
  }

  #environmentsOf(project: string): readonly string[] {
    return this.#state.get('projects', project)?.environments ?? [];
  }

  /** A use that was reported. If the flag's project is not known yet, the flag is in `#changedFlags`, and its last use is read with it. */
  #noteUse(name: string, environment: string, useMs: number): void {
    const columns = this.#columns;
    const slot = columns.slotOf(name);
    if (slot === undefined || useMs <= (columns.seenMs[slot] as number)) return;
    const project = columns.features[slot]?.project ?? '';
    if (this.#environmentsOf(project).includes(environment)) columns.seenMs[slot] = useMs;
  }
}
