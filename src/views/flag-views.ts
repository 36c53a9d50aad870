import type { Successor } from '../actors/replica.ts';
import { type CompiledFlag, compileFlag, type FlagLookup } from '../evaluation/compile.ts';
import { isServed } from '../model/client-feature.ts';
import { type Feature, featureEnvironment } from '../model/feature.ts';
import type { Project } from '../model/project.ts';
import type { Segment } from '../model/segment.ts';
import type { AppliedCommit, State } from '../state/state.ts';
import type { View } from './view.ts';

/** Changes in one commit from which on it counts as an import. */
const BULK_CHANGES = 100;

/** The compiled flags of one environment: what evaluation reads. */
export interface EnvironmentFlags {
  readonly find: FlagLookup;
  /**
   * The served flags of a project, sorted by name, a few dozen at a time. Lazy: flags are compiled as they are reached, so that nobody who
   * takes the first few, or gives the event loop back in between, pays for all of them. While it compiles, lists are empty: each is a chance
   * to give the event loop back.
   */
  ofProject(project: string): Iterable<readonly CompiledFlag[]>;
}

/**
 * Compiled flags, by environment, in step with the state. An environment is compiled flag by flag as flags are asked for; a change drops
 * what it touches. Compiling is cheap beside evaluating a flag many times and happens once a change.
 */
export class FlagViews implements View {
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

  /** Nothing: flags are compiled as they are asked for. */
  async prepare(): Promise<Successor> {
    return { apply: () => {}, takeOver: () => this.#forget() };
  }

  /** The state holds something else altogether. */
  #forget(): void {
    this.#environments.clear();
    this.#names.forget();
  }

  /** Work: the flags that changed. What a segment or a project reaches is looked at again when somebody asks for it. */
  apply(applied: AppliedCommit): void {
    const isBulk = applied.changes.length > BULK_CHANGES;
    for (const change of applied.changes) {
      if (change.collection === 'features') {
        const project = (change.before ?? change.after)?.project ?? '';
        for (const view of this.#environments.values()) view.drop(change.key, project);
        this.#names.move(change.key, change.before?.project, change.after?.project, isBulk);
      } else if (change.collection === 'segments' || change.collection === 'projects') {
        for (const view of this.#environments.values()) {
          view.doubt();
          if (change.collection === 'projects' && !change.after) view.forget(change.key);
        }
      } else if (change.collection === 'environments') this.#environments.delete(change.key);
    }
  }
}

/** The names of each project's flags, sorted, archived ones included. A list never changes: a change makes a new one. */
class ProjectNames {
  readonly #state: State;
  readonly #names = new Map<string, readonly string[]>();

  constructor(state: State) {
    this.#state = state;
  }

  forget(): void {
    this.#names.clear();
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

interface KnownFlag {
  readonly flag: CompiledFlag;
  readonly feature: Feature;
  readonly project: Project | undefined;
  /** The segments it was compiled with. */
  readonly segments: readonly (Segment | undefined)[];
  readonly segmentIds: readonly number[];
  /** The view's generation when all of this was last found to be current. */
  generation: number;
}

/** Flags that are handed out together, and looked up anew together when one of them changes. */
const CHUNK_FLAGS = 64;

/** A project's flags in lists that are handed out as they are. */
interface ProjectChunks {
  /** The names they were made for; others mean other chunks. */
  readonly names: readonly string[];
  /** By position among the names; undefined where a flag has changed. */
  readonly chunks: (Chunk | undefined)[];
}

interface Chunk {
  readonly flags: readonly CompiledFlag[];
  readonly generation: number;
}

const NONE: readonly never[] = Object.freeze([]);

class EnvironmentView implements EnvironmentFlags {
  readonly #state: State;
  readonly #environment: string;
  readonly #flags = new Map<string, KnownFlag>();
  readonly #projects = new Map<string, ProjectChunks>();
  readonly #names: ProjectNames;
  #generation = 0;
  readonly find: FlagLookup;

  constructor(state: State, environment: string, names: ProjectNames) {
    this.#state = state;
    this.#environment = environment;
    this.#names = names;
    this.find = (name) => this.#find(name);
  }

  *ofProject(project: string): IterableIterator<readonly CompiledFlag[]> {
    const names = this.#names.of(project);
    for (let start = 0; start < names.length; start += CHUNK_FLAGS) {
      if (!this.#chunk(project, names, start)) yield* this.#compileAll(names, start);
      // Whoever iterates may pause: what was compiled before a pause may have changed since, so all of it is looked up in one go.
      yield this.#chunk(project, names, start)?.flags ?? this.#gather(project, names, start);
    }
  }

  /** The chunk of the names from `start`, if it is known and nothing of it has changed. */
  #chunk(project: string, names: readonly string[], start: number): Chunk | undefined {
    const known = this.#projects.get(project);
    if (known?.names !== names) return undefined;
    const chunk = known.chunks[start / CHUNK_FLAGS];
    return chunk?.generation === this.#generation ? chunk : undefined;
  }

  /** Compiles what is not compiled yet, with a chance to pause after each. */
  *#compileAll(names: readonly string[], start: number): Generator<readonly CompiledFlag[]> {
    for (let index = start; index < start + CHUNK_FLAGS && index < names.length; index++) {
      const name = names[index] as string;
      if (this.#flags.has(name)) continue;
      this.#find(name);
      yield NONE;
    }
  }

  #gather(project: string, names: readonly string[], start: number): readonly CompiledFlag[] {
    const flags: CompiledFlag[] = [];
    for (let index = start; index < start + CHUNK_FLAGS && index < names.length; index++) {
      const name = names[index] as string;
      const flag = this.#find(name);
      // A flag can have moved to another project since the names were taken.
      if (flag && this.#state.get('features', name)?.project === project) flags.push(flag);
    }
    this.#keep(project, names, start, { flags, generation: this.#generation });
    return flags;
  }

  #keep(project: string, names: readonly string[], start: number, chunk: Chunk): void {
    // Names that were taken before a pause may be outdated: what was made for them is of use to nobody else.
    if (this.#names.of(project) !== names) return;
    let known = this.#projects.get(project);
    if (known?.names !== names) {
      known = { names, chunks: [] };
      this.#projects.set(project, known);
    }
    known.chunks[start / CHUNK_FLAGS] = chunk;
  }

  /** The flag has changed, come or gone; `project` is where it was, or where it is now if it was nowhere. */
  drop(name: string, project: string): void {
    this.#flags.delete(name);
    const known = this.#projects.get(project);
    if (known) known.chunks[Math.floor(positionOf(known.names, name) / CHUNK_FLAGS)] = undefined;
  }

  /** Something that flags are compiled with has changed: each is checked before it is used again. */
  doubt(): void {
    this.#generation++;
  }

  /** The project is gone. */
  forget(project: string): void {
    this.#projects.delete(project);
  }

  #find(name: string): CompiledFlag | undefined {
    const known = this.#flags.get(name);
    if (known && (known.generation === this.#generation || this.#stillGood(known))) return known.flag;
    const feature = this.#state.get('features', name);
    const project = feature && this.#state.get('projects', feature.project);
    if (!feature || !isServed(feature, project, this.#environment)) {
      this.#flags.delete(name);
      return undefined;
    }
    return this.#compile(feature, project);
  }

  #stillGood(known: KnownFlag): boolean {
    const { feature, project, segments, segmentIds } = known;
    if (this.#state.get('projects', feature.project) !== project) return false;
    if (!segmentIds.every((id, index) => this.#state.get('segments', String(id)) === segments[index])) return false;
    known.generation = this.#generation;
    return true;
  }

  #compile(feature: Feature, project: Project | undefined): CompiledFlag {
    const { enabled, strategies, variants } = featureEnvironment(feature, this.#environment);
    const { name, impressionData, dependencies } = feature;
    let segmentIds: number[] | undefined;
    let segments: (Segment | undefined)[] | undefined;
    const flag = compileFlag({ name, enabled, impressionData, strategies, variants, dependencies }, (id) => {
      const segment = this.#state.get('segments', String(id));
      segmentIds ??= [];
      segmentIds.push(id);
      segments ??= [];
      segments.push(segment);
      return segment;
    });
    const known = { flag, feature, project, segments: segments ?? NONE, segmentIds: segmentIds ?? NONE };
    this.#flags.set(name, { ...known, generation: this.#generation });
    return flag;
  }
}
