/** One sample of the page: the labels, and the value. */
interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric of OpenTelemetry, with what the page says about it. */
export type PageMetric =
  | {
      readonly kind: 'gauge' | 'sum';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly Sample[];
    }
  | {
      readonly kind: 'histogram';
      readonly name: string;
      readonly help: string;
      readonly samples: readonly HistogramSample[];
    };

interface HistogramSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly sum: number;
  readonly count: number;
  readonly boundaries: readonly number[];
  /** One more than boundaries. */
  readonly counts: readonly number[];
}

interface Family {
  readonly name: string;
  help: string;
  type: string;
  readonly samples: { readonly suffix: string; readonly sample: Sample }[];
}

/** Parts of a summary and a histogram, which are lines with names of their own. */
const SUFFIX = /_(sum|count|bucket)$/;

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/**
 * The metrics of a page in the text format of Prometheus, as this service writes it. OpenTelemetry has no summaries that can be sent: their quantiles
 * become gauges, and their sums and counts become sums.
 */
export function metricsOfPage(page: string): PageMetric[] {
  const families = new Map<string, Family>();
  for (const line of page.split('\n')) readLine(line, families);
  const metrics: PageMetric[] = [];
  for (const family of families.values()) addMetrics(family, metrics);
  return metrics;
}

function familyOf(families: Map<string, Family>, name: string): Family {
  let family = families.get(name);
  if (!family) {
    family = { name, help: '', type: 'gauge', samples: [] };
    families.set(name, family);
  }
  return family;
}

function readLine(line: string, families: Map<string, Family>): void {
  const [, word, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
  if (word === 'HELP') familyOf(families, name).help = unescaped(rest);
  else if (word === 'TYPE') familyOf(families, name).type = rest;
  if (line.startsWith('#')) return;
  const [, full, labelText = '', valueText = ''] = LINE.exec(line) ?? [];
  if (full === undefined) return;
  const base = full.replace(SUFFIX, '');
  const type = families.get(base)?.type;
  const isPart = base !== full && (type === 'summary' || type === 'histogram');
  const labels: Record<string, string> = Object.create(null);
  for (const [, label = '', value = ''] of labelText.matchAll(LABEL)) labels[label] = unescaped(value);
  const value =
    valueText === '+Inf'
      ? Number.POSITIVE_INFINITY
      : valueText === '-Inf'
        ? Number.NEGATIVE_INFINITY
        : Number(valueText);
  const suffix = isPart ? full.slice(base.length) : '';
  familyOf(families, isPart ? base : full).samples.push({ suffix, sample: { labels, value } });
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_match, character: string) => (character === 'n' ? '\n' : character));
}

function addMetrics({ name, help, type, samples }: Family, metrics: PageMetric[]): void {
  if (type === 'histogram') {
    metrics.push({ kind: 'histogram', name, help, samples: histogramSamples(samples) });
    return;
  }
  for (const suffix of type === 'summary' ? ['', '_sum', '_count'] : ['']) {
    const own = samples.filter((each) => each.suffix === suffix).map(({ sample }) => sample);
    const kind = type === 'counter' || suffix !== '' ? 'sum' : 'gauge';
    if (own.length > 0) metrics.push({ kind, name: name + suffix, help, samples: own });
  }
}

/** The page has cumulative counts, by upper bound; OpenTelemetry has a count for each bucket. */
function histogramSamples(parts: Family['samples']): HistogramSample[] {
  interface Group {
    readonly labels: Readonly<Record<string, string>>;
    readonly buckets: [bound: number, count: number][];
    sum: number;
    count: number;
  }
  const groups = new Map<string, Group>();
  for (const { suffix, sample } of parts) {
    const { le, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    const group = groups.get(key) ?? { labels, buckets: [], sum: 0, count: 0 };
    groups.set(key, group);
    if (suffix === '_sum') group.sum = sample.value;
    else if (suffix === '_count') group.count = sample.value;
    else if (le !== undefined && le !== '+Inf') group.buckets.push([Number(le), sample.value]);
  }
  return Array.from(groups.values(), ({ labels, buckets, sum, count }) => {
    const sorted = [...buckets].sort(([one], [other]) => one - other);
    const cumulative = [...sorted.map(([, until]) => until), count];
    const counts = cumulative.map((until, index) => Math.max(0, until - (cumulative[index - 1] ?? 0)));
    return { labels, sum, count, boundaries: sorted.map(([bound]) => bound), counts };
  });
}
