import { DAY_MS, HOUR_MS } from '../../base/clock.ts';
import type { Scope } from '../../model/caller.ts';
import type { CounterRecorder } from './counter-recorder.ts';
import type { FlagUse } from './flag-use.ts';
import type { FlagSums, Location } from './report-sums.ts';
import {
  APPLICATION_STRATEGIES,
  APPLICATION_USES,
  FRONTEND_KIND,
  hourOf,
  INSTANCES,
  LAST_USES,
  NO,
  nameOf,
  RECENT_USES,
  UNKNOWN_FLAGS,
  usesByDay,
  usesByHour,
  VARIANT_MARK,
  YES,
} from './use-series.ts';

/** Maximum number of projects of a token that are counted. */
const PROJECTS_MAX = 20;

/** Counts the sums of one location under the application's name. Yields after each piece: the name of the flag that was used, or undefined. */
export function* countLocation(
  location: Location,
  appName: string,
  counts: CounterRecorder,
  flagUse: FlagUse,
): Generator<string | undefined, void, void> {
  const { scope, hourMs, seenMs } = location;
  const { environment } = scope;
  for (const [flag, sums] of location.flags) {
    counts.count(APPLICATION_USES, nameOf(appName, environment, flag), seenMs);
    if (sums.yes + sums.no === 0) continue;
    // The last use is counted first, so that a reader that sees the counts of the next line also sees the last use.
    counts.count(LAST_USES, nameOf(flag, environment), seenMs);
    countFlag(flag, sums, { environment, appName, hourMs, isRecent: hourMs >= hourOf(seenMs) - HOUR_MS }, counts);
    flagUse.note(flag, environment, { yes: sums.yes, no: sums.no, seenMs, hourMs });
    yield flag;
  }
  for (const flag of location.unknown) {
    counts.count(UNKNOWN_FLAGS, nameOf(flag, appName, environment), seenMs);
    yield undefined;
  }
  const kind = location.side.isPublic ? [FRONTEND_KIND] : [];
  for (const [id, { sdk, address }] of location.instances) {
    counts.count(INSTANCES, nameOf(appName, environment, id, sdk, address, ...kind), seenMs);
    yield undefined;
  }
  for (const project of projectsOf(scope)) {
    counts.count(APPLICATION_USES, nameOf(appName, environment, '', project), seenMs);
    yield undefined;
  }
  if (!location.strategies) return;
  // All strategies get the same time, which shows that they belong together. The empty name stands for an SDK without strategies.
  for (const strategy of ['', ...location.strategies]) {
    counts.count(APPLICATION_STRATEGIES, nameOf(appName, strategy), seenMs);
    yield undefined;
  }
}

interface Where {
  readonly environment: string;
  readonly appName: string;
  readonly hourMs: number;
  /** Whether it is the current or the previous hour. */
  readonly isRecent: boolean;
}

function countFlag(flag: string, { yes, no, variants }: FlagSums, where: Where, counts: CounterRecorder): void {
  const { environment, appName, hourMs, isRecent } = where;
  const [byHour, byDay] = [usesByHour(flag), usesByDay(flag)];
  const count = (kind: string, times: number) => {
    if (times === 0) return;
    const name = nameOf(flag, environment, appName, kind);
    counts.count(byHour, name, times, hourMs);
    counts.count(byDay, name, times, hourMs - (hourMs % DAY_MS));
  };
  count(YES, yes);
  count(NO, no);
  for (const [variant, { times }] of variants ?? []) count(VARIANT_MARK + variant, times);
  if (isRecent && yes > 0) counts.count(RECENT_USES, nameOf(flag, environment, YES), yes, hourMs);
  if (isRecent && no > 0) counts.count(RECENT_USES, nameOf(flag, environment, NO), no, hourMs);
}

function projectsOf({ projects }: Scope): readonly string[] {
  return projects === null ? ['*'] : [...projects].slice(0, PROJECTS_MAX);
}
