import type { Successor } from '../../engine/replica.ts';
import { covers, type Scope } from '../../model/caller.ts';
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

/** Flags with one segment from which on partitions that use it are built anew: finding out which flags those are takes too long. */
const LOOKED_UP_FLAGS = 1_000;

/** Maximum number of cached payloads of filtered queries. A caller who varies `namePrefix` evicts only old payloads of filtered queries. */
const FILTERED_VIEWS_MAX = 64;

/** All that client views hold, in one object, so that it can be exchanged whole. */
interface Contents {
  readonly state: State;
  readonly segments: SegmentPieces;
  /** By project, then by environment and format. */
  readonly partitions: Map<string, Map<`${string}/${ClientFormat}`, PartitionView>>;
  /** Unfiltered views by scope: as many as there are different token scopes. */
  readonly views: Map<Scope, [ScopeView, ScopeView]>;
  /** Filtered views, oldest use first. */
  readonly filtered: Map<string, ScopeView>;
  readonly ring: ChangeRing;
}

/**
 * Every client list, as bytes. Follows the state commit by commit: a changed flag is serialised again once a partition and format, and
 * nothing else is; a list is put together when it is asked for.
 */
export class ClientViews implements PartitionSource, View {
  #contents: Contents;
  readonly #deltaCommits: number;
  readonly #listeners: ((touched: readonly PartitionKey[] | null) => void)[] = [];
  /** As long as the scope is in use. */
  readonly #channels = new WeakMap<Scope, DeltaChannel>();

  /** `deltaCommits` are remembered by what they changed. */
  constructor(state: State, deltaCommits = DELTA_COMMITS) {
    this.#deltaCommits = deltaCommits;
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
   * The same lists for another state, built before they are requested: every whole list that was requested here. Built in slices; the caller must
   * keep them up to date with that state until `takeOver`.
   */
  async successor(state: State): Promise<ClientViews> {
    const next = new ClientViews(state, this.#deltaCommits);
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

  /** Called for every commit that clients see something of, with the partitions it touches; null when it may be all of them. */
  onChanged(listener: (touched: readonly PartitionKey[] | null) => void): void {
    this.#listeners.push(listener);
  }

  changedSince(revision: number, scope: Scope): ChangedNames | null {
    return this.#contents.ring.since(revision, scope);
  }

  /** The view of a scope's whole list. The same scope object finds it without making a key. */
  view(scope: Scope, format: ClientFormat): ScopeView {
    let pair = this.#contents.views.get(scope);
    if (!pair) {
      pair = [this.#newView(scope, EVERYTHING, 1), this.#newView(scope, EVERYTHING, 2)];
      this.#contents.views.set(scope, pair);
    }
    return pair[format - 1] as ScopeView;
  }

  /** What streams of the scope are sent: the same object for the same scope. */
  channel(scope: Scope): DeltaChannel {
    let channel = this.#channels.get(scope);
    if (!channel) {
      channel = new DeltaChannel(() => this.view(scope, 2));
      this.#channels.set(scope, channel);
    }
    return channel;
  }

  /** The view of a scope's list through a query. */
  filteredView(scope: Scope, asked: ClientQuery, format: ClientFormat): ScopeView {
    // Projects that do not exist make no difference to the list, and their number has no bound. The answer must not show which projects of others exist.
    const isThere = (id: string) => covers(scope, id) && this.#contents.state.get('projects', id) !== undefined;
    const projects = asked.projects?.filter(isThere) ?? null;
    const query = { ...asked, projects };
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

  /** What the scope holds now, to be evaluated elsewhere. Later changes do not reach what was captured. */
  capture(scope: Scope): Promise<CapturedScope> {
    return this.view(scope, 2).capture();
  }

  /** Forgets the payloads of a scope that no token has any more. */
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

  /** Brings the partitions in step with a commit that was just applied. Work: the flags it changed, or that its segments reach. */
  apply(applied: AppliedCommit): void {
    const { commit, changes, bulk } = applied;
    this.#contents.ring.note(applied);
    for (const project of bulk?.projects ?? []) this.#contents.partitions.delete(project);
    // As long as no list was asked for there is nothing to keep in step.
    if (this.#contents.partitions.size > 0) this.#bring(bulk?.others ?? changes);
    if (commit.touched.length > 0) for (const listener of this.#listeners) listener(commit.touched);
  }

  #bring(changes: readonly AppliedChange[]): void {
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
        // Rare, and all its flags may differ: built anew when it is asked for.
        partitions.delete(change.key);
      }
    }
    for (const [project, names] of changed) {
      for (const partition of partitions.get(project)?.values() ?? []) partition.update(names, budget);
    }
  }

  /** Version 1 lists carry the constraints of segments inside the flags. */
  #updateSegment(id: string, budget: TurnBudget): void {
    const isBulk = this.#contents.state.count('featuresBySegment', id) > LOOKED_UP_FLAGS;
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
    return new ScopeView(state, scope, query, format, this, segments);
  }
}

function sameEnvironments(before: Project | undefined, after: Project | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    [...before.environments].sort().join() === [...after.environments].sort().join()
  );
}
