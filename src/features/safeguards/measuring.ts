import type { Safeguard } from '../../model/safeguard.ts';
import { BOUNDS_MAX, type Buckets, type Reading, type Totals } from './reading.ts';

/** Maximum number of samples of one safeguard. The samples of a longer window are farther apart. */
const SAMPLES_MAX = 60;

const MINUTE_MS = 60_000;

interface Sample {
  readonly atMs: number;
  /** Counters and histograms: what was added since the sample before it. Gauges: the values. */
  readonly added: Totals;
}

/** The samples of one safeguard in its window. A new safeguard counts from its first sample on. */
export class SafeguardSamples {
  readonly #safeguard: Safeguard;
  readonly #stepMs: number;
  #beganMs: number;
  #samples: Sample[] = [];
  #last: Totals | undefined;
  #sampledMs = Number.NEGATIVE_INFINITY;

  constructor(safeguard: Safeguard, nowMs: number) {
    this.#safeguard = safeguard;
    this.#stepMs = Math.ceil(safeguard.windowMinutes / SAMPLES_MAX) * MINUTE_MS;
    this.#beganMs = nowMs;
  }

  get size(): number {
    return this.#samples.length;
  }

  /** Whether enough time has passed since the last sample. The check runs a little earlier or later than every minute. */
  isDue(nowMs: number): boolean {
    return nowMs - this.#sampledMs >= this.#stepMs - MINUTE_MS / 2 || this.#isAfterGap(nowMs);
  }

  /**
   * Whether no samples were taken for a time, as in maintenance or while the machine was suspended, or the clock was set back. One check may be missed.
   * The increase in a longer time would count as if it was in the window.
   */
  #isAfterGap(nowMs: number): boolean {
    return nowMs < this.#sampledMs || nowMs - this.#sampledMs > 2 * this.#stepMs + MINUTE_MS / 2;
  }

  /** Adds a sample. After a gap, counting begins again with it. */
  add(reading: Reading, nowMs: number): void {
    if (this.#isAfterGap(nowMs)) {
      this.#samples = [];
      this.#last = undefined;
      this.#beganMs = nowMs;
    }
    this.#sampledMs = nowMs;
    const before = this.#last;
    const totals = withBoundsOf(before, reading.totals);
    this.#last = totals;
    if (reading.isGauge) this.#samples.push({ atMs: nowMs, added: totals });
    else if (before) this.#samples.push({ atMs: nowMs, added: increase(before, totals) });
    const sinceMs = nowMs - this.#safeguard.windowMinutes * MINUTE_MS;
    this.#samples = this.#samples.filter(({ atMs }) => atMs > sinceMs).slice(-SAMPLES_MAX);
  }

  /** The value in the window; undefined if the reports do not give one. */
  value(nowMs: number): number | undefined {
    const { aggregation, windowMinutes, operator } = this.#safeguard;
    const last = this.#samples.at(-1);
    if (!last || !this.#last || this.#last.series === 0) return undefined;
    const all = this.#samples.map(({ added }) => added);
    const sum = total(all, (added) => added.sum);
    const count = total(all, (added) => added.count);
    const elapsedMs = Math.min(nowMs - this.#beganMs, windowMinutes * MINUTE_MS);
    switch (aggregation) {
      case 'count':
      case 'rps': {
        // A part of the window has a part of the increase: it can be too large already, but not too small.
        if (operator === '<' && elapsedMs < windowMinutes * MINUTE_MS) return undefined;
        return aggregation === 'count' ? sum : sum / Math.max(1, elapsedMs / 1_000);
      }
      case 'avg':
        return count > 0 ? sum / count : undefined;
      case 'sum':
        return last.added.sum;
      case 'max':
        return all.reduce((highest, { max }) => Math.max(highest, max), Number.NEGATIVE_INFINITY);
      case 'last':
        return last.added.sum / last.added.count;
      default:
        return quantile(all, Number(aggregation.slice(1)) / 100);
    }
  }

  /** Whether the value in the window passes the threshold; then the value. */
  tripped(nowMs: number): number | undefined {
    const value = this.value(nowMs);
    return value !== undefined && passes(this.#safeguard, value) ? value : undefined;
  }
}

/** Whether the value passes the threshold. A value that is no finite number never does. */
export function passes({ operator, threshold }: Safeguard, value: number): boolean {
  return Number.isFinite(value) && (operator === '>' ? value > threshold : value < threshold);
}

function total(all: readonly Totals[], of: (totals: Totals) => number): number {
  return all.reduce((sum, totals) => sum + of(totals), 0);
}

/** What was added between two readings. A total that fell has lost series: then nothing is known to have been added. */
function increase(before: Totals, after: Totals): Totals {
  return {
    series: after.series,
    max: after.max,
    sum: after.count === 0 || after.count >= before.count ? rise(before.sum, after.sum) : 0,
    count: rise(before.count, after.count),
    buckets: before.buckets && after.buckets && increaseOfBuckets(before.buckets, after.buckets),
  };
}

function increaseOfBuckets(before: Buckets, { bounds, counts }: Buckets): Buckets {
  const known = new Map<number, number>();
  for (const [index, bound] of before.bounds.entries()) known.set(bound, before.counts[index] ?? 0);
  return { bounds, counts: counts.map((count, index) => rise(known.get(bounds[index] ?? 0) ?? 0, count)) };
}

/** The same totals. Bounds that have not changed are kept once for all samples. */
function withBoundsOf(before: Totals | undefined, totals: Totals): Totals {
  const [known, { buckets }] = [before?.buckets, totals];
  if (!known || !buckets || known.bounds.length !== buckets.bounds.length) return totals;
  if (known.bounds.some((bound, index) => bound !== buckets.bounds[index])) return totals;
  return { ...totals, buckets: { bounds: known.bounds, counts: buckets.counts } };
}

function rise(before: number, after: number): number {
  return Math.max(0, after - before);
}

/**
 * The quantile of the observations, interpolated within its bucket as Prometheus does; undefined without observations, and if there are too many bounds
 * to compare.
 */
function quantile(all: readonly Totals[], part: number): number | undefined {
  const merged = new Map<number, number>();
  for (const { buckets } of all) {
    if (!buckets) return undefined;
    const { bounds, counts } = buckets;
    for (const [index, bound] of bounds.entries()) merged.set(bound, (merged.get(bound) ?? 0) + (counts[index] ?? 0));
    if (merged.size > BOUNDS_MAX) return undefined;
  }
  const sorted = [...merged].sort(([left], [right]) => left - right);
  const count = sorted.reduce((sum, [, inBucket]) => sum + inBucket, 0);
  if (count === 0) return undefined;
  const wanted = part * count;
  let below = 0;
  let lower = 0;
  for (const [bound, inBucket] of sorted) {
    if (below + inBucket >= wanted && inBucket > 0) {
      // The last bucket has no upper bound: the value is at least its lower one.
      return Number.isFinite(bound) ? lower + ((bound - lower) * (wanted - below)) / inBucket : lower;
    }
    below += inBucket;
    if (Number.isFinite(bound)) lower = bound;
  }
  return lower;
}
