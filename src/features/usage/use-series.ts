import { DAY_MS, HOUR_MS, YEAR_MS } from '../../base/clock.ts';
import { shortened } from '../../base/shortened.ts';
import type { Series } from '../../stores/counters.ts';

/*
 * Counters of the use that SDKs report. A name in a bucket consists of a few texts, separated by a character that does not occur in them. The comment
 * of each series says which texts, in which order.
 */

/** Number of full hours that are kept, in addition to the current hour. */
export const HOURS_KEPT = 48;
export const DAYS_KEPT = 91;

/** Uses are distributed over this many series by the flag's name, so that a read of one flag's counts reads only a small part of all counts. */
const SHARDS = 16;

/** Flag, environment, application, then `yes`, `no` or `=` with the variant → count. */
export const USES_BY_HOUR = sharded('flag-uses-by-hour', {
  spanMs: HOUR_MS,
  bucketsMax: HOURS_KEPT + 1,
  namesMax: 4_000,
  nameBytesMax: 400_000,
});

/** The same counts as `USES_BY_HOUR`, by day. */
export const USES_BY_DAY = sharded('flag-uses-by-day', {
  spanMs: DAY_MS,
  bucketsMax: DAYS_KEPT + 1,
  namesMax: 4_000,
  nameBytesMax: 400_000,
});

/** Flag, environment, `yes` or `no` → count over all applications. */
export const RECENT_USES: Series = {
  name: 'flag-uses-lately',
  spanMs: HOUR_MS,
  bucketsMax: 2,
  namesMax: 200_000,
  nameBytesMax: 20_000_000,
};

/** Flag, environment → time of the last use. Entries without use for two years are dropped. */
export const LAST_USES: Series = {
  name: 'flag-last-uses',
  fold: 'max',
  spanMs: YEAR_MS,
  bucketsMax: 2,
  namesMax: 200_000,
  nameBytesMax: 20_000_000,
};

/** The last part of the name of an instance that is a browser or an app. The names of servers do not have this part. */
export const FRONTEND_KIND = 'frontend';

/** Application, environment, instance, SDK, address, and optionally `FRONTEND_KIND` → when it was last seen. */
export const INSTANCES: Series = {
  name: 'application-instances',
  fold: 'max',
  spanMs: DAY_MS,
  bucketsMax: 2,
  namesMax: 10_000,
  nameBytesMax: 2_000_000,
};

/** Application, environment, and either a flag, or an empty text and a project of its tokens → when this was last reported. */
export const APPLICATION_USES: Series = {
  name: 'application-uses',
  fold: 'max',
  spanMs: DAY_MS,
  bucketsMax: 2,
  namesMax: 60_000,
  nameBytesMax: 6_000_000,
};

/**
 * Application and a strategy that its SDK knows, or an empty text → when an SDK with this strategy registered. Only the strategies with the newest
 * time count.
 */
export const APPLICATION_STRATEGIES: Series = {
  name: 'application-strategies',
  fold: 'max',
  spanMs: YEAR_MS,
  bucketsMax: 2,
  namesMax: 20_000,
  nameBytesMax: 2_000_000,
};

/** Name of a flag that does not exist, application, environment → when the flag was last used. */
export const UNKNOWN_FLAGS: Series = {
  name: 'unknown-flags',
  fold: 'max',
  spanMs: DAY_MS,
  bucketsMax: 8,
  namesMax: 2_000,
  nameBytesMax: 400_000,
};

export const YES = 'yes';
export const NO = 'no';
/** Precedes the name of a variant, which can be any text. */
export const VARIANT_MARK = '=';

const SEPARATOR = '\u001f';

export function nameOf(...parts: readonly string[]): string {
  return parts.join(SEPARATOR);
}

export function partsOf(name: string): string[] {
  return name.split(SEPARATOR);
}

/** A text from an SDK as part of a name: shortened, and without the separator. */
export function namePart(text: string, lengthMax: number): string {
  const short = shortened(text, lengthMax);
  return short.includes(SEPARATOR) ? short.replaceAll(SEPARATOR, ' ') : short;
}

export function usesByHour(feature: string): Series {
  return USES_BY_HOUR[shardOf(feature)] as Series;
}

export function usesByDay(feature: string): Series {
  return USES_BY_DAY[shardOf(feature)] as Series;
}

/** The number of the flag's series. This function must never change, because stored counts are found with it. */
function shardOf(feature: string): number {
  let hash = 0;
  for (let index = 0; index < feature.length; index++) hash = (hash * 31 + feature.charCodeAt(index)) >>> 0;
  return hash % SHARDS;
}

function sharded(name: string, bounds: Omit<Series, 'name' | 'fold'>): readonly Series[] {
  return Array.from({ length: SHARDS }, (_, index) => ({
    name: `${name}-${String.fromCharCode(97 + index)}`,
    ...bounds,
  }));
}

/** The start of the hour of a time. */
export function hourOf(timeMs: number): number {
  return timeMs - (timeMs % HOUR_MS);
}

/**
 * The hour to which a report that ends at `untilMs` is added. A client's clock may be wrong, so a time in the future counts as now. Undefined if the
 * report is too old.
 */
export function hourOfReport(untilMs: number, nowMs: number): number | undefined {
  const hourMs = hourOf(Math.min(untilMs, nowMs));
  return hourMs > hourOf(nowMs) - HOURS_KEPT * HOUR_MS ? hourMs : undefined;
}
