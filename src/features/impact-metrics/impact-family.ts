import { headText, labelText, sampleText } from '../../base/prometheus-text.ts';
import type { ImpactNames } from '../../model/options/sdk.ts';

export type Kind = 'counter' | 'gauge' | 'histogram';

/** Names and values, sorted by name. */
export type Labels = readonly (readonly [name: string, value: string])[];

export interface Series {
  readonly labels: Labels;
  seenMs: number;
  readonly isPublic: boolean;
  readonly lines: number;
  /** The value of a counter or a gauge; the sum of a histogram's values. */
  value: number;
  /** For a histogram: the number of values. */
  count: number;
  /** For a histogram: upper bound → number of values up to it. Otherwise null. */
  readonly buckets: Map<number, number> | null;
}

/** A metric: all series with one name and kind. */
export interface Family {
  /** The reported name. */
  readonly name: string;
  readonly kind: Kind;
  help: string;
  /** Whether only browsers have reported it. */
  isPublic: boolean;
  /** Labels as text → series. */
  readonly series: Map<string, Series>;
}

/** Number of characters that are collected before they are sent. */
const PIECE_LENGTH = 16_384;

/** The metrics in Prometheus' format, in pieces. `families` has them by their name with the kind as prefix. */
export function* impactTexts(families: ReadonlyMap<string, Family>, names: ImpactNames): Generator<string, void, void> {
  for (const [name, family] of names === 'unleash-8' ? familiesByName(families) : families) {
    let text = headText(name, family.help, family.kind);
    for (const [reportedLabels, series] of family.series) {
      const labels = names === 'unleash-8' ? labelText(labelsOfUnleash8(series.labels, family.kind)) : reportedLabels;
      text += series.buckets
        ? histogramText(name, labels, series, series.buckets)
        : sampleText(name, labels, series.value);
      if (text.length < PIECE_LENGTH) continue;
      yield text;
      text = '';
    }
    yield text;
  }
}

/**
 * The families by their reported names. A page must not have a name with two kinds: the first kind that a server has reported is kept, otherwise the
 * first one. So a browser cannot hide the metric of a server.
 */
function familiesByName(families: ReadonlyMap<string, Family>): ReadonlyMap<string, Family> {
  const byName = new Map<string, Family>();
  for (const family of families.values()) {
    const earlier = byName.get(family.name);
    if (!earlier || (earlier.isPublic && !family.isPublic)) byName.set(family.name, family);
  }
  return byName;
}

/** Unleash 8 adds two labels, unless the application has set them. */
function* labelsOfUnleash8(labels: Labels, kind: Family['kind']): Generator<Labels[number], void, void> {
  for (const added of [['origin', 'sdk'] as const, ['metric_type', kind] as const])
    if (!labels.some(([name]) => name === added[0])) yield added;
  yield* labels;
}

function histogramText(
  name: string,
  labels: string,
  { value, count }: Series,
  buckets: ReadonlyMap<number, number>,
): string {
  const before = labels === '' ? '' : `${labels},`;
  let text = '';
  for (const [bound, below] of buckets) {
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
    text += sampleText(`${name}_bucket`, `${before}le="${le}"`, below);
  }
  return `${text}${sampleText(`${name}_sum`, labels, value)}${sampleText(`${name}_count`, labels, count)}`;
}
