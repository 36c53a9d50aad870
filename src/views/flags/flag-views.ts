import { SERVICE } from '../../base/asking/asker.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Successor } from '../../engine/replica.ts';
import { covers, type Scope } from '../../model/caller.ts';
import { isServed } from '../../model/client-feature.ts';
import type { Feature } from '../../model/feature.ts';
import type { AppliedChange, AppliedCommit, State } from '../../state/state.ts';
import type { View } from '../view.ts';
import { BackgroundCompiler } from './background-compiler.ts';
import { type Compilation, FlagCell } from './flag-cell.ts';
import { FlagChunk } from './flag-chunk.ts';
import { FlagSnapshot, type ScopeRevision } from './flag-snapshot.ts';
import { ProjectFlags } from './project-flags.ts';

/** If more flags than this use a changed segment, these flags are not looked up; all flags of all projects are checked instead. */
const LOOKED_UP_FLAGS_MAX = 1_000;

/**
 * The flags that evaluation reads, by environment and project, up to date with the state. A reader uses one snapshot until its answer is complete.
 * Changed flags are compiled in the background; a reader that needs a flag earlier compiles it in steps.
 */
export class FlagViews implements View {
  readonly #state: State;
  readonly #compilation: Compilation | undefined;
  /** Environment → project → flags. Only existing environments and projects are added, because callers may send any text. */
  readonly #environments = new Map<string, Map<string, ProjectFlags>>();
  readonly #compiler = new BackgroundCompiler();
  #projectIds: readonly string[] | undefined;
  /** Cached snapshots of the scopes of tokens. A change clears them. */
  #snapshots = new WeakMap<Scope, FlagSnapshot>();
  #hasSnapshots = false;

  constructor(state: State, compilation?: Compilation) {
    this.#state = state;
    this.#compilation = compilation;
  }

  /** The current flags of a token's scope. A promise if flags must be updated first. */
  snapshotOf(scope: Scope): FlagSnapshot | Promise<FlagSnapshot> {
    const known = this.#snapshots.get(scope);
    if (known) return known;
    const taken = this.#takeSnapshots([scope]);
    if (!taken) return this.#takeSnapshotsInSlices([scope]).then(([snapshot]) => snapshot as FlagSnapshot);
    const [snapshot] = taken as [FlagSnapshot];
    this.#snapshots.set(scope, snapshot);
    this.#hasSnapshots = true;
    return snapshot;
  }

  /** The flags of several scopes, all from the same moment. No token needs to have these scopes. */
  snapshotsOf(scopes: readonly Scope[]): FlagSnapshot[] | Promise<FlagSnapshot[]> {
    return this.#takeSnapshots(scopes) ?? this.#takeSnapshotsInSlices(scopes);
  }

  /** Only the flags of the scope with these names. Synchronous, so the names must be few. */
  snapshotOfFlags(scope: Scope, names: readonly string[]): FlagSnapshot {
    const { environment } = scope;
    const projects = new Map<string, FlagCell[]>();
    for (const name of [...new Set(names)].sort()) {
      const cell = this.#cell(environment, name);
      if (!cell || !covers(scope, cell.feature.project)) continue;
      const cells = projects.get(cell.feature.project);
      if (cells) cells.push(cell);
      else projects.set(cell.feature.project, [cell]);
    }
    const chunks = [...projects.keys()].sort().map((project) => new FlagChunk(projects.get(project) ?? []));
    return this.#snapshot(scope, chunks);
  }

  /** Prepares nothing: flags are read when they are requested. */
  async prepare(): Promise<Successor> {
    return { apply: () => {}, takeOver: () => this.#forget() };
  }

  /** Drops everything: the whole content of the state was replaced. */
  #forget(): void {
    this.#environments.clear();
    this.#projectIds = undefined;
    this.#release();
    this.#compiler.clear();
  }

  /**
   * The cost depends on the changed flags and on the flags that use a changed segment. Larger changes are only recorded, and applied in slices when
   * the flags are needed.
   */
  apply({ changes, bulk }: AppliedCommit): void {
    let projects: Map<string, Set<string>> | undefined;
    if (bulk && bulk.projects.size > 0) this.#release();
    for (const views of this.#environments.values()) {
      for (const project of bulk?.projects ?? []) views.get(project)?.markAllStale();
    }
    for (const change of bulk?.changesExceptFlags ?? changes) {
      if (change.collection === 'features') {
        // Until flags are requested, no `ProjectFlags` exist that must be updated.
        if (this.#environments.size > 0) {
          projects ??= new Map();
          note(projects, change);
        }
      } else if (change.collection === 'segments') this.#changeSegment(change.key);
      else if (change.collection === 'projects') this.#changeProject(change.key);
      else if (change.collection === 'environments') this.#environments.delete(change.key);
      else continue;
      this.#release();
    }
    if (!projects) return;
    for (const views of this.#environments.values()) {
      for (const [project, names] of projects) views.get(project)?.change(names);
    }
  }

  /** Drops the cached snapshots of the previous state. */
  #release(): void {
    if (!this.#hasSnapshots) return;
    this.#snapshots = new WeakMap();
    this.#hasSnapshots = false;
  }

  #changeSegment(id: string): void {
    if (this.#state.count('featuresBySegment', id) > LOOKED_UP_FLAGS_MAX) {
      for (const views of this.#environments.values()) for (const flags of views.values()) flags.markAllStale();
      return;
    }
    const namesByProject = new Map<string, Set<string>>();
    for (const { project, name } of this.#state.lookup('featuresBySegment', id)) add(namesByProject, project, name);
    for (const views of this.#environments.values()) {
      for (const [project, names] of namesByProject) views.get(project)?.change(names);
    }
  }

  #changeProject(id: string): void {
    this.#projectIds = undefined;
    for (const views of this.#environments.values()) {
      if (this.#state.get('projects', id)) views.get(id)?.markAllStale();
      else views.delete(id);
    }
  }

  async #takeSnapshotsInSlices(scopes: readonly Scope[]): Promise<FlagSnapshot[]> {
    // All projects share one slicer, because there may be thousands of small projects.
    const slicer = Slicer.of(SERVICE);
    await slicer.pause();
    for (;;) {
      for (const scope of scopes) {
        for (const flags of this.#flagsOf(scope)) {
          if (!flags.ready) await flags.build(slicer);
          if (slicer.spent) await slicer.pause();
        }
      }
      const taken = this.#takeSnapshots(scopes);
      if (taken) return taken;
    }
  }

  /** Undefined while any project is not up to date. */
  #takeSnapshots(scopes: readonly Scope[]): FlagSnapshot[] | undefined {
    const snapshots: FlagSnapshot[] = [];
    for (const scope of scopes) {
      const chunks: FlagChunk[] = [];
      for (const flags of this.#flagsOf(scope)) {
        if (!flags.ready) return undefined;
        for (const chunk of flags.chunks) chunks.push(chunk);
      }
      snapshots.push(this.#snapshot(scope, chunks));
    }
    return snapshots;
  }

  #snapshot(scope: Scope, chunks: readonly FlagChunk[]): FlagSnapshot {
    const { environment } = scope;
    const parentOf = (name: string) => this.#cell(environment, name);
    return new FlagSnapshot(environment, this.#state.seq, this.#revisionOf(scope, chunks), chunks, parentOf);
  }

  /** Includes deleted projects: the revision must not decrease when a project is deleted. */
  #revisionOf({ environment, projects }: Scope, chunks: readonly FlagChunk[]): ScopeRevision {
    const { revisions } = this.#state;
    let newest = projects === null ? revisions.environment(environment) : 0;
    const projectIds = new Set(projects);
    // The projects of parents are included, whether or not the caller may see them.
    if (projects !== null) for (const parent of parentsOf(chunks)) projectIds.add(this.#projectOf(parent));
    for (const project of projectIds) newest = Math.max(newest, revisions.partition(environment, project));
    const scope = JSON.stringify([environment, projects && [...projects].sort()]);
    return { scope, number: newest, mark: revisions.mark(newest) };
  }

  #projectOf(feature: string): string {
    return this.#state.get('features', feature)?.project ?? '';
  }

  #flagsOf({ environment, projects }: Scope): ProjectFlags[] {
    if (!this.#state.get('environments', environment)) return [];
    const found: ProjectFlags[] = [];
    for (const id of projects === null ? this.#allProjects() : [...projects].sort()) {
      if (this.#state.get('projects', id)?.environments.includes(environment)) found.push(this.#flags(environment, id));
    }
    return found;
  }

  #flags(environment: string, project: string): ProjectFlags {
    let views = this.#environments.get(environment);
    if (!views) {
      views = new Map();
      this.#environments.set(environment, views);
    }
    let flags = views.get(project);
    if (!flags) {
      flags = new ProjectFlags(this.#state, environment, project, (feature) => {
        const cell = this.#cellOf(feature, environment);
        this.#compiler.add(cell);
        return cell;
      });
      views.set(project, flags);
    }
    return flags;
  }

  #cell(environment: string, name: string): FlagCell | undefined {
    const feature = this.#state.get('features', name);
    if (!feature) return undefined;
    const flags = this.#environments.get(environment)?.get(feature.project);
    if (flags?.ready) return flags.find(name);
    // The flag may be a parent in a project that was not requested. Commands keep parents and children in one project, but older data may not.
    const project = this.#state.get('projects', feature.project);
    return isServed(feature, project, environment) ? this.#cellOf(feature, environment) : undefined;
  }

  #cellOf(feature: Feature, environment: string): FlagCell {
    return new FlagCell(this.#state, feature, environment, this.#compilation);
  }

  #allProjects(): readonly string[] {
    this.#projectIds ??= Array.from(this.#state.values('projects'), ({ id }) => id).sort();
    return this.#projectIds;
  }
}

function* parentsOf(chunks: readonly FlagChunk[]): Generator<string> {
  for (const { parents } of chunks) if (parents !== null) yield* parents;
}

/** Adds the flag to the sets of the projects that contained it before and after the change. */
function note(
  projects: Map<string, Set<string>>,
  { key, before, after }: Extract<AppliedChange, { collection: 'features' }>,
): void {
  if (after) add(projects, after.project, key);
  if (before && before.project !== after?.project) add(projects, before.project, key);
}

function add(names: Map<string, Set<string>>, project: string, name: string): void {
  const known = names.get(project);
  if (known) known.add(name);
  else names.set(project, new Set([name]));
}
