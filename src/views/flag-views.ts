import { type CompiledFlag, compileFlag, type FlagLookup } from '../evaluation/compile.ts';
import { isServed } from '../model/client-feature.ts';
import { type Feature, featureEnvironment } from '../model/feature.ts';
import type { AppliedCommit, State } from '../state/state.ts';

/** The compiled flags of one environment: what evaluation reads. */
export interface EnvironmentFlags {
  readonly find: FlagLookup;
  /** Served flags by project, sorted by name. */
  ofProject(project: string): readonly CompiledFlag[];
}

/**
 * Compiled flags, by environment, in step with the state. An environment is compiled flag by flag as flags are asked for; a change drops
 * what it touches. Compiling is cheap beside evaluating a flag many times and happens once a change.
 */
export class FlagViews {
  readonly #state: State;
  readonly #environments = new Map<string, EnvironmentView>();

  constructor(state: State) {
    this.#state = state;
  }

  environment(environment: string): EnvironmentFlags {
    let view = this.#environments.get(environment);
    if (!view) {
      view = new EnvironmentView(this.#state, environment);
      // Only names that exist are kept: callers of the playground may send any text.
      if (this.#state.get('environments', environment)) this.#environments.set(environment, view);
    }
    return view;
  }

  apply(applied: AppliedCommit): void {
    for (const change of applied.changes) {
      if (change.collection === 'features') {
        this.#drop(change.key, change.before?.project, change.after?.project);
      } else if (change.collection === 'segments') {
        for (const feature of this.#state.lookup('featuresBySegment', change.key)) this.#drop(feature.name);
      } else if (change.collection === 'projects') {
        for (const feature of this.#state.lookup('featuresByProject', change.key)) this.#drop(feature.name, change.key);
      } else if (change.collection === 'environments') this.#environments.delete(change.key);
    }
  }

  #drop(name: string, ...projects: readonly (string | undefined)[]): void {
    for (const view of this.#environments.values()) view.drop(name, projects);
  }
}

class EnvironmentView implements EnvironmentFlags {
  readonly #state: State;
  readonly #environment: string;
  readonly #flags = new Map<string, CompiledFlag>();
  readonly #projects = new Map<string, readonly CompiledFlag[]>();
  readonly find: FlagLookup;

  constructor(state: State, environment: string) {
    this.#state = state;
    this.#environment = environment;
    this.find = (name) => this.#find(name);
  }

  ofProject(project: string): readonly CompiledFlag[] {
    let flags = this.#projects.get(project);
    if (!flags) {
      const names = [...this.#state.lookup('featuresByProject', project)].map((feature) => feature.name).sort();
      flags = names.flatMap((name) => this.#find(name) ?? []);
      this.#projects.set(project, flags);
    }
    return flags;
  }

  drop(name: string, projects: readonly (string | undefined)[]): void {
    const flag = this.#flags.get(name);
    this.#flags.delete(name);
    if (flag) this.#projects.delete(this.#state.get('features', name)?.project ?? '');
    for (const project of projects) if (project !== undefined) this.#projects.delete(project);
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
