import { DAY_MS } from '../../base/clock.ts';
import type { Scope } from '../../model/caller.ts';
import type { CounterRecorder } from './counter-recorder.ts';
import type { FlagUse } from './flag-use.ts';
import type { ApplicationSums, FlagSums } from './report-sums.ts';
import {
  APPLICATION_STRATEGIES,
  APPLICATION_USES,
  FRONTEND_KIND,
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

/**
 * Counts the sums of one application for one hour and scope, under the name `appName`. Yields after each step: the name of the flag that was counted,
 * or undefined if the step was not about the use of a flag.
 */
export function* countApplication(
  application: ApplicationSums,
  appName: string,
  counts: CounterRecorder,
  flagUse: FlagUse,
): Generator<string | undefined, void, void> {
  const { scope, hourMs, seenMs } = application;
  const { environment } = scope;
  for (const [flag, sums] of application.flags) {
    counts.count(APPLICATION_USES, nameOf(appName, environment, flag), seenMs);
    if (sums.yes + sums.no === 0) continue;
    // The last use is counted before the uses, so that a reader that sees the uses also sees the last use.
    counts.count(LAST_USES, nameOf(flag, environment), seenMs);
    countFlag(flag, sums, { environment, appName, hourMs }, counts);
    flagUse.note(flag, environment, { yes: sums.yes, no: sums.no, seenMs, hourMs });
    yield flag;
  }
  for (const flag of application.unknown) {
    counts.count(UNKNOWN_FLAGS, nameOf(flag, appName, environment), seenMs);
    yield undefined;
  }
  const kind = application.group.isPublic ? [FRONTEND_KIND] : [];
  for (const [id, { sdk, address }] of application.instances) {
    counts.count(INSTANCES, nameOf(appName, environment, id, sdk, address, ...kind), seenMs);
    yield undefined;
  }
  for (const project of projectsOf(scope)) {
    counts.count(APPLICATION_USES, nameOf(appName, environment, '', project), seenMs);
    yield undefined;
  }
  if (!application.strategies) return;
  // All strategies of one registration get the same time, so that they can be found together. The empty name is for an SDK without strategies.
  for (const strategy of ['', ...application.strategies]) {
    counts.count(APPLICATION_STRATEGIES, nameOf(appName, strategy), seenMs);
    yield undefined;
  }
}

interface UseBucket {
  readonly environment: string;
  readonly appName: string;
  readonly hourMs: number;
}

function countFlag(flag: string, { yes, no, variants }: FlagSums, bucket: UseBucket, counts: CounterRecorder): void {
  const { environment, appName, hourMs } = bucket;
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
  // The hour may have ended since the report came.
  const isRecent = counts.keeps(RECENT_USES, hourMs);
  if (isRecent && yes > 0) counts.count(RECENT_USES, nameOf(flag, environment, YES), yes, hourMs);
  if (isRecent && no > 0) counts.count(RECENT_USES, nameOf(flag, environment, NO), no, hourMs);
}

function projectsOf({ projects }: Scope): readonly string[] {
  return projects === null ? ['*'] : [...projects].slice(0, PROJECTS_MAX);
}
