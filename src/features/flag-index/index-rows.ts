import type { Steps } from '../../base/yield-control.ts';
import { FEATURE_TYPES, type Feature, type FeatureEnvironment } from '../../model/feature.ts';
import type { StateReader } from '../../state/collections.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Number of rows that are written in one step. */
const STEP_ROWS = 64;

/** What the rows of a project's flags depend on, except the flags themselves. */
interface ProjectLayout {
  readonly isPrivate: boolean;
  /** For each environment of the index, whether the project has it. */
  readonly environments: readonly boolean[];
}

/** What rows depend on, except the flags themselves. Immutable. */
export interface Layout {
  /** The names of all environments, sorted. */
  readonly environments: readonly string[];
  readonly projects: ReadonlyMap<string, ProjectLayout>;
  /** Sorted. */
  readonly privateProjects: readonly string[];
}

/** Reads the layout from the state. Objects that are equal to those of `before` are those of `before`. */
export function layoutOf(reader: StateReader, before?: Layout): Layout {
  const names = Array.from(reader.values('environments'), ({ name }) => name).sort();
  const isSameList = before?.environments.join('\n') === names.join('\n');
  const environments = isSameList ? before.environments : names;
  const projects = new Map<string, ProjectLayout>();
  const privateProjects: string[] = [];
  for (const { id, mode, environments: own } of reader.values('projects')) {
    const layout = { isPrivate: mode === 'private', environments: environments.map((name) => own.includes(name)) };
    const known = isSameList ? before.projects.get(id) : undefined;
    projects.set(id, known && isSameProject(known, layout) ? known : layout);
    if (layout.isPrivate) privateProjects.push(id);
  }
  return { environments, projects, privateProjects: privateProjects.sort() };
}

function isSameProject(one: ProjectLayout, other: ProjectLayout): boolean {
  return one.isPrivate === other.isPrivate && one.environments.join() === other.environments.join();
}

/** Marks an environment that the project of the flag does not have. */
const NOT_THERE = '-';

/**
 * The flags as the JSON text of one block of the index, by column, without the last brace (docs/flag-index.md). A column of a text has one character for
 * each flag.
 */
export function* blockText(features: readonly Feature[], { environments, projects }: Layout): Steps<string> {
  const names: string[] = [];
  const runs: [project: string, count: number][] = [];
  const seconds: number[] = [];
  const states = environments.map(() => '');
  let [types, marks] = ['', ''];
  let run: [string, number] = ['', 0];
  for (const feature of features) {
    const { name, project, type, stale, archived } = feature;
    names.push(name);
    if (run[1] > 0 && run[0] === project) run[1]++;
    else {
      run = [project, 1];
      runs.push(run);
    }
    types += Math.max(0, FEATURE_TYPES.indexOf(type));
    marks += (stale ? 1 : 0) + (archived ? 2 : 0);
    seconds.push(Math.floor(Date.parse(feature.changedAt ?? feature.createdAt) / 1_000));
    const has = projects.get(project)?.environments;
    for (const [index, environment] of environments.entries())
      states[index] = `${states[index]}${has?.[index] ? stateIn(settingsIn(feature, environment)) : NOT_THERE}`;
    if (names.length % STEP_ROWS === 0) yield;
  }
  const changedFrom = seconds.reduce((least, second) => Math.min(least, second), Number.POSITIVE_INFINITY);
  const changed = seconds.map((second) => second - changedFrom);
  return JSON.stringify({ names, projects: runs, types, marks, states, changedFrom, changed }).slice(0, -1);
}

/** The fingerprints of the flags as the column that follows the other columns of their block. */
export function* fingerprintsText(features: readonly Feature[], { environments, projects }: Layout): Steps<string> {
  const columns = environments.map((): string[] => []);
  for (const feature of features) {
    const has = projects.get(feature.project)?.environments;
    for (const [index, environment] of environments.entries()) {
      const settings = has?.[index] ? settingsIn(feature, environment) : undefined;
      columns[index]?.push(settings ? yield* fingerprintOf(settings) : '');
    }
    yield;
  }
  return `,"fingerprints":${JSON.stringify(columns)}`;
}

function settingsIn({ environments }: Feature, environment: string): FeatureEnvironment | undefined {
  for (const settings of environments) if (settings.environment === environment) return settings;
  return undefined;
}

function stateIn(settings: FeatureEnvironment | undefined): number {
  return settings ? (settings.enabled ? 1 : 0) + (settings.strategies.length > 0 ? 2 : 0) : 0;
}
