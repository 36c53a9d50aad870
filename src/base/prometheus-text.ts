/** The content type of Prometheus's text format, version 0.0.4. */
export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type MetricType = 'gauge' | 'counter' | 'histogram' | 'summary';

/** The allowed names of metrics. Labels may have the same names, except names with a colon. */
export const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** The text before the samples of a metric. */
export function headText(name: string, help: string, type: MetricType): string {
  return `# HELP ${name} ${help.replace(/\\/g, '\\\\').replace(/\r?\n|\r/g, '\\n')}\n# TYPE ${name} ${type}\n`;
}

/** One sample. `labels` is a result of `labelText`. */
export function sampleText(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${numberText(value)}\n`;
}

/** The text of labels between the braces, in the order of `labels`. The names must be valid. */
export function labelText(labels: Iterable<readonly [name: string, value: string]>): string {
  let text = '';
  for (const [name, value] of labels) text += `${text === '' ? '' : ','}${name}="${escaped(value)}"`;
  return text;
}

function escaped(value: string): string {
  return /[\\"\n]/.test(value) ? value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : value;
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
