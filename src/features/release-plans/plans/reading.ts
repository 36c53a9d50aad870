import type { Safeguard } from '../../../model/release-plan.ts';
import type { Kind, SeriesReading } from '../../usage/impact-metrics.ts';

/** Maximum number of different bounds of buckets of one reading. A series has at most 40, and series of one metric usually have the same. */
export const BOUNDS_MAX = 100;

/** Aggregation → the kinds of metrics that it is for. */
const KINDS_OF: { readonly [A in Safeguard['aggregation']]: readonly Kind[] } = {
  count: ['counter'],
  rps: ['counter'],
  avg: ['gauge', 'histogram'],
  sum: ['gauge'],
  max: ['gauge'],
  last: ['gauge'],
  p50: ['histogram'],
  p95: ['histogram'],
  p99: ['histogram'],
};

/** Numbers of observations by bucket: two lists of the same length. They are arrays of numbers to bound the memory of samples. */
export interface Buckets {
  /** The upper bounds, ascending. */
  readonly bounds: Float64Array;
  /** Number of observations in this bucket alone. */
  readonly counts: Float64Array;
}

/** What all matching series report together at one time. Counters and histograms: totals since they began. */
export interface Totals {
  /** Number of series. */
  readonly series: number;
  /** Counters: the total. Gauges: the sum of the values. Histograms: the sum of the observations. */
  readonly sum: number;
  /** Gauges: number of series. Histograms: number of observations. */
  readonly count: number;
  /** Gauges: the largest value. */
  readonly max: number;
  /** For quantiles only; null for other aggregations, and if there are more than `BOUNDS_MAX` bounds. */
  readonly buckets: Buckets | null;
}

export function isQuantile({ aggregation }: Safeguard): boolean {
  return aggregation === 'p50' || aggregation === 'p95' || aggregation === 'p99';
}

/** Adds up the series that match a safeguard, one at a time, so that the caller can pause between them. */
export class Reading {
  isGauge = false;
  readonly #safeguard: Safeguard;
  readonly #environment: string;
  readonly #sinceMs: number;
  #series = 0;
  #sum = 0;
  #count = 0;
  #max = Number.NEGATIVE_INFINITY;
  /** Upper bound → number of observations in this bucket alone. */
  #buckets: Map<number, number> | null;

  constructor(safeguard: Safeguard, environment: string, nowMs: number) {
    this.#safeguard = safeguard;
    this.#environment = environment;
    this.#sinceMs = nowMs - safeguard.windowMinutes * 60_000;
    this.#buckets = isQuantile(safeguard) ? new Map() : null;
  }

  get totals(): Totals {
    const buckets = this.#buckets && sortedBuckets(this.#buckets);
    return { series: this.#series, sum: this.#sum, count: this.#count, max: this.#max, buckets };
  }

  add({ kind, labels, seenMs, value, count, buckets }: SeriesReading): void {
    if (!KINDS_OF[this.#safeguard.aggregation].includes(kind) || !this.#matches(labels)) return;
    if (kind === 'gauge') {
      if (seenMs < this.#sinceMs) return;
      this.isGauge = true;
      this.#count += 1;
      this.#max = Math.max(this.#max, value);
    } else this.#count += count;
    this.#series += 1;
    this.#sum += value;
    if (buckets) this.#addBuckets(buckets);
  }

  #addBuckets(buckets: ReadonlyMap<number, number>): void {
    const sums = this.#buckets;
    if (!sums) return;
    let below = 0;
    for (const [bound, upTo] of buckets) {
      sums.set(bound, (sums.get(bound) ?? 0) + upTo - below);
      below = upTo;
    }
    if (sums.size > BOUNDS_MAX) this.#buckets = null;
  }

  #matches(labels: SeriesReading['labels']): boolean {
    const wanted = this.#safeguard.labels;
    let found = 0;
    for (const [name, value] of labels) {
      if (name === 'environment' && value !== this.#environment) return false;
      // Anyone may have the token of a page: its reports count only if the safeguard names them.
      if (name === 'origin' && value === 'browser' && !Object.hasOwn(wanted, 'origin')) return false;
      if (!Object.hasOwn(wanted, name)) continue;
      if (!wanted[name]?.includes(value)) return false;
      found++;
    }
    return found === Object.keys(wanted).length;
  }
}

function sortedBuckets(buckets: ReadonlyMap<number, number>): Buckets {
  const bounds = Float64Array.from(buckets.keys()).sort();
  return { bounds, counts: bounds.map((bound) => buckets.get(bound) ?? 0) };
}
