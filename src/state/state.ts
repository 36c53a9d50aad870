import { assert } from '../base/assert.ts';
import type { Feature } from '../model/feature.ts';
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
import { Revisions } from './revisions.ts';

/** A change as it happened: what stood there before, what stands there now. */
export type AppliedChange = {
  [C in CollectionName]: {
    readonly collection: C;
    readonly key: string;
    readonly before: Collections[C] | undefined;
    readonly after: Collections[C] | undefined;
  };
}[CollectionName];

/** What views hear of a commit. */
export interface AppliedCommit {
  readonly commit: Commit;
  readonly changes: readonly AppliedChange[];
}

/** All that a state holds, in one object, so that it can be exchanged whole. */
class Contents {
  seq = 0;
  lastEventId = 0;
  readonly revisions = new Revisions();
  readonly collections = new Map<CollectionName, Map<string, Entity>>();
  readonly indexes = new FeatureIndexes();

  constructor() {
    for (const name of COLLECTION_NAMES) this.collections.set(name, new Map());
  }
}

/**
 * The whole state, in memory. Changed by `apply` alone, one commit after the other, in the order of the log: the same log gives the same
 * state everywhere. Applying is total: a commit in the log has been decided and cannot fail. The one exception is `replaceWith`.
 */
export class State implements StateReader {
  #contents = new Contents();
  #generation = 0;

  /** Sequence number of the last applied commit. */
  get seq(): number {
    return this.#contents.seq;
  }

  set seq(seq: number) {
    this.#contents.seq = seq;
  }

  /** Id of the last audit event. */
  get lastEventId(): number {
    return this.#contents.lastEventId;
  }

  set lastEventId(id: number) {
    this.#contents.lastEventId = id;
  }

  get revisions(): Revisions {
    return this.#contents.revisions;
  }

  /** How often the contents were replaced. Who reads in several turns of the event loop compares it: another one is another state. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Takes over what the other state holds, all at once: nobody sees some of this and some of that. From then on both are the same state, so
   * that views which were built on the other one stay in step. Iterations that are under way finish over what was there before.
   */
  replaceWith(other: State): void {
    this.#contents = other.#contents;
    this.#generation++;
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
    const { indexes } = this.#contents;
    const features = this.collection('features');
    for (const name of indexes.names(index, key) ?? []) {
      const feature = features.get(name);
      assert(feature, `index ${index} holds the unknown feature ${name}`);
      yield feature;
    }
  }

  /** How many features `index` holds under `key`. */
  count(index: IndexName, key: string): number {
    return this.#contents.indexes.names(index, key)?.size ?? 0;
  }

  /** Applies the commit that follows the last one. `mark` names the history it belongs to, see `Revisions.mark`. */
  apply(commit: Commit, mark = ''): AppliedCommit {
    assert(commit.seq === this.seq + 1, `commit ${commit.seq} cannot follow ${this.seq}`);
    const changes = commit.changes.map((change) => this.#replace(change));
    this.revisions.begin(commit.seq, mark);
    for (const key of commit.touched) this.revisions.touch(key, commit.seq);
    this.seq = commit.seq;
    const { firstId, count } = commit.events;
    if (count > 0) this.lastEventId = Math.max(this.lastEventId, firstId + count - 1);
    return { commit, changes };
  }

  /** Puts an entity that a snapshot holds; revisions come from the snapshot as well. Only before the first `apply`. */
  load<C extends CollectionName>(collection: C, key: string, entity: Collections[C]): void {
    this.#replace({ collection, key, entity } as Change);
  }

  #replace({ collection, key, entity }: Change): AppliedChange {
    const entries: Map<string, Entity> = this.collection(collection);
    const before = entries.get(key);
    if (entity === undefined) entries.delete(key);
    else entries.set(key, entity);
    if (collection === 'features')
      this.#contents.indexes.replace(before as Feature | undefined, entity as Feature | undefined);
    return { collection, key, before, after: entity } as AppliedChange;
  }

  private collection<C extends CollectionName>(name: C): Map<string, Collections[C]> {
    const entries = this.#contents.collections.get(name);
    assert(entries, `no collection ${name}`);
    return entries as Map<string, Collections[C]>;
  }
}
