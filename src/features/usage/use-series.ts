import { DAY_MS, HOUR_MS, YEAR_MS } from '../../base/clock.ts';
import { shortened } from '../../base/shortened.ts';
import type { Series } from '../../stores/counters.ts';

/*
 * What is counted of the use that SDKs report. A name in a bucket is a few texts with a character between them that none of them has; their order is
 * stated at each series.
 */

/** Hours that are kept one by one; the hour that is under way comes to them. */
export const HOURS_KEPT = 48;
export const DAYS_KEPT = 91;

/** Uses are spread over so many series by the flag's name, so that telling of one flag reads little of what is counted of all. */
const SHARDS = 16;

/** Flag, environment, application, then `yes`, `no` or `=` with the variant → how often. */
export const USES_BY_HOUR = sharded('flag-uses-by-hour', {
  spanMs: HOUR_MS,
  bucketsMax: HOURS_KEPT + 1,
  namesMax: 4_000,
  nameBytesMax: 400_000,
});

/** The same of a day. */
export const USES_BY_DAY = sharded('flag-uses-by-day', {
  spanMs: DAY_MS,
  bucketsMax: DAYS_KEPT + 1,
  namesMax: 4_000,
  nameBytesMax: 400_000,
});

/** Flag, environment, `yes` or `no` → how often, whatever the application. */
export const RECENT_USES: Series = {
  name: 'flag-uses-lately',
  spanMs: HOUR_MS,
  bucketsMax: 2,
  namesMax: 200_000,
  nameBytesMax: 20_000_000,
};

/** Flag, environment → when it was used last. What was not used for two years is forgotten. */
export const LAST_USES: Series = {
  name: 'flag-last-uses',
  fold: 'max',
  spanMs: YEAR_MS,
  bucketsMax: 2,
  namesMax: 200_000,
  nameBytesMax: 20_000_000,
};

/** Stands behind what an instance says that is a browser or an app; behind others stands nothing. */
export const FRONTEND_KIND = 'frontend';

/** Application, environment, instance, SDK, address, and `FRONTEND_KIND` or nothing → when it was last seen. */
export const INSTANCES: Series = {
  name: 'application-instances',
  fold: 'max',
  spanMs: DAY_MS,
  bucketsMax: 2,
  namesMax: 10_000,
  nameBytesMax: 2_000_000,
};

/** Application, environment, and a flag, or nothing and a project of its tokens → when it was reported last. */
export const APPLICATION_USES: Series = {
  name: 'application-uses',
  fold: 'max',
  spanMs: DAY_MS,
  bucketsMax: 2,
  namesMax: 60_000,
  nameBytesMax: 6_000_000,
};

/** Application, and a strategy that its SDK knows, or nothing → when an SDK registered that does. The newest time says which count. */
export const APPLICATION_STRATEGIES: Series = {
  name: 'application-strategies',
  fold: 'max',
  spanMs: YEAR_MS,
  bucketsMax: 2,
  namesMax: 20_000,
  nameBytesMax: 2_000_000,
};

/** Flag that does not exist, application, environment → when it was asked for last. */
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
/** Before the name of a variant, which may be any text. */
export const VARIANT_MARK = '=';

const SEPARATOR = '\u001f';

export function nameOf(...parts: readonly string[]): string {
  return parts.join(SEPARATOR);
}

export function partsOf(name: string): string[] {
  return name.split(SEPARATOR);
}

/** Text of SDKs as it may stand in a name: short, and without the character between the parts. */
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

/** Never changed: what is counted is found by it. */
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

/** When the hour of a time began. */
export function hourOf(timeMs: number): number {
  return timeMs - (timeMs % HOUR_MS);
}
