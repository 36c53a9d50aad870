import { assert } from '../base/assert.ts';
import type { Steps } from '../base/yield-control.ts';
import {
  type CollectionName,
  type Collections,
  collectionNames,
  type IndexedName,
  type IndexName,
  indexEntry,
  indexesOf,
  type StateReader,
} from './collections.ts';
import type { Change, Commit } from './commit.ts';
import { Layer } from './layer.ts';
import { changesPermissions, PermissionCache } from './permission-cache.ts';
import { Revisions } from './revisions.ts';
import { Table } from './table.ts';

/** An applied change: the entity before and after it. */
export type AppliedChange = {
  [C in CollectionName]: {
    readonly collection: C;
    readonly key: string;
    readonly before: Collections[C] | undefined;
    readonly after: Collections[C] | undefined;
  };
}[CollectionName];

/** The data of a commit for views. */
export interface AppliedCommit {
  readonly commit: Commit;
  readonly changes: readonly AppliedChange[];
  /** Summary of a large commit, so that views need not read all its changes synchronously; null for other commits. */
  readonly bulk: BulkChange | null;
}

interface BulkChange {
  /** Projects with changed, added or removed flags. */
  readonly projects: ReadonlySet<string>;
  /** The changes of the commit, except changes of flags. */
  readonly changesExceptFlags: readonly AppliedChange[];
}

/** A large commit that is not visible yet. */
interface StagedCommit {
  readonly tables: ReadonlyMap<CollectionName, Layer>;
  readonly applied: AppliedCommit;
  /** The commit changes effective permissions. */
  readonly changesPermissions: boolean;
}

/**
 * Maximum number of changes applied synchronously, which takes one or two milliseconds with all views. A larger commit is staged, published and
 * settled.
 */
export const APPLIED_AT_ONCE_MAX = 128;
/**
 * Maximum size of the record of a commit with several changes that is applied synchronously: indexes and views need about a millisecond for a
 * megabyte of flags.
 */
export const APPLIED_AT_ONCE_BYTES = 2_000_000;

/** The content of a state, in one object, so that it can be replaced atomically. */
class Contents {
  seq = 0;
  lastEventId = 0;
  readonly revisions = new Revisions();
  readonly tables = new Map<CollectionName, Table>();
  readonly permissionCache = new PermissionCache();

  constructor() {
    for (const name of collectionNames()) this.tables.set(name, new Table(name));
  }
}

/**
 * The whole state, in memory. Only commits change it, one after the other, in the order of the log: the same log gives the same state on every
 * replica. The only exception is `replaceWith`. Applying a commit cannot be refused: a commit in the log is already decided.
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

  /**
   * Number of replacements of the contents. Code that reads in several turns of the event loop compares it: a different number is a different state.
   */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Takes the contents of the other state atomically: no reader sees a mixture. After the call, both objects share one content, so views that were
   * built on the other object stay up to date. Running iterations finish over the previous contents.
   */
  replaceWith(other: State): void {
    this.#contents = other.#contents;
    this.#generation++;
  }

  get permissionCache(): PermissionCache {
    return this.#contents.permissionCache;
  }

  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined {
    return this.#table(collection).get(key) as Collections[C] | undefined;
  }

  values<C extends CollectionName>(collection: C): IterableIterator<Collections[C]> {
    return this.#table(collection).values() as IterableIterator<Collections[C]>;
  }

  /** Live iteration: entries that are added meanwhile are visited, removed ones are not. Snapshots rely on it. */
  entries<C extends CollectionName>(collection: C): IterableIterator<[string, Collections[C]]> {
    return this.#table(collection).entries() as IterableIterator<[string, Collections[C]]>;
  }

  size(collection: CollectionName): number {
    return this.#table(collection).size;
  }

  lookup<I extends IndexName>(index: I, key: string): IterableIterator<Collections[IndexedName<I>]> {
    const found = this.#table(indexEntry(index).collection).lookup(index, key);
    return found as IterableIterator<Collections[IndexedName<I>]>;
  }

  /** The keys of the entities that `lookup` would find now, whatever changes later. */
  keysUnder(index: IndexName, key: string): Iterable<string> {
    return this.#table(indexEntry(index).collection).keysUnder(index, key);
  }

  /** Number of entities under `key` in `index`. */
  count(index: IndexName, key: string): number {
    return this.#table(indexEntry(index).collection).count(index, key);
  }

  sum(index: IndexName, key: string): number {
    return this.#table(indexEntry(index).collection).sum(index, key);
  }

  /** Applies the next commit. `mark` is the mark of the epoch that the commit belongs to, see `Revisions.mark`. */
  apply(commit: Commit, mark = ''): AppliedCommit {
    assert(commit.seq === this.seq + 1, `commit ${commit.seq} cannot follow ${this.seq}`);
    const changes = commit.changes.map((change) => this.#replace(change));
    this.#advance(commit, mark);
    return { commit, changes, bulk: null };
  }

  /**
   * Prepares a large commit in steps; nothing of it is visible yet. If the state is replaced between the steps, the caller must drop the result.
   * Followed by `publish` and `settle`, it has the same result as `apply`: docs/decisions/applying-large-commits.md.
   */
  *stage(commit: Commit): Steps<StagedCommit> {
    const tables = new Map<CollectionName, Layer>();
    const changes: AppliedChange[] = [];
    const changesExceptFlags: AppliedChange[] = [];
    const projects = new Set<string>();
    let hasPermissionChange = false;
    for (const { collection, key, entity } of commit.changes) {
      let table = tables.get(collection);
      if (!table) {
        table = new Layer(
          this.#table(collection),
          indexesOf(collection).map(({ name }) => name),
        );
        tables.set(collection, table);
      }
      const before = table.set(key, entity);
      const change = { collection, key, before, after: entity } as AppliedChange;
      changes.push(change);
      hasPermissionChange ||= changesPermissions(collection, () => before, entity);
      if (change.collection !== 'features') changesExceptFlags.push(change);
      else for (const feature of [change.before, change.after]) if (feature) projects.add(feature.project);
      yield;
    }
    return {
      tables,
      applied: { commit, changes, bulk: { projects, changesExceptFlags } },
      changesPermissions: hasPermissionChange,
    };
  }

  /** Makes the staged commit visible atomically. It must be the next commit, and `settle` must finish before the commit after it. */
  publish({ tables, applied, changesPermissions }: StagedCommit, mark = ''): AppliedCommit {
    assert(applied.commit.seq === this.seq + 1, `commit ${applied.commit.seq} cannot follow ${this.seq}`);
    for (const [collection, table] of tables) this.#table(collection).cover(table);
    if (changesPermissions) this.permissionCache.clear();
    this.#advance(applied.commit, mark);
    return applied;
  }

  /** Merges the published commit into the tables, in steps. Reads give the same results before, during and after the merge. */
  *settle(): Steps<void> {
    for (const table of [...this.#contents.tables.values()]) yield* table.settle();
  }

  #advance(commit: Commit, mark: string): void {
    this.revisions.begin(commit.seq, mark);
    for (const key of commit.touched) this.revisions.touch(key, commit.seq);
    this.seq = commit.seq;
    const { firstId, count } = commit.events;
    if (count > 0) this.lastEventId = Math.max(this.lastEventId, firstId + count - 1);
  }

  /** Puts an entity from a snapshot; the revisions also come from the snapshot. Only before the first `apply`. */
  load<C extends CollectionName>(collection: C, key: string, entity: Collections[C]): void {
    this.#replace({ collection, key, entity } as Change);
  }

  #replace({ collection, key, entity }: Change): AppliedChange {
    const before = this.#table(collection).replace(key, entity);
    const change = { collection, key, before, after: entity } as AppliedChange;
    if (changesPermissions(collection, () => before, entity)) this.permissionCache.discard(change);
    return change;
  }

  #table(name: CollectionName): Table {
    const table = this.#contents.tables.get(name);
    assert(table, `no collection ${name}`);
    return table;
  }
}
