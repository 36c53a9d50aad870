import { assert } from '../base/assert.ts';
import {
  COLLECTION_NAMES,
  type CollectionName,
  type Collections,
  type IndexedName,
  type IndexName,
  indexEntry,
  type StateReader,
} from './collections.ts';
import type { Change, Commit } from './commit.ts';
import { Revisions } from './revisions.ts';
import { Table } from './table.ts';

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
  readonly tables = new Map<CollectionName, Table>();

  constructor() {
    for (const name of COLLECTION_NAMES) this.tables.set(name, new Table(name));
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
    return this.#table(collection).entities.get(key) as Collections[C] | undefined;
  }

  values<C extends CollectionName>(collection: C): IterableIterator<Collections[C]> {
    return this.#table(collection).entities.values() as IterableIterator<Collections[C]>;
  }

  /** Live iteration: entries that are added meanwhile are visited, removed ones are not. Snapshots rely on it. */
  entries<C extends CollectionName>(collection: C): IterableIterator<[string, Collections[C]]> {
    return this.#table(collection).entities.entries() as IterableIterator<[string, Collections[C]]>;
  }

  size(collection: CollectionName): number {
    return this.#table(collection).entities.size;
  }

  *lookup<I extends IndexName>(index: I, key: string): IterableIterator<Collections[IndexedName<I>]> {
    const table = this.#table(indexEntry(index).collection);
    for (const place of table.index(index)?.places(key) ?? []) {
      const entity = table.entities.get(place);
      assert(entity, `index ${index} holds ${place}, which does not exist`);
      yield entity as Collections[IndexedName<I>];
    }
  }

  /** How many entities `index` holds under `key`. */
  count(index: IndexName, key: string): number {
    return this.#table(indexEntry(index).collection).index(index)?.places(key)?.size ?? 0;
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
    const before = this.#table(collection).replace(key, entity);
    return { collection, key, before, after: entity } as AppliedChange;
  }

  #table(name: CollectionName): Table {
    const table = this.#contents.tables.get(name);
    assert(table, `no collection ${name}`);
    return table;
  }
}
