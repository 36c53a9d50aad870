import type { Asker } from '../../base/asking/asker.ts';
import { SharedWork } from '../../base/asking/shared-work.ts';
import { type Clock, DAY_MS } from '../../base/clock.ts';
import { tenths } from '../../base/tenths.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Feature, FeatureType } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import type { AppliedChange, AppliedCommit, State } from '../../state/state.ts';
import { isPotentiallyStale } from '../flags/stale/commands.ts';
import type { FlagUse } from '../usage/flag-use.ts';
import { lifecycleSteps, STAGES_OF_USE } from '../usage/lifecycle-commands.ts';
import { type LifecycleSummary, LifecycleTally } from './lifecycle-tally.ts';

/** Maximum age of statistics in answers, in milliseconds. Some values change with time, even if no flag changes. */
const FRESH_MS = 60_000;

/** Length of the last window and of the window before it, in milliseconds. */
export const WINDOW_MS = 30 * DAY_MS;

/** The number of flags in the last window, and in the window before it. */
interface Windows {
  readonly current: number;
  readonly past: number;
}

/** Statistics of a project's flags. Archived flags are left out, unless the comment of a property includes them. */
export interface ProjectStats {
  readonly active: number;
  readonly stale: number;
  readonly potentiallyStale: number;
  readonly typeCounts: ReadonlyMap<FeatureType, number>;
  /** Name of the oldest flag, archived or not; null if the project has no flags. */
  readonly firstFlag: string | null;
  /** Ids of the creators of its flags, archived flags included. */
  readonly creators: ReadonlySet<number>;
  /** Average number of days from a flag's creation until it was first on in production, to one decimal, archived flags included; 0 if none was on. */
  readonly averageDaysToProduction: number;
  /** The same average, for the flags that were created in the last window. */
  readonly recentDaysToProduction: number;
  readonly created: Windows;
  readonly archived: Windows;
  /** When an SDK last reported any flag of the project, archived flags included; null if no SDK has reported one. */
  readonly lastSeenAt: string | null;
  /** Whether an SDK has ever reported a flag of the project, archived flags included. */
  readonly isUsed: boolean;
  readonly lifecycle: LifecycleSummary;
}

/** Provides the times at which SDKs reported flags. */
type SeenTimes = Pick<FlagUse, 'newestSeenAt'>;

/** Returns the days from the flag's creation until it was first on in production; null if it never was on, or if the time was not recorded. */
export function daysToProduction(state: StateReader, { createdAt, environments }: Feature): number | null {
  let first: number | null = null;
  for (const { environment, firstEnabledAt } of environments) {
    if (firstEnabledAt === undefined || state.get('environments', environment)?.type !== 'production') continue;
    const atMs = Date.parse(firstEnabledAt);
    if (first === null || atMs < first) first = atMs;
  }
  return first === null ? null : Math.max(0, first - Date.parse(createdAt)) / DAY_MS;
}

/** A running computation. */
interface Computation {
  readonly work: SharedWork<ProjectStats>;
  /** False after a flag of the project has changed: the result is then not cached. */
  isCurrent: boolean;
}

interface CachedStats {
  readonly stats: ProjectStats;
  readonly atMs: number;
}

/**
 * Statistics of projects. They are computed from the flags on request, in slices. They are cached for at most `FRESH_MS`, and only until a flag of
 * the project changes. A list of all projects reads only the flags of projects without cached statistics. A write costs one lookup in a map.
 */
export class ProjectStatsView {
  readonly #state: State;
  readonly #clock: Clock;
  readonly #flagUse: SeenTimes;
  /** At most one entry per project. */
  readonly #cached = new Map<string, CachedStats>();
  readonly #computations = new Map<string, Computation>();

  constructor(state: State, clock: Clock, flagUse: SeenTimes) {
    this.#state = state;
    this.#clock = clock;
    this.#flagUse = flagUse;
  }

  apply({ changes, bulk }: AppliedCommit): void {
    if (bulk) for (const project of bulk.projects) this.#forget(project);
    for (const change of bulk ? bulk.changesExceptFlags : changes) this.#applyOne(change);
  }

  /** Returns the statistics of a project. If a computation for the project is already running, returns its result; it ends with its last asker. */
  async of(project: string, asker: Asker): Promise<ProjectStats> {
    const cached = this.#cached.get(project);
    const nowMs = this.#clock.nowMs();
    if (cached && Math.abs(nowMs - cached.atMs) < FRESH_MS) return cached.stats;
    const computation = this.#computations.get(project) ?? { work: new SharedWork<ProjectStats>(), isCurrent: true };
    this.#computations.set(project, computation);
    return computation.work.ask(asker, async (askers) => {
      try {
        const stats = await this.#compute(project, nowMs, Slicer.of(askers));
        if (computation.isCurrent && this.#state.get('projects', project))
          this.#cached.set(project, { stats, atMs: nowMs });
        return stats;
      } finally {
        if (computation.isCurrent) this.#computations.delete(project);
      }
    });
  }

  #applyOne(change: AppliedChange): void {
    const { collection } = change;
    if (collection === 'features') {
      const { before, after } = change;
      if (before) this.#forget(before.project);
      if (after && after.project !== before?.project) this.#forget(after.project);
      return;
    }
    if (collection === 'projects') this.#forget(change.key);
    // The lifecycle changes when an SDK uses a flag for the first time.
    if (collection === 'lifecycles') this.#forget(this.#state.get('features', change.key)?.project ?? '');
    if (collection === 'environments' || collection === 'featureTypes') this.forgetAll();
  }

  #forget(project: string): void {
    this.#cached.delete(project);
    const computation = this.#computations.get(project);
    if (!computation) return;
    computation.isCurrent = false;
    this.#computations.delete(project);
  }

  forgetAll(): void {
    for (const project of [...this.#cached.keys(), ...this.#computations.keys()]) this.#forget(project);
  }

  async #compute(project: string, nowMs: number, slicer: Slicer): Promise<ProjectStats> {
    const tally = new Tally(this.#state, project, nowMs, this.#flagUse);
    for (const feature of this.#state.lookup('featuresByProject', project)) {
      if (slicer.spent) await slicer.pause();
      tally.add(feature);
    }
    return tally.stats();
  }
}

/** Lifecycle stages of flags that SDKs use. They stay recorded after the reports of use have expired. */
const USED_STAGES: ReadonlySet<string> = new Set(STAGES_OF_USE);

class Tally {
  readonly #state: State;
  readonly #nowMs: number;
  readonly #flagUse: SeenTimes;
  readonly #environments: readonly string[];
  readonly #typeCounts = new Map<FeatureType, number>();
  readonly #creators = new Set<number>();
  readonly #created = { current: 0, past: 0 };
  readonly #archived = { current: 0, past: 0 };
  readonly #toProduction = { days: 0, flags: 0 };
  readonly #recentToProduction = { days: 0, flags: 0 };
  readonly #lifecycle = new LifecycleTally();
  #isUsed = false;
  #active = 0;
  #stale = 0;
  #potentiallyStale = 0;
  #first: Feature | undefined;
  #lastSeenAt: string | null = null;

  constructor(state: State, project: string, nowMs: number, flagUse: SeenTimes) {
    this.#state = state;
    this.#nowMs = nowMs;
    this.#flagUse = flagUse;
    this.#environments = state.get('projects', project)?.environments ?? [];
  }

  add(feature: Feature): void {
    const { name, type, createdAt, archivedAt } = feature;
    const createdMs = Date.parse(createdAt);
    this.#creators.add(feature.createdBy.id);
    this.#count(this.#created, createdMs);
    if (archivedAt !== null) this.#count(this.#archived, Date.parse(archivedAt));
    if (
      !this.#first ||
      createdAt < this.#first.createdAt ||
      (createdAt === this.#first.createdAt && name < this.#first.name)
    )
      this.#first = feature;
    const seenAt = this.#flagUse.newestSeenAt(feature, this.#environments);
    if (seenAt !== null && (this.#lastSeenAt === null || seenAt > this.#lastSeenAt)) this.#lastSeenAt = seenAt;
    const stages = lifecycleSteps(this.#state, feature);
    this.#lifecycle.add(stages);
    this.#isUsed ||= stages.some(({ stage }) => USED_STAGES.has(stage));
    const days = daysToProduction(this.#state, feature);
    if (days !== null) {
      addDays(this.#toProduction, days);
      if (createdMs > this.#nowMs - WINDOW_MS) addDays(this.#recentToProduction, days);
    }
    if (feature.archived) return;
    this.#active++;
    this.#typeCounts.set(type, (this.#typeCounts.get(type) ?? 0) + 1);
    if (feature.stale) this.#stale++;
    else if (isPotentiallyStale(this.#state, feature, this.#nowMs)) this.#potentiallyStale++;
  }

  stats(): ProjectStats {
    return {
      active: this.#active,
      stale: this.#stale,
      potentiallyStale: this.#potentiallyStale,
      typeCounts: this.#typeCounts,
      firstFlag: this.#first?.name ?? null,
      creators: this.#creators,
      averageDaysToProduction: average(this.#toProduction),
      recentDaysToProduction: average(this.#recentToProduction),
      created: this.#created,
      archived: this.#archived,
      lastSeenAt: this.#lastSeenAt,
      isUsed: this.#isUsed || this.#lastSeenAt !== null,
      lifecycle: this.#lifecycle.summary(),
    };
  }

  #count(windows: { current: number; past: number }, atMs: number): void {
    const ageMs = this.#nowMs - atMs;
    if (ageMs < WINDOW_MS) windows.current++;
    else if (ageMs < 2 * WINDOW_MS) windows.past++;
  }
}

interface Days {
  days: number;
  flags: number;
}

function addDays(sum: Days, days: number): void {
  sum.days += days;
  sum.flags++;
}

function average({ days, flags }: Days): number {
  return flags === 0 ? 0 : tenths(days / flags);
}
