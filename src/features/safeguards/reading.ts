import { createHash } from 'node:crypto';
import { getOrMake } from '../../base/get-or-make.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Safeguard } from '../../model/safeguard.ts';
import type { SeriesReading } from '../impact-metrics/impact-metrics.ts';

/** Maximum number of different bounds of buckets of one reading. A series has at most 40, and series of one metric usually have the same. */
export const BOUNDS_MAX = 100;

/** Number of readings to which a series is added before a pause is possible: with all buckets, about 0.1 ms. */
const READINGS_PER_STEP = 32;

/** Aggregation → the kinds of metrics that it is for. */
const KINDS_OF: { readonly [A in Safeguard['aggregation']]: readonly SeriesReading['kind'][] } = {
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

function isQuantile({ aggregation }: Safeguard): boolean {
  return aggregation === 'p50' || aggregation === 'p95' || aggregation === 'p99';
}

/** Adds up the series that match a safeguard, one at a time, so that the caller can pause between them. */
export class Reading {
  isGauge = false;
  readonly #kinds: readonly SeriesReading['kind'][];
  readonly #environment: string;
  /** Label → its values. */
  readonly #wanted: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #sinceMs: number;
  #series = 0;
  #sum = 0;
  #count = 0;
  #max = Number.NEGATIVE_INFINITY;
  /** Upper bound → number of observations in this bucket alone. */
  #buckets: Map<number, number> | null;

  constructor(safeguard: Safeguard, environment: string, nowMs: number) {
    this.#kinds = KINDS_OF[safeguard.aggregation];
    this.#environment = environment;
    this.#wanted = new Map(Object.entries(safeguard.labels).map(([name, values]) => [name, new Set(values)]));
    this.#sinceMs = nowMs - safeguard.windowMinutes * 60_000;
    this.#buckets = isQuantile(safeguard) ? new Map() : null;
  }

  get totals(): Totals {
    const buckets = this.#buckets && sortedBuckets(this.#buckets);
    return { series: this.#series, sum: this.#sum, count: this.#count, max: this.#max, buckets };
  }

  add({ kind, labels, seenMs, value, count, buckets }: SeriesReading): void {
    if (!this.#kinds.includes(kind) || !this.#matches(labels)) return;
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
    let found = 0;
    for (const [name, value] of labels) {
      if (name === 'environment' && value !== this.#environment) return false;
      // Anyone may have the token of a page: its reports count only if the safeguard names them.
      const wanted = this.#wanted.get(name);
      if (name === 'origin' && value === 'browser' && !wanted) return false;
      if (!wanted) continue;
      if (!wanted.has(value)) return false;
      found++;
    }
    return found === this.#wanted.size;
  }
}

/**
 * The readings of all safeguards of one metric: each series is read once for all of them. Safeguards that read the same series share a reading. A
 * series is compared only with readings that want one of its labels.
 */
export class MetricReadings {
  readonly #nowMs: number;
  readonly #bySelection = new Map<string, Reading>();
  /** Label → value → readings. A reading is listed under one of the labels that it wants, so that a series finds it once at most. */
  readonly #byLabel = new Map<string, Map<string, Reading[]>>();

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** The reading for a safeguard, which contains the series that are added after this call. */
  of(safeguard: Safeguard, environment: string): Reading {
    const selection = selectionOf(safeguard, environment);
    let reading = this.#bySelection.get(selection);
    if (reading) return reading;
    reading = new Reading(safeguard, environment, this.#nowMs);
    this.#bySelection.set(selection, reading);
    const [label = 'environment', wanted = [environment]] = Object.entries(safeguard.labels)[0] ?? [];
    const byValue = getOrMake(this.#byLabel, label, () => new Map<string, Reading[]>());
    for (const value of new Set(wanted)) getOrMake(byValue, value, () => []).push(reading);
    return reading;
  }

  *add(series: SeriesReading): Steps<void> {
    for (const [label, value] of series.labels) {
      const readings = this.#byLabel.get(label)?.get(value) ?? [];
      for (const [index, reading] of readings.entries()) {
        reading.add(series);
        if (index % READINGS_PER_STEP === READINGS_PER_STEP - 1) yield;
      }
    }
    yield;
  }
}

/** Equal for safeguards that read the same of the same series. A digest, because labels may be long. */
function selectionOf(safeguard: Safeguard, environment: string): string {
  const { aggregation, labels, windowMinutes } = safeguard;
  const kinds = KINDS_OF[aggregation];
  const window = kinds.includes('gauge') ? windowMinutes : null;
  const text = JSON.stringify([environment, labels, kinds, window, isQuantile(safeguard)]);
  return createHash('sha256').update(text).digest('base64url');
}

function sortedBuckets(buckets: ReadonlyMap<number, number>): Buckets {
  const bounds = Float64Array.from(buckets.keys()).sort();
  return { bounds, counts: bounds.map((bound) => buckets.get(bound) ?? 0) };
}
