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

/** A row for information, without a ratio. */
export const inform = (name: string, ours: string, floor = ''): Figure => aside({ name, ours, floor, ratio: null });

type Text = (value: number) => string;
/** How a number is written, and words after the number of the floor. */
type Unit = keyof typeof UNITS | Text | readonly [unit: keyof typeof UNITS | Text, words: string];

function row(name: string, unit: Unit, ours: number, floor: number, ratio: number): Figure {
  const [of, words = ''] = Array.isArray(unit) ? unit : [unit as keyof typeof UNITS | Text];
  const text = typeof of === 'function' ? of : UNITS[of as keyof typeof UNITS];
  return aside({ name, ours: text(ours), floor: `${text(floor)} ${words}`.trim(), ratio });
}

/** Two numbers and their ratio. */
export const pair = (name: string, unit: Unit, ours: number, floor: number): Figure =>
  row(name, unit, ours, floor, ours / floor);

type Pick<Round> = (round: Round) => readonly [ours: number, floor: number];

function mediansWith<Round>(
  ratioOf: (ours: number, floor: number) => number,
  ...[rounds, name, unit, pick]: Parameters<typeof medians<Round>>
): Figure {
  const both = rounds.map(pick);
  const [ours, floor] = [median(both.map(([of]) => of)), median(both.map(([, than]) => than))];
  return row(name, unit, ours, floor, median(both.map(([of, than]) => ratioOf(of, than))));
}

/** Medians over the rounds: of ours, of the floor, and of their ratio. */
export function medians<Round>(rounds: readonly Round[], name: string, unit: Unit, pick: Pick<Round>): Figure {
  return mediansWith((ours, floor) => ours / floor, rounds, name, unit, pick);
}

/** The same with the ratio of the floor to ours: of costs, as of rates, more is better. */
export function costs<Round>(rounds: readonly Round[], name: string, unit: Unit, pick: Pick<Round>): Figure {
  return mediansWith((ours, floor) => floor / ours, rounds, name, unit, pick);
}

/** A number whose aim is a number of the same unit. */
export const single = (name: string, unit: Unit, value: number, floor = ''): Figure => ({
  ...row(name, unit, value, value, value),
  floor,
});

export function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, Node ${process.version}, ${process.platform}`;
}

export function verdict({ aim, reached }: Figure): string {
  if (aim === '') return '';
  return reached ? 'reached' : 'NOT reached';
}

export const ratioText = ({ ratio }: Measured): string => (ratio === null ? '–' : ratio.toFixed(3));

function printFigures(title: string, figures: readonly Figure[]): void {
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

/** Prints the results as a table, with the machine in its title, and, when BENCH_JSON is set, also as one line of JSON for `bench/all.bench.ts`. */
export function finish(what: string, figures: readonly Figure[], notes: readonly string[] = []): void {
  const title = `${what} (${machine()})`;
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

/** Some of them: `settings({ FLAGS: 500 })` reads BENCH_FLAGS. */
export const settings = <Name extends string>(fallbacks: Readonly<Record<Name, number>>): Record<Name, number> =>
  Object.fromEntries(
    Object.entries<number>(fallbacks).map(([name, fallback]) => [name, setting(`BENCH_${name}`, fallback)]),
  ) as Record<Name, number>;

/** Numbers with commas between them. */
export const numbers = (name: string, fallback: string): number[] =>
  (process.env[name] || fallback).split(',').map(Number);

/** The parts of a bench that are asked for, of BENCH_PARTS. */
export const parts = (all: string): ReadonlySet<string> => new Set((process.env.BENCH_PARTS || all).split(','));

export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')}/s`;
export const microseconds = (value: number): string => `${value.toFixed(2)} µs`;
export const milliseconds = (value: number): string => `${value.toFixed(2)} ms`;
export const nanoseconds = (value: number): string => `${value.toFixed(0)} ns`;
export const bytes = (value: number): string => `${Math.round(value).toLocaleString('en')} B`;
export const kilobytes = (value: number): string => `${(value / 1024).toFixed(1)} kB`;
export const megabytes = (value: number): string => `${(value / 1e6).toFixed(value < 2e7 ? 1 : 0)} MB`;

const UNITS = {
  '/s': perSecond,
  µs: microseconds,
  ms: milliseconds,
  ns: nanoseconds,
  B: bytes,
  kB: kilobytes,
  MB: megabytes,
} as const;
