import { cpus } from 'node:os';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >>> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export interface Measured {
  readonly name: string;
  readonly ours: string;
  /** The floor or peer, measured in the same run. */
  readonly floor: string;
  /** Median over rounds. Null where there is nothing to compare with. */
  readonly ratio: number | null;
}

/** One row of the results: a measurement, its floor or peer in the same run, and its aim. */
export interface Figure extends Measured {
  /** Empty: the row is for information and has no aim. */
  readonly aim: string;
  readonly reached: boolean;
}

export const atLeast = (aim: number, measured: Measured): Figure => ({
  ...measured,
  aim: `≥ ${aim}`,
  reached: measured.ratio !== null && measured.ratio >= aim,
});

export const atMost = (aim: number, measured: Measured): Figure => ({
  ...measured,
  aim: `≤ ${aim}`,
  reached: measured.ratio !== null && measured.ratio <= aim,
});

/** A row for information, without an aim. */
export const aside = (measured: Measured): Figure => ({ ...measured, aim: '', reached: true });

export function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, Node ${process.version}, ${process.platform}`;
}

export function verdict({ aim, reached }: Figure): string {
  if (aim === '') return '';
  return reached ? 'reached' : 'NOT reached';
}

export const ratioText = ({ ratio }: Measured): string => (ratio === null ? '–' : ratio.toFixed(3));

export function printFigures(title: string, figures: readonly Figure[]): void {
  process.stdout.write(`\n${title}\n`);
  const width = (pick: (figure: Figure) => string) => Math.max(...figures.map((figure) => pick(figure).length));
  const [names, ours, floors] = [width(({ name }) => name), width((one) => one.ours), width(({ floor }) => floor)];
  for (const figure of figures) {
    const aim = figure.aim === '' ? '' : `aim ${figure.aim} ${verdict(figure)}`;
    process.stdout.write(
      `  ${figure.name.padEnd(names)}  ${figure.ours.padStart(ours)}  vs ${figure.floor.padStart(floors)}  ratio ${ratioText(figure).padStart(8)}  ${aim}\n`,
    );
  }
}

/** The beginning of the line with which a script sends its results to `bench/all.bench.ts`. */
export const JSON_PREFIX = 'BENCH_JSON ';

export interface Report {
  readonly title: string;
  readonly figures: readonly Figure[];
  /** What a reader has to know to judge the results. */
  readonly notes: readonly string[];
}

/** Prints the results as a table and, when BENCH_JSON is set, also as one line of JSON for `bench/all.bench.ts`. */
export function finish(title: string, figures: readonly Figure[], notes: readonly string[] = []): void {
  printFigures(title, figures);
  for (const note of notes) process.stdout.write(`  ${note}\n`);
  const report: Report = { title, figures, notes };
  if (process.env.BENCH_JSON) process.stdout.write(`${JSON_PREFIX}${JSON.stringify(report)}\n`);
}

/** A whole number, at least 1, from the environment. @throws Error for anything else. */
export function setting(name: string, fallback: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return fallback;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`${name} must be a whole number from 1 on, not "${text}"`);
  return Number(text);
}

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
export const microseconds = (value: number): string => `${value.toFixed(2)} µs`;
export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;
export const nanoseconds = (value: number): string => `${value.toFixed(0)} ns`;
export const bytes = (value: number): string => `${Math.round(value).toLocaleString('en')} B`;
