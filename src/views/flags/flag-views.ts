import { Slicer } from '../../base/yield-control.ts';
import type { Successor } from '../../engine/replica.ts';
import type { HashedBytes } from '../../evaluation/hashing.ts';
import { covers, type Scope } from '../../model/caller.ts';
import { isServed } from '../../model/client-feature.ts';
import type { Feature } from '../../model/feature.ts';
import type { AppliedChange, AppliedCommit, State } from '../../state/state.ts';
import type { View } from '../view.ts';
import { BackgroundCompiler } from './background-compiler.ts';
import { FlagCell } from './flag-cell.ts';
import { FlagChunk } from './flag-chunk.ts';
import { FlagSnapshot, type ScopeRevision } from './flag-snapshot.ts';
import { ProjectFlags } from './project-flags.ts';

/** Flags with one segment from which on projects are looked through anew instead of flag by flag. */
const BULK_CHANGES = 1_000;

/**
 * The flags that evaluation reads, by environment and project, up to date with the state. A reader takes a snapshot and keeps it until its
 * answer is complete. Changed flags are compiled in the background; a reader that needs one earlier compiles it itself, in steps.
 */
export class FlagViews implements View {
  readonly #state: State;
  readonly #bytes: HashedBytes;
  /** By environment, then by project. Only of those that exist: callers may send any text. */
  readonly #environments = new Map<string, Map<string, ProjectFlags>>();
  readonly #compiler = new BackgroundCompiler();
  #projectIds: readonly string[] | undefined;
  /** Snapshots of tokens' scopes, until something changes. */
  #snapshots = new WeakMap<Scope, FlagSnapshot>();
  #hasSnapshots = false;

  /** `bytes` are those that flags hash of texts. */
  constructor(state: State, bytes: HashedBytes = 'low-bytes') {
    this.#state = state;
    this.#bytes = bytes;
  }

  /** What a token's scope holds now: at once, unless flags have to be looked through first. */
  ofScope(scope: Scope): FlagSnapshot | Promise<FlagSnapshot> {
    const known = this.#snapshots.get(scope);
    if (known) return known;
    const taken = this.#take([scope]);
    if (!taken) return this.#takeLater([scope]).then(([snapshot]) => snapshot as FlagSnapshot);
    const [snapshot] = taken as [FlagSnapshot];
    this.#snapshots.set(scope, snapshot);
    this.#hasSnapshots = true;
    return snapshot;
  }

  /** Several environments, or projects that no token has: all of the same moment. */
  ofAll(scopes: readonly Scope[]): FlagSnapshot[] | Promise<FlagSnapshot[]> {
    return this.#take(scopes) ?? this.#takeLater(scopes);
  }

  /** Only these of a scope's flags, of which there are few: at once, and without looking at any other. */
  named(scope: Scope, names: readonly string[]): FlagSnapshot {
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

  /** Nothing: flags are looked through as they are asked for. */
  async prepare(): Promise<Successor> {
    return { apply: () => {}, takeOver: () => this.#forget() };
  }

  /** The state holds something else altogether. */
  #forget(): void {
    this.#environments.clear();
    this.#projectIds = undefined;
    this.#release();
    this.#compiler.clear();
  }

  /** Work: the flags that changed, or that few segments reach. What is more is noted, and done in slices when it is needed. */
  apply({ changes, bulk }: AppliedCommit): void {
    let projects: Map<string, Set<string>> | undefined;
    if (bulk && bulk.projects.size > 0) this.#release();
    for (const views of this.#environments.values()) {
      for (const project of bulk?.projects ?? []) views.get(project)?.doubt();
    }
    for (const change of bulk?.others ?? changes) {
      if (change.collection === 'features') {
        // As long as the flags were not needed there is nothing to keep in step.
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

  /** What was taken of the state before is not handed out any more. */
  #release(): void {
    if (!this.#hasSnapshots) return;
    this.#snapshots = new WeakMap();
    this.#hasSnapshots = false;
  }

  #changeSegment(id: string): void {
    if (this.#state.count('featuresBySegment', id) > BULK_CHANGES) {
      for (const views of this.#environments.values()) for (const flags of views.values()) flags.doubt();
      return;
    }
    const users = new Map<string, Set<string>>();
    for (const { project, name } of this.#state.lookup('featuresBySegment', id)) add(users, project, name);
    for (const views of this.#environments.values()) {
      for (const [project, names] of users) views.get(project)?.change(names);
    }
  }

  #changeProject(id: string): void {
    this.#projectIds = undefined;
    for (const views of this.#environments.values()) {
      if (this.#state.get('projects', id)) views.get(id)?.doubt();
      else views.delete(id);
    }
  }

  async #takeLater(scopes: readonly Scope[]): Promise<FlagSnapshot[]> {
    // One for all projects: there may be thousands of small ones.
    const slicer = new Slicer();
    await slicer.pause();
    for (;;) {
      for (const scope of scopes) {
        for (const flags of this.#flagsOf(scope)) {
          if (!flags.ready) await flags.build(slicer);
          if (slicer.spent) await slicer.pause();
        }
      }
      const taken = this.#take(scopes);
      if (taken) return taken;
    }
  }

  /** Undefined while any of it is not in step. */
  #take(scopes: readonly Scope[]): FlagSnapshot[] | undefined {
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
    const seen = new Set(projects);
    // A parent counts whether or not the caller may see it.
    if (projects !== null) for (const parent of parentsOf(chunks)) seen.add(this.#projectOf(parent));
    for (const project of seen) newest = Math.max(newest, revisions.partition(environment, project));
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
    // Of a project that is not read: commands keep families together, older data may not.
    const project = this.#state.get('projects', feature.project);
    return isServed(feature, project, environment) ? this.#cellOf(feature, environment) : undefined;
  }

  #cellOf(feature: Feature, environment: string): FlagCell {
    return new FlagCell(this.#state, feature, environment, this.#bytes);
  }

  #allProjects(): readonly string[] {
    this.#projectIds ??= Array.from(this.#state.values('projects'), ({ id }) => id).sort();
    return this.#projectIds;
  }
}

function* parentsOf(chunks: readonly FlagChunk[]): Generator<string> {
  for (const { parents } of chunks) if (parents !== null) yield* parents;
}

/** Where the flag was and is. */
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
