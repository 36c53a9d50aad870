import { type CompiledFlag, compileFlag, type FlagLookup } from '../evaluation/compile.ts';
import { isServed } from '../model/client-feature.ts';
import { type Feature, featureEnvironment } from '../model/feature.ts';
import type { AppliedCommit, State } from '../state/state.ts';

/** Changes in one commit from which on it counts as an import. */
const BULK_CHANGES = 100;

/** The compiled flags of one environment: what evaluation reads. */
export interface EnvironmentFlags {
  readonly find: FlagLookup;
  /**
   * The served flags of a project, sorted by name. Lazy: flags are compiled as they are reached, so that nobody who takes the first few,
   * or gives the event loop back in between, pays for all of them.
   */
  ofProject(project: string): Iterable<CompiledFlag>;
}

/**
 * Compiled flags, by environment, in step with the state. An environment is compiled flag by flag as flags are asked for; a change drops
 * what it touches. Compiling is cheap beside evaluating a flag many times and happens once a change.
 */
export class FlagViews {
  readonly #state: State;
  readonly #environments = new Map<string, EnvironmentView>();
  readonly #names: ProjectNames;

  constructor(state: State) {
    this.#state = state;
    this.#names = new ProjectNames(state);
  }

  environment(environment: string): EnvironmentFlags {
    let view = this.#environments.get(environment);
    if (!view) {
      view = new EnvironmentView(this.#state, environment, this.#names);
      // Only names that exist are kept: callers of the playground may send any text.
      if (this.#state.get('environments', environment)) this.#environments.set(environment, view);
    }
    return view;
  }

  apply(applied: AppliedCommit): void {
    for (const change of applied.changes) {
      if (change.collection === 'features') {
        this.#drop(change.key);
        const isBulk = applied.changes.length > BULK_CHANGES;
        this.#names.move(change.key, change.before?.project, change.after?.project, isBulk);
      } else if (change.collection === 'segments') {
        for (const feature of this.#state.lookup('featuresBySegment', change.key)) this.#drop(feature.name);
      } else if (change.collection === 'projects') {
        for (const feature of this.#state.lookup('featuresByProject', change.key)) this.#drop(feature.name);
      } else if (change.collection === 'environments') this.#environments.delete(change.key);
    }
  }

  #drop(name: string): void {
    for (const view of this.#environments.values()) view.drop(name);
  }
}

/** The names of each project's flags, sorted, archived ones included. A list never changes: a change makes a new one. */
class ProjectNames {
  readonly #state: State;
  readonly #names = new Map<string, readonly string[]>();

  constructor(state: State) {
    this.#state = state;
  }

  of(project: string): readonly string[] {
    let names = this.#names.get(project);
    if (!names) {
      names = Array.from(this.#state.lookup('featuresByProject', project), (feature) => feature.name).sort();
      // Only projects that exist are kept: callers may send any text.
      if (names.length > 0) this.#names.set(project, names);
    }
    return names;
  }

  /** `isBulk`: one of many, after which sorting anew is cheaper than copying the list each time. */
  move(name: string, from: string | undefined, to: string | undefined, isBulk: boolean): void {
    if (from === to) return;
    for (const project of isBulk ? [from, to] : []) if (project !== undefined) this.#names.delete(project);
    if (from !== undefined) this.#replace(from, name, 1, []);
    if (to !== undefined) this.#replace(to, name, 0, [name]);
  }

  #replace(project: string, name: string, removed: number, added: readonly string[]): void {
    const names = this.#names.get(project);
    if (names) this.#names.set(project, names.toSpliced(positionOf(names, name), removed, ...added));
  }
}

/** Where the name stands in the sorted list, or would. */
function positionOf(names: readonly string[], name: string): number {
  let low = 0;
  let high = names.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((names[middle] as string) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}

class EnvironmentView implements EnvironmentFlags {
  readonly #state: State;
  readonly #environment: string;
  readonly #flags = new Map<string, CompiledFlag>();
  readonly #names: ProjectNames;
  readonly find: FlagLookup;

  constructor(state: State, environment: string, names: ProjectNames) {
    this.#state = state;
    this.#environment = environment;
    this.#names = names;
    this.find = (name) => this.#find(name);
  }

  *ofProject(project: string): IterableIterator<CompiledFlag> {
    for (const name of this.#names.of(project)) {
      const flag = this.#find(name);
      // Whoever iterates may pause: a flag can have moved to another project meanwhile.
      if (flag && this.#state.get('features', name)?.project === project) yield flag;
    }
  }

  drop(name: string): void {
    this.#flags.delete(name);
  }

  #find(name: string): CompiledFlag | undefined {
    const known = this.#flags.get(name);
    if (known) return known;
    const feature = this.#state.get('features', name);
    if (!feature || !isServed(feature, this.#state.get('projects', feature.project), this.#environment))
      return undefined;
    const flag = this.#compile(feature);
    this.#flags.set(name, flag);
    return flag;
  }

  #compile(feature: Feature): CompiledFlag {
    const { enabled, strategies, variants } = featureEnvironment(feature, this.#environment);
    const { name, impressionData, dependencies } = feature;
    return compileFlag({ name, enabled, impressionData, strategies, variants, dependencies }, (id) =>
      this.#state.get('segments', String(id)),
    );
  }
}
