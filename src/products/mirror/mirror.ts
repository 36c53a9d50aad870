import { Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import { ALL } from '../../model/api-token.ts';
import type { Feature, FeatureEnvironment } from '../../model/feature.ts';
import { DEFAULT_PROJECT, type Project } from '../../model/project.ts';
import { holdsProject, type ListedScope, normalProjects, scopeKey } from '../../model/project-list.ts';
import { type ForgottenScope, MirrorInput, type SourceFlag, type SourceScope } from './mirror-input.ts';
import { dependenciesOf, strategyOf, variantOf } from './mirrored-parts.ts';
import { dropUnusedSegments, namesUnknownSegment, putSegment, unsentSegments } from './mirrored-segments.ts';
import { ExpandedSize } from './mirrored-size.ts';

/** The result of `mirror`. */
export interface MirrorResult {
  /** Number of flags that are new, or were sent with changes. */
  readonly changed: number;
  /** Number of flags that were removed. */
  readonly gone: number;
  /**
   * Keys of scopes that the source must send again as a whole. A scope is in the list for one of two reasons: a flag moved from it to another scope,
   * and it is not known which of the two scopes was sent later; or a changed flag of the scope names a segment that was never sent.
   */
  readonly uncertainScopes: readonly string[];
}

/** A change of project: flags that were in the project `from`, and were now sent with the project `to`. */
interface Move {
  readonly from: string;
  readonly to: string;
  /** All environments of these flags in the state. */
  readonly environments: Set<string>;
}

/**
 * Writes the content of some scopes, as a source sends it, into the state. Flags that differ are changed, flags that the source no longer sends are
 * removed, and nothing else is changed. Unchanged content makes no change, so a source may be asked at any frequency. In a service whose flags come
 * from a source, only this command writes flags (docs/decisions/relay.md). It writes no audit events: the source has them.
 */
export const mirror = longCommand({
  name: 'mirror',
  input: MirrorInput,
  *decide(context, { scopes, forgotten = [] }) {
    const sum = { changed: 0, gone: 0 };
    const uncertainScopes = new Set<string>();
    for (const scope of scopes) {
      const result = yield* new ScopeMirror(context, scope).write();
      if (result instanceof Rejection) return result;
      sum.changed += result.changed;
      sum.gone += result.gone;
      for (const key of result.uncertainScopes) uncertainScopes.add(key);
    }
    for (const scope of forgotten) sum.gone += yield* forget(context, scope);
    return { ...sum, uncertainScopes: [...uncertainScopes] };
  },
});

/**
 * Removes a scope, and its flags in projects that no other scope of the environment contains. The projects in `kept` become a scope of their own.
 * Returns the number of removed flags.
 */
function* forget(context: CommandContext, { environment, projects, kept }: ForgottenScope): Steps<number> {
  const { draft, now } = context;
  const key = scopeKey({ environment, projects });
  if (!draft.get('mirroredScopes', key)) return 0;
  draft.remove('mirroredScopes', key);
  const keptScope = { environment, projects: normalProjects(kept), etag: null, at: now };
  if (kept.length > 0 && !draft.get('mirroredScopes', scopeKey(keptScope))) draft.put('mirroredScopes', keptScope);
  const projectsOfOthers = new Set<string>();
  for (const other of draft.values('mirroredScopes')) {
    if (other.environment === environment) for (const project of other.projects) projectsOfOthers.add(project);
  }
  if (projectsOfOthers.has(ALL)) return 0;
  const names: string[] = [];
  for (const project of normalProjects(projects)) {
    for (const feature of project === ALL ? draft.values('features') : draft.lookup('featuresByProject', project)) {
      if (!projectsOfOthers.has(feature.project)) names.push(feature.name);
      yield;
    }
  }
  const emptyScope = { environment, projects: [...projects], etag: null, features: [], segments: [] };
  const { gone } = yield* new ScopeMirror(context, { ...emptyScope, removed: names }).removeFlags();
  return gone;
}

/** Writes one scope into the draft. */
class ScopeMirror {
  readonly #context: CommandContext;
  readonly #scope: SourceScope;
  readonly #projects: readonly string[];
  /** Whether a changed flag names a segment that is not known. */
  #lacksSegment = false;
  /** Projects of flags that were changed or removed. */
  readonly #changedProjects = new Set<string>();
  readonly #moves = new Map<string, Move>();
  #changed = 0;
  #gone = 0;

  constructor(context: CommandContext, scope: SourceScope) {
    this.#context = context;
    this.#scope = scope;
    this.#projects = normalProjects(scope.projects);
  }

  /** Writes the scope into the draft. Returns a rejection if the scope would be too large for old SDKs. */
  *write(): Steps<MirrorResult | Rejection> {
    const { features, segments, removed } = this.#scope;
    this.#ensureEnvironmentAndProjects();
    for (const segment of segments) {
      putSegment(this.#context, segment);
      yield;
    }
    const sentNames = new Set<string>();
    const size = new ExpandedSize(this.#context.draft);
    let grownBytes = 0;
    for (const flag of features) {
      sentNames.add(flag.name);
      const tooLarge = size.add(flag.name, flag);
      if (tooLarge) return tooLarge;
      if (removed) {
        grownBytes += size.of(flag) - size.of(this.#locationOf(flag.name) ?? {});
        this.#lacksSegment ||= namesUnknownSegment(this.#context.draft, flag);
      }
      this.#putFlag(flag);
      yield;
    }
    yield* this.#removeAll(removed ?? (yield* this.#unsent(sentNames)));
    const segmentIds = removed ? (this.#scope.removedSegments ?? []) : unsentSegments(this.#context.draft, segments);
    yield* dropUnusedSegments(this.#context.draft, segmentIds);
    // `size` contains only the changed flags. The other flags of the scope are already in the draft, so the whole scope is measured.
    if (removed && (grownBytes > 0 || segments.length > 0)) {
      const tooLarge = yield* this.#measure();
      if (tooLarge) return tooLarge;
    }
    this.#storeScope();
    return { changed: this.#changed, gone: this.#gone, uncertainScopes: this.#uncertainScopes() };
  }

  /** Like `write`, for a scope that is no longer followed: removes its flags, and stores nothing about the scope. */
  *removeFlags(): Steps<MirrorResult> {
    const removed = this.#scope.removed ?? [];
    const strategies = removed.flatMap((name) => this.#locationOf(name)?.strategies ?? []);
    yield* this.#removeAll(removed);
    yield* dropUnusedSegments(this.#context.draft, new Set(strategies.flatMap(({ segments }) => segments)));
    return { changed: 0, gone: this.#gone, uncertainScopes: [] };
  }

  *#removeAll(names: readonly string[]): Steps<void> {
    for (const name of names) {
      this.#remove(name);
      yield;
    }
  }

  #ensureEnvironmentAndProjects(): void {
    const { draft } = this.#context;
    const { environment } = this.#scope;
    if (!draft.get('environments', environment)) {
      const type = environment === 'production' ? 'production' : 'development';
      draft.put('environments', { name: environment, type, enabled: true, protected: false, sortOrder: 0 });
    }
    for (const project of this.#projects) if (project !== ALL) this.#ensureProject(project);
  }

  #ensureProject(id: string): void {
    const { draft, now } = this.#context;
    const { environment } = this.#scope;
    const existing = draft.get('projects', id);
    if (existing?.environments.includes(environment)) return;
    draft.put('projects', {
      ...(existing ?? newProject(id, now)),
      environments: [...(existing?.environments ?? []), environment],
      updatedAt: now,
    });
  }

  /**
   * The project of a flag. If the flag was sent without a project, it is the default project if the scope contains it, otherwise the scope's first
   * project.
   */
  #projectOf({ project }: SourceFlag): string {
    if (project) return project;
    const [first = DEFAULT_PROJECT] = this.#projects;
    return first === ALL || this.#projects.includes(DEFAULT_PROJECT) ? DEFAULT_PROJECT : first;
  }

  #putFlag(sent: SourceFlag): void {
    const { draft, now, by } = this.#context;
    const { environment } = this.#scope;
    const project = this.#projectOf(sent);
    this.#ensureProject(project);
    const before = draft.get('features', sent.name);
    const locationBefore = before?.environments.find((location) => location.environment === environment);
    const location = locationOf(sent, environment);
    const dependencies = dependenciesOf(sent.dependencies);
    const after: Feature = {
      name: sent.name,
      project,
      // The type may be unknown to Burgee: SDKs get the text that the source sent.
      type: (sent.type ?? 'release') as Feature['type'],
      description: sent.description ?? null,
      stale: sent.stale ?? false,
      archived: false,
      archivedAt: null,
      impressionData: sent.impressionData ?? false,
      createdAt: before?.createdAt ?? now,
      createdBy: before?.createdBy ?? by,
      tags: [],
      // Unchanged parts keep their object, so `isSame` only needs to compare references.
      dependencies: before && isSameJson(before.dependencies, dependencies) ? before.dependencies : dependencies,
      environments: withLocation(
        before,
        locationBefore && isSameJson(locationBefore, location) ? locationBefore : location,
      ),
      isMirrored: true,
    };
    if (before && isSame(before, after)) return;
    draft.put('features', after);
    if (before) this.#changedProjects.add(before.project);
    if (before && before.project !== project) this.#noteMove(before, project);
    this.#changedProjects.add(project);
    this.#changed++;
  }

  /** Names of the scope's flags that the state contains, but the source did not send. */
  *#unsent(sentNames: ReadonlySet<string>): Steps<string[]> {
    const names: string[] = [];
    for (const { name, environments } of this.#features()) {
      if (!sentNames.has(name) && environments.some(this.#isHere)) names.push(name);
      yield;
    }
    return names;
  }

  /** Returns a rejection if one flag of the scope, or all its flags together, are too large for old SDKs. */
  *#measure(): Steps<Rejection | undefined> {
    const size = new ExpandedSize(this.#context.draft);
    for (const { name, environments } of this.#features()) {
      const location = environments.find(this.#isHere);
      const tooLarge = location && size.add(name, location);
      if (tooLarge) return tooLarge;
      yield;
    }
    return undefined;
  }

  /** Flags of the scope's projects, in any environment. */
  *#features(): Generator<Feature, void, void> {
    const { draft } = this.#context;
    for (const project of this.#projects) {
      yield* project === ALL ? draft.values('features') : draft.lookup('featuresByProject', project);
    }
  }

  readonly #isHere = ({ environment }: FeatureEnvironment): boolean => environment === this.#scope.environment;

  #locationOf(name: string): FeatureEnvironment | undefined {
    return this.#context.draft.get('features', name)?.environments.find(this.#isHere);
  }

  #remove(name: string): void {
    const { draft } = this.#context;
    const feature = draft.get('features', name);
    const removed = feature?.environments.find(({ environment }) => environment === this.#scope.environment);
    if (!feature || !removed) return;
    // The flag has moved to a project outside this scope, and the scope of that project was sent first.
    if (!holdsProject(this.#projects, feature.project)) return;
    this.#changedProjects.add(feature.project);
    this.#gone++;
    const environments = feature.environments.filter((location) => location !== removed);
    if (environments.length > 0) draft.put('features', { ...feature, environments });
    else draft.remove('features', name);
  }

  #storeScope(): void {
    const { draft, now } = this.#context;
    const { environment, etag } = this.#scope;
    const scope = { environment, projects: this.#projects, etag, at: now };
    const existing = draft.get('mirroredScopes', scopeKey(scope));
    if (this.#changed + this.#gone > 0 || !existing || existing.etag !== etag) draft.put('mirroredScopes', scope);
    this.#clearOtherEtags(scopeKey(scope));
  }

  #noteMove({ project: from, environments }: Feature, to: string): void {
    const key = JSON.stringify([from, to]);
    const move = this.#moves.get(key) ?? { from, to, environments: new Set() };
    this.#moves.set(key, move);
    for (const { environment } of environments) move.environments.add(environment);
  }

  #uncertainScopes(): readonly string[] {
    const movedFrom = this.#markScopesOfMoves();
    return this.#lacksSegment ? [...movedFrom, scopeKey(this.#scope)] : movedFrom;
  }

  /**
   * Keys of scopes from which a flag moved to this scope. A scope is left out if both scopes contain both projects: the source sends the move in both
   * of them.
   */
  #markScopesOfMoves(): readonly string[] {
    if (this.#moves.size === 0) return [];
    const { draft } = this.#context;
    const ownKey = scopeKey(this.#scope);
    const uncertainScopes: string[] = [];
    for (const other of [...draft.values('mirroredScopes')]) {
      const key = scopeKey(other);
      if (key === ownKey || !this.#hasLost(other)) continue;
      uncertainScopes.push(key);
      if (other.etag !== null) draft.put('mirroredScopes', { ...other, etag: null });
    }
    return uncertainScopes;
  }

  #hasLost({ environment, projects }: ListedScope): boolean {
    for (const { from, to, environments } of this.#moves.values()) {
      if (!environments.has(environment) || !holdsProject(projects, from)) continue;
      if (!holdsProject(projects, to) || !holdsProject(this.#projects, from)) return true;
    }
    return false;
  }

  /**
   * Deletes the ETag of other scopes that contain a changed project. Their content in the state no longer matches the ETag, so the source must send
   * all of it again.
   */
  #clearOtherEtags(ownKey: string): void {
    if (this.#changedProjects.size === 0) return;
    const { draft } = this.#context;
    for (const other of [...draft.values('mirroredScopes')]) {
      const { environment, projects, etag } = other;
      if (etag === null || environment !== this.#scope.environment || scopeKey(other) === ownKey) continue;
      const isChanged = projects.includes(ALL) || projects.some((project) => this.#changedProjects.has(project));
      if (isChanged) draft.put('mirroredScopes', { ...other, etag: null });
    }
  }
}

function newProject(id: string, now: string): Project {
  return {
    id,
    name: id,
    description: null,
    mode: 'open',
    defaultStickiness: 'default',
    featureLimit: null,
    environments: [],
    createdAt: now,
    updatedAt: now,
    archivedAt: null,
  };
}

function locationOf({ enabled, strategies, variants }: SourceFlag, environment: string): FeatureEnvironment {
  return {
    environment,
    enabled,
    strategies: (strategies ?? []).map(strategyOf),
    variants: (variants ?? []).map(variantOf),
  };
}

function withLocation(feature: Feature | undefined, location: FeatureEnvironment): readonly FeatureEnvironment[] {
  const locations = feature?.environments ?? [];
  const at = locations.findIndex(({ environment }) => environment === location.environment);
  if (locations[at] === location) return locations;
  return at < 0 ? [...locations, location] : locations.with(at, location);
}

/** Whether the flag is unchanged. Equal parts are the same objects here, so references are compared. */
function isSame(before: Feature, after: Feature): boolean {
  return (
    before.environments === after.environments &&
    before.dependencies === after.dependencies &&
    before.project === after.project &&
    before.type === after.type &&
    before.description === after.description &&
    before.stale === after.stale &&
    before.impressionData === after.impressionData
  );
}
