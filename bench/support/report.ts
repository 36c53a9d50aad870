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

/** One figure: what was measured, against which floor or peer of the same run, and what is aimed at. */
export interface Figure {
  readonly name: string;
  readonly ours: string;
  readonly floor: string;
  /** Median over rounds. */
  readonly ratio: number;
  readonly aim: string;
  readonly reached: boolean;
}

export function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, Node ${process.version}, ${process.platform}`;
}

export function printFigures(title: string, figures: readonly Figure[]): void {
  process.stdout.write(`\n${title}\n`);
  const width = Math.max(...figures.map((figure) => figure.name.length));
  for (const { name, ours, floor, ratio, aim, reached } of figures) {
    process.stdout.write(
      `  ${name.padEnd(width)}  ${ours.padStart(16)}  vs ${floor.padStart(16)}  ratio ${ratio.toFixed(3).padStart(8)}  aim ${aim} ${reached ? 'reached' : 'NOT reached'}\n`,
    );
  }
}

/** Scripts print their figures for people, and as one JSON line when BENCH_JSON is set, for `bench:all`. */
export function finish(title: string, figures: readonly Figure[]): void {
  printFigures(title, figures);
  if (process.env.BENCH_JSON) process.stdout.write(`BENCH_JSON ${JSON.stringify({ title, figures })}\n`);
}

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
export const microseconds = (value: number): string => `${value.toFixed(2)} µs`;
export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;
export const nanoseconds = (value: number): string => `${value.toFixed(0)} ns`;
