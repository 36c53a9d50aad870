import type { Successor } from '../../engine/replica.ts';
import { covers, type Scope } from '../../model/caller.ts';
import type { FetchMode } from '../../model/fetch-mode.ts';
import type { Project } from '../../model/project.ts';
import type { PartitionKey } from '../../state/revisions.ts';
import type { AppliedChange, AppliedCommit, State } from '../../state/state.ts';
import type { View } from '../view.ts';
import { type ChangedNames, ChangeRing, DELTA_COMMITS } from './change-ring.ts';
import { DeltaChannel } from './delta-channel.ts';
import type { ClientFormat } from './fragment.ts';
import { PartitionView, TurnBudget } from './partition-view.ts';
import { type ClientQuery, EVERYTHING } from './query.ts';
import { type CapturedScope, type PartitionSource, ScopeView } from './scope-view.ts';
import { SegmentPieces } from './segment-pieces.ts';

/**
 * If more flags than this use a changed segment, the partitions that use the segment are built again, because looking up these flags would take too
 * long.
 */
const LOOKED_UP_FLAGS_MAX = 1_000;

/**
 * Maximum number of cached payloads of filtered queries. A caller that sends many different `namePrefix` values evicts only payloads of filtered
 * queries.
 */
const FILTERED_VIEWS_MAX = 64;

/** All data of the client views in one object, so it can be replaced atomically. */
interface Contents {
  readonly state: State;
  readonly segments: SegmentPieces;
  /** Project → environment and format → partition. */
  readonly partitions: Map<string, Map<`${string}/${ClientFormat}`, PartitionView>>;
  /** Unfiltered views by scope, for versions 1 and 2. Their number is the number of different token scopes. */
  readonly views: Map<Scope, [ScopeView, ScopeView]>;
  /** Filtered views, the least recently used first. */
  readonly filtered: Map<string, ScopeView>;
  readonly ring: ChangeRing;
}

/**
 * The bytes of every client list. They are updated with each commit: only a changed flag is serialised again, once for each partition and format. A
 * list is put together when it is requested.
 */
export class ClientViews implements PartitionSource, View {
  #contents: Contents;
  readonly #deltaCommits: number;
  readonly #defaultFetchMode: FetchMode | undefined;
  readonly #listeners: ((touched: readonly PartitionKey[] | null) => void)[] = [];
  /** A channel exists as long as its scope is in use. */
  readonly #channels = new WeakMap<Scope, DeltaChannel>();

  /**
   * `deltaCommits`: the number of commits whose changed names are remembered. `defaultFetchMode`: how SDKs are asked to get changes in environments
   * that do not state it.
   */
  constructor(state: State, deltaCommits = DELTA_COMMITS, defaultFetchMode?: FetchMode) {
    this.#deltaCommits = deltaCommits;
    this.#defaultFetchMode = defaultFetchMode;
    this.#contents = {
      state,
      segments: new SegmentPieces(state),
      partitions: new Map(),
      views: new Map(),
      filtered: new Map(),
      ring: new ChangeRing(state.seq, deltaCommits),
    };
  }

  async prepare(state: State): Promise<Successor> {
    const next = await this.successor(state);
    return { apply: (applied) => next.apply(applied), takeOver: () => this.takeOver(next) };
  }

  /**
   * Creates client views for another state, with every unfiltered list that was requested from this object. They are built in slices. The caller must
   * keep them up to date with that state until `takeOver`.
   */
  async successor(state: State): Promise<ClientViews> {
    const next = new ClientViews(state, this.#deltaCommits, this.#defaultFetchMode);
    for (const [scope, pair] of this.#contents.views) {
      for (const format of [1, 2] as const) {
        if (pair[format - 1]?.wasUsed) await next.view(scope, format).refresh();
      }
    }
    return next;
  }

  /** Continues with the successor's lists. Call it in the same turn of the event loop in which the state is replaced. */
  takeOver(successor: ClientViews): void {
    const { views } = successor.#contents;
    for (const scope of views.keys()) if (!this.#contents.views.has(scope)) views.delete(scope);
    this.#contents = successor.#contents;
    for (const listener of this.#listeners) listener(null);
  }

  /**
   * Registers a listener for every commit with a change that clients can see. The listener gets the partitions that changed; null when all may have
   * changed.
   */
  onChanged(listener: (touched: readonly PartitionKey[] | null) => void): void {
    this.#listeners.push(listener);
  }

  changedSince(revision: number, scope: Scope): ChangedNames | null {
    return this.#contents.ring.since(revision, scope);
  }

  /** The view of the unfiltered list of a scope. The scope object itself is the key, so no text key is created. */
  view(scope: Scope, format: ClientFormat): ScopeView {
    let pair = this.#contents.views.get(scope);
    if (!pair) {
      pair = [this.#newView(scope, EVERYTHING, 1), this.#newView(scope, EVERYTHING, 2)];
      this.#contents.views.set(scope, pair);
    }
    return pair[format - 1] as ScopeView;
  }

  /** The channel of the scope's streams. The same scope object always gets the same channel. */
  channel(scope: Scope): DeltaChannel {
    let channel = this.#channels.get(scope);
    if (!channel) {
      channel = new DeltaChannel(() => this.view(scope, 2));
      this.#channels.set(scope, channel);
    }
    return channel;
  }

  /** The view of a scope's list, filtered by a query. */
  filteredView(scope: Scope, requestedQuery: ClientQuery, format: ClientFormat): ScopeView {
    // Projects that do not exist are left out: they do not change the list, and callers could send any number of them. Projects outside of the scope
    // are also left out, so that the answer does not show whether they exist.
    const isVisible = (id: string) => covers(scope, id) && this.#contents.state.get('projects', id) !== undefined;
    const projects = requestedQuery.projects?.filter(isVisible) ?? null;
    const query = { ...requestedQuery, projects };
    const key = JSON.stringify([scope.environment, scope.projects && [...scope.projects], query, format]);
    const view = this.#contents.filtered.get(key) ?? this.#newView(scope, query, format);
    this.#contents.filtered.delete(key);
    this.#contents.filtered.set(key, view);
    for (const oldest of this.#contents.filtered.keys()) {
      if (this.#contents.filtered.size <= FILTERED_VIEWS_MAX) break;
      this.#contents.filtered.delete(oldest);
    }
    return view;
  }

  /** The flags of the scope at this moment, for evaluation on another thread. Later changes do not change the returned object. */
  capture(scope: Scope): Promise<CapturedScope> {
    return this.view(scope, 2).capture();
  }

  /** Removes the payloads of a scope that no token uses any more. */
  release(scope: Scope): void {
    this.#contents.views.delete(scope);
  }

  partition(environment: string, project: string, format: ClientFormat): PartitionView {
    const key = `${environment}/${format}` as const;
    let partitions = this.#contents.partitions.get(project);
    if (!partitions) {
      partitions = new Map();
      this.#contents.partitions.set(project, partitions);
    }
    let partition = partitions.get(key);
    if (!partition) {
      partition = new PartitionView(this.#contents.state, environment, project, format);
      partitions.set(key, partition);
    }
    return partition;
  }

  projects(): string[] {
    return [...this.#contents.state.values('projects')].map((project) => project.id).sort();
  }

  /** Updates the partitions for a commit that was just applied. The cost depends on the changed flags and the flags that use a changed segment. */
  apply(applied: AppliedCommit): void {
    const { commit, changes, bulk } = applied;
    this.#contents.ring.note(applied);
    for (const project of bulk?.projects ?? []) this.#contents.partitions.delete(project);
    // Until the first list is requested, no partition exists that must be updated.
    if (this.#contents.partitions.size > 0) this.#updatePartitions(bulk?.changesExceptFlags ?? changes);
    if (commit.touched.length > 0) for (const listener of this.#listeners) listener(commit.touched);
  }

  #updatePartitions(changes: readonly AppliedChange[]): void {
    const { partitions } = this.#contents;
    const budget = new TurnBudget();
    const changed = new Map<string, Set<string>>();
    const note = (project: string | undefined, name: string) => {
      if (project === undefined || !partitions.has(project)) return;
      const names = changed.get(project);
      if (names) names.add(name);
      else changed.set(project, new Set([name]));
    };
    for (const change of changes) {
      if (change.collection === 'features') {
        note(change.before?.project, change.key);
        note(change.after?.project, change.key);
      } else if (change.collection === 'segments') this.#updateSegment(change.key, budget);
      else if (change.collection === 'projects' && !sameEnvironments(change.before, change.after)) {
        // This is rare, and all flags of the project may differ. The partitions are built again when they are requested.
        partitions.delete(change.key);
      }
    }
    for (const [project, names] of changed) {
      for (const partition of partitions.get(project)?.values() ?? []) partition.update(names, budget);
    }
  }

  /** Updates version 1 partitions: their flags contain the constraints of their segments. */
  #updateSegment(id: string, budget: TurnBudget): void {
    const isBulk = this.#contents.state.count('featuresBySegment', id) > LOOKED_UP_FLAGS_MAX;
    for (const partitions of this.#contents.partitions.values()) {
      for (const [key, partition] of partitions) {
        if (partition.format !== 1 || !partition.usesSegment(Number(id))) continue;
        if (isBulk) partitions.delete(key);
        else partition.update(partition.flagsWithSegment(Number(id)), budget);
      }
    }
  }

  #newView(scope: Scope, query: ClientQuery, format: ClientFormat): ScopeView {
    const { state, segments } = this.#contents;
    return new ScopeView(state, scope, query, format, this, segments, this.#defaultFetchMode);
  }
}

function sameEnvironments(before: Project | undefined, after: Project | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    [...before.environments].sort().join() === [...after.environments].sort().join()
  );
}
