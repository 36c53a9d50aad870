import { assert } from '../base/assert.ts';
import { clientFeatureJson, isServed } from '../model/client-feature.ts';
import type { Feature } from '../model/feature.ts';
import type { Project } from '../model/project.ts';
import type { Segment } from '../model/segment.ts';
import {
  COLLECTION_NAMES,
  type CollectionName,
  type Collections,
  type Entity,
  type IndexName,
  type StateReader,
} from './collections.ts';
import type { Change, Commit } from './commit.ts';
import { FeatureIndexes } from './feature-indexes.ts';
import { type PartitionKey, partitionKey, Revisions } from './revisions.ts';

/** A change as it happened: what stood there before, what stands there now. */
export type AppliedChange = {
  [C in CollectionName]: {
    readonly collection: C;
    readonly key: string;
    readonly before: Collections[C] | undefined;
    readonly after: Collections[C] | undefined;
  };
}[CollectionName];

/** What views hear of a commit. `touched` are the partitions whose clients see something else now. */
export interface AppliedCommit {
  readonly commit: Commit;
  readonly changes: readonly AppliedChange[];
  readonly touched: ReadonlySet<PartitionKey>;
}

/**
 * The whole state, in memory. Changed by `apply` alone, one commit after the other, in the order of the log: the same log gives the same
 * state everywhere. Applying is total: a commit in the log has been decided and cannot fail.
 */
export class State implements StateReader {
  /** Sequence number of the last applied commit. */
  seq = 0;
  /** Id of the last audit event. */
  lastEventId = 0;
  readonly revisions = new Revisions();
  readonly #collections = new Map<CollectionName, Map<string, Entity>>();
  readonly #features: Map<string, Feature>;
  readonly #indexes = new FeatureIndexes();

  constructor() {
    for (const name of COLLECTION_NAMES) this.#collections.set(name, new Map());
    this.#features = this.collection('features');
  }

  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined {
    return this.collection(collection).get(key);
  }

  values<C extends CollectionName>(collection: C): IterableIterator<Collections[C]> {
    return this.collection(collection).values();
  }

  /** Live iteration: entries that are added meanwhile are visited, removed ones are not. Snapshots rely on it. */
  entries<C extends CollectionName>(collection: C): IterableIterator<[string, Collections[C]]> {
    return this.collection(collection).entries();
  }

  size(collection: CollectionName): number {
    return this.collection(collection).size;
  }

  *lookup(index: IndexName, key: string): IterableIterator<Feature> {
    for (const name of this.#indexes.names(index, key) ?? []) {
      const feature = this.#features.get(name);
      assert(feature, `index ${index} holds the unknown feature ${name}`);
      yield feature;
    }
  }

  /** How many features `index` holds under `key`. */
  count(index: IndexName, key: string): number {
    return this.#indexes.names(index, key)?.size ?? 0;
  }

  /** Applies the commit that follows the last one. */
  apply(commit: Commit): AppliedCommit {
    assert(commit.seq === this.seq + 1, `commit ${commit.seq} cannot follow ${this.seq}`);
    const touched = new Set<PartitionKey>();
    const changes = commit.changes.map((change) => this.#applyChange(change, commit.seq, touched));
    this.seq = commit.seq;
    for (const event of commit.events) if (event.id > this.lastEventId) this.lastEventId = event.id;
    return { commit, changes, touched };
  }

  /** Puts an entity that a snapshot holds; revisions come from the snapshot as well. Only before the first `apply`. */
  load<C extends CollectionName>(collection: C, key: string, entity: Collections[C]): void {
    this.#replace({ collection, key, entity } as Change);
  }

  #applyChange(change: Change, seq: number, touched: Set<PartitionKey>): AppliedChange {
    const touch = (environment: string, project: string) => {
      touched.add(partitionKey(environment, project));
      this.revisions.touch(environment, project, seq);
    };
    const applied = this.#replace(change);
    if (applied.collection === 'features') this.#touchFeature(applied.before, applied.after, touch);
    else if (applied.collection === 'segments') this.#touchSegment(applied.before, applied.after, touch);
    else if (applied.collection === 'projects') touchProject(applied.before, applied.after, touch);
    return applied;
  }

  #replace({ collection, key, entity }: Change): AppliedChange {
    const entries: Map<string, Entity> = this.collection(collection);
    const before = entries.get(key);
    if (entity === undefined) entries.delete(key);
    else entries.set(key, entity);
    if (collection === 'features') this.#indexes.replace(before as Feature | undefined, entity as Feature | undefined);
    return { collection, key, before, after: entity } as AppliedChange;
  }

  #touchFeature(before: Feature | undefined, after: Feature | undefined, touch: Touch): void {
    for (const project of new Set([before?.project, after?.project])) {
      if (project === undefined) continue;
      const entity = this.get('projects', project);
      for (const environment of entity?.environments ?? []) {
        const jsonBefore = servedJson(before, entity, environment, project);
        const jsonAfter = servedJson(after, entity, environment, project);
        if (jsonBefore !== jsonAfter) touch(environment, project);
      }
    }
  }

  #touchSegment(before: Segment | undefined, after: Segment | undefined, touch: Touch): void {
    const segment = after ?? before;
    if (!segment) return;
    if (before && after && before.name === after.name && sameJson(before.constraints, after.constraints)) return;
    for (const feature of this.lookup('featuresBySegment', String(segment.id))) {
      const project = this.get('projects', feature.project);
      for (const { environment, strategies } of feature.environments) {
        if (!isServed(feature, project, environment)) continue;
        const uses = strategies.some((strategy) => !strategy.disabled && strategy.segments.includes(segment.id));
        if (uses) touch(environment, feature.project);
      }
    }
  }

  private collection<C extends CollectionName>(name: C): Map<string, Collections[C]> {
    const entries = this.#collections.get(name);
    assert(entries, `no collection ${name}`);
    return entries as Map<string, Collections[C]>;
  }
}

type Touch = (environment: string, project: string) => void;

function touchProject(before: Project | undefined, after: Project | undefined, touch: Touch): void {
  const project = after ?? before;
  if (!project) return;
  const environmentsBefore = new Set(before?.environments);
  const environmentsAfter = new Set(after?.environments);
  for (const name of environmentsBefore) if (!environmentsAfter.has(name)) touch(name, project.id);
  for (const name of environmentsAfter) if (!environmentsBefore.has(name)) touch(name, project.id);
}

function servedJson(
  feature: Feature | undefined,
  project: Project | undefined,
  environment: string,
  projectId: string,
) {
  if (!feature || feature.project !== projectId || !isServed(feature, project, environment)) return undefined;
  return clientFeatureJson(feature, environment);
}

function sameJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
