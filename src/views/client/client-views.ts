import type { Scope } from '../../model/caller.ts';
import type { Project } from '../../model/project.ts';
import type { PartitionKey } from '../../state/revisions.ts';
import { partitionKey } from '../../state/revisions.ts';
import type { AppliedCommit, State } from '../../state/state.ts';
import type { ClientFormat } from './fragment.ts';
import { PartitionView } from './partition-view.ts';
import { type ClientQuery, EVERYTHING } from './query.ts';
import { type CapturedScope, type PartitionSource, ScopeView } from './scope-view.ts';
import { SegmentPieces } from './segment-pieces.ts';

/** Payloads of filtered queries that are kept. A caller who varies `namePrefix` pushes out his own and others' old ones, nothing more. */
const FILTERED_VIEWS_MAX = 64;

/**
 * Every client list, as bytes. Follows the state commit by commit: a changed flag is serialised again once a partition and format, and
 * everything else is copied when somebody asks for a list that holds it.
 */
export class ClientViews implements PartitionSource {
  readonly #state: State;
  readonly #segments: SegmentPieces;
  readonly #partitions = new Map<`${PartitionKey}/${ClientFormat}`, PartitionView>();
  /** Unfiltered views by scope: as many as there are different token scopes. */
  readonly #views = new Map<Scope, [ScopeView, ScopeView]>();
  /** Filtered views, oldest use first. */
  readonly #filtered = new Map<string, ScopeView>();

  constructor(state: State) {
    this.#state = state;
    this.#segments = new SegmentPieces(state);
  }

  /** The view of a scope's whole list. The same scope object finds it without making a key. */
  view(scope: Scope, format: ClientFormat): ScopeView {
    let pair = this.#views.get(scope);
    if (!pair) {
      pair = [this.#newView(scope, EVERYTHING, 1), this.#newView(scope, EVERYTHING, 2)];
      this.#views.set(scope, pair);
    }
    return pair[format - 1] as ScopeView;
  }

  /** The view of a scope's list through a query. */
  filteredView(scope: Scope, query: ClientQuery, format: ClientFormat): ScopeView {
    const key = JSON.stringify([scope.environment, scope.projects && [...scope.projects], query, format]);
    const view = this.#filtered.get(key) ?? this.#newView(scope, query, format);
    this.#filtered.delete(key);
    this.#filtered.set(key, view);
    for (const oldest of this.#filtered.keys()) {
      if (this.#filtered.size <= FILTERED_VIEWS_MAX) break;
      this.#filtered.delete(oldest);
    }
    return view;
  }

  /** What the scope holds now, to be evaluated elsewhere. Later changes do not reach what was captured. */
  capture(scope: Scope): Promise<CapturedScope> {
    return this.view(scope, 2).capture();
  }

  /** Forgets the payloads of a scope that no token has any more. */
  release(scope: Scope): void {
    this.#views.delete(scope);
  }

  partition(environment: string, project: string, format: ClientFormat): PartitionView {
    const key = `${partitionKey(environment, project)}/${format}` as const;
    let partition = this.#partitions.get(key);
    if (!partition) {
      partition = new PartitionView(this.#state, environment, project, format);
      this.#partitions.set(key, partition);
    }
    return partition;
  }

  projects(): string[] {
    return [...this.#state.values('projects')].map((project) => project.id).sort();
  }

  /** Brings the partitions in step with a commit that was just applied. Work: the flags it changed, or that its segments reach. */
  apply(applied: AppliedCommit): void {
    for (const change of applied.changes) {
      if (change.collection === 'features') this.#updateFlag(change.key, change.before?.project, change.after?.project);
      else if (change.collection === 'segments') this.#updateSegment(change.key);
      else if (change.collection === 'projects' && !sameEnvironments(change.before, change.after))
        this.#dropProject(change.key);
    }
  }

  #updateFlag(name: string, projectBefore: string | undefined, projectAfter: string | undefined): void {
    for (const partition of this.#partitions.values()) {
      if (partition.project === projectBefore || partition.project === projectAfter) partition.update(name);
    }
  }

  /** Version 1 lists carry the constraints of segments inside the flags. */
  #updateSegment(id: string): void {
    for (const feature of this.#state.lookup('featuresBySegment', id)) {
      for (const partition of this.#partitions.values()) {
        if (partition.format === 1 && partition.project === feature.project) partition.update(feature.name);
      }
    }
  }

  /** A project that was created, removed or given other environments is built anew when somebody asks. Rare, and all its flags may differ. */
  #dropProject(project: string): void {
    for (const [key, partition] of this.#partitions) if (partition.project === project) this.#partitions.delete(key);
  }

  #newView(scope: Scope, query: ClientQuery, format: ClientFormat): ScopeView {
    return new ScopeView(this.#state, scope, query, format, this, this.#segments);
  }
}

function sameEnvironments(before: Project | undefined, after: Project | undefined): boolean {
  return (
    before !== undefined &&
    after !== undefined &&
    [...before.environments].sort().join() === [...after.environments].sort().join()
  );
}
