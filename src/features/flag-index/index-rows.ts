import type { Steps } from '../../base/yield-control.ts';
import { FEATURE_TYPES, type Feature, type FeatureEnvironment } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Number of rows that are written in one step. */
const STEP_ROWS = 64;

/** What the rows of a project's flags depend on, except the flags themselves. */
interface ProjectLayout {
  readonly isPrivate: boolean;
  /** The names of its environments. */
  readonly environments: readonly string[];
}

/** What rows depend on, except the flags themselves. Immutable. */
export interface Layout {
  /** The names of all environments, sorted. */
  readonly environments: readonly string[];
  readonly projects: ReadonlyMap<string, ProjectLayout>;
  /** Sorted. */
  readonly privateProjects: readonly string[];
}

/** Reads the layout from the state. Parts that are equal to those of `before` are those of `before`; if all of them are, it returns `before`. */
export function layoutOf(reader: StateReader, before?: Layout): Layout {
  const names = Array.from(reader.values('environments'), ({ name }) => name).sort();
  const environments = before && isSameList(before.environments, names) ? before.environments : names;
  const projects = new Map<string, ProjectLayout>();
  const privateProjects: string[] = [];
  let sameCount = 0;
  for (const { id, mode, environments: own } of reader.values('projects')) {
    const isPrivate = mode === 'private';
    const known = before?.projects.get(id);
    const isSame = known?.isPrivate === isPrivate && isSameList(known.environments, own);
    if (isSame) sameCount++;
    projects.set(id, isSame ? known : { isPrivate, environments: own });
    if (isPrivate) privateProjects.push(id);
  }
  if (before?.environments === environments && sameCount === projects.size && sameCount === before.projects.size)
    return before;
  return { environments, projects, privateProjects: privateProjects.sort() };
}

/** Lists of unchanged projects are usually the same objects, so thousands of projects are compared in a millisecond. */
function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((name, index) => name === other[index]));
}

/** For each environment of the index, whether the project has it. */
function environmentsOf(project: string, { environments, projects }: Layout): boolean[] {
  const own = new Set(projects.get(project)?.environments);
  return environments.map((name) => own.has(name));
}

/** Whether flags that did not change have the same rows, and are seen by the same callers. */
export function hasSameRows(before: Layout, after: Layout): boolean {
  if (before === after) return true;
  if (before.environments !== after.environments) return false;
  for (const [id, project] of before.projects) if ((after.projects.get(id) ?? project) !== project) return false;
  return true;
}

/** Marks an environment that the project of the flag does not have. */
const NOT_THERE = '-';

/** A name shares at most this many characters with the name before it, so that one character without an escape can state the number. */
const SHARED_MAX = 42;
const SHARED_FROM = '0'.charCodeAt(0);

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const MINUTE_MS = 60_000;

/**
 * The flags as the JSON text of one block of the index, by column, without the last brace (docs/extend/flag-index.md). It is in three parts with characters of
 * different frequency, which compress better separately.
 */
export function* blockTexts(features: readonly Feature[], layout: Layout): Steps<string[]> {
  const { environments } = layout;
  const rests: string[] = [];
  const runs: [project: string, count: number][] = [];
  const minutes: number[] = [];
  const states = environments.map(() => '');
  let [shared, types, marks, previous] = ['', '', '', ''];
  let run: [string, number] = ['', 0];
  let has: readonly boolean[] = [];
  for (const feature of features) {
    const { name, project, type, stale, archived } = feature;
    const sharedCount = sharedChars(previous, name);
    previous = name;
    rests.push(name.slice(sharedCount));
    shared += String.fromCharCode(SHARED_FROM + sharedCount);
    if (run[1] > 0 && run[0] === project) run[1]++;
    else {
      run = [project, 1];
      runs.push(run);
      has = environmentsOf(project, layout);
    }
    types += Math.max(0, FEATURE_TYPES.indexOf(type));
    marks += (stale ? 1 : 0) + (archived ? 2 : 0);
    minutes.push(Math.floor(Date.parse(feature.changedAt ?? feature.createdAt) / MINUTE_MS));
    for (let index = 0; index < environments.length; index++) {
      const state = has[index] ? stateIn(settingsIn(feature, environments[index] as string)) : NOT_THERE;
      states[index] = `${states[index]}${state}`;
    }
    if (rests.length % STEP_ROWS === 0) yield;
  }
  const changedFrom = minutes.reduce((least, minute) => Math.min(least, minute), Number.POSITIVE_INFINITY);
  return [
    // Names contain no spaces.
    `{"names":${JSON.stringify(rests.join(' '))}`,
    `,${JSON.stringify({ shared, projects: runs, types, marks, states }).slice(1, -1)}`,
    `,"changedFrom":${changedFrom},"changed":${JSON.stringify(digitsOf(minutes.map((minute) => minute - changedFrom)))}`,
  ];
}

/** The numbers in base 64, one text for each place, the highest place first. */
export function digitsOf(numbers: readonly number[]): string[] {
  const most = numbers.reduce((one, other) => Math.max(one, other), 0);
  const places: string[] = [];
  for (let unit = 1; unit <= most; unit *= DIGITS.length) {
    let digits = '';
    for (const number of numbers) digits += DIGITS[Math.floor(number / unit) % DIGITS.length];
    places.unshift(digits);
  }
  return places;
}

function sharedChars(one: string, other: string): number {
  const max = Math.min(SHARED_MAX, one.length, other.length);
  let count = 0;
  while (count < max && one.charCodeAt(count) === other.charCodeAt(count)) count++;
  return count;
}

/** The fingerprints of the flags as the column that follows the other columns of their block. */
export function* fingerprintsText(features: readonly Feature[], layout: Layout): Steps<string[]> {
  const { environments } = layout;
  const columns = environments.map((): string[] => []);
  let [project, has]: [string | undefined, readonly boolean[]] = [undefined, []];
  for (const feature of features) {
    if (feature.project !== project) [project, has] = [feature.project, environmentsOf(feature.project, layout)];
    for (const [index, environment] of environments.entries()) {
      const settings = has[index] ? settingsIn(feature, environment) : undefined;
      columns[index]?.push(settings ? yield* fingerprintOf(settings) : '');
    }
    yield;
  }
  return [`,"fingerprints":${JSON.stringify(columns)}`];
}

function settingsIn({ environments }: Feature, environment: string): FeatureEnvironment | undefined {
  for (const settings of environments) if (settings.environment === environment) return settings;
  return undefined;
}

function stateIn(settings: FeatureEnvironment | undefined): number {
  return settings ? (settings.enabled ? 1 : 0) + (settings.strategies.length > 0 ? 2 : 0) : 0;
}
