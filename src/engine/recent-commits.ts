import { pushAll } from '../base/lists/push-all.ts';
import { weightOf } from '../base/weight.ts';
import type { CollectionName } from '../state/collections.ts';
import { type Commit, decodeCommit } from '../state/commit.ts';
import type { AppliedChange, AppliedCommit } from '../state/state.ts';
import type { Replica } from './replica.ts';

/**
 * The most commits in a stretch. There are two stretches. When the newer one is full, the older one is dropped, so the newest 500 to 1,000 commits
 * are known. Divergent commits that are older are reported as differences between two states.
 */
const STRETCH_COMMITS = 500;
const STRETCH_BYTES = 2_000_000;
/** The most bytes of both stretches together. */
export const RECENT_BYTES_MAX = 2 * STRETCH_BYTES;
/** The estimated memory of one value of an entity, in addition to its characters, in bytes. */
const VALUE_BYTES = 32;

type Before = AppliedChange['before'];

/**
 * The newest commits of the live state, in the encoding of the log: 500 to 1,000 commits, and at most about four megabytes. Every commit of every
 * replica is added, so adding must be cheap. The bytes are copied into memory that is reused. Objects of a commit would move out of V8's space for
 * young objects, and collecting them would cost more than the commit itself.
 */
export class RecentCommits {
  #older = new Stretch();
  #newer = new Stretch();

  constructor(replica: Replica) {
    replica.onApplied((applied, bytes) => this.#add(applied, bytes));
    replica.onReplaced(() => this.#forget());
  }

  /** The commits after `seq`, oldest first; null when `seq` is not before the newest commit, or when some of the commits are not stored any more. */
  after(seq: number): Iterable<AppliedCommit> | null {
    const first = this.#older.firstSeq ?? this.#newer.firstSeq;
    const last = this.#newer.lastSeq ?? this.#older.lastSeq;
    if (first === undefined || last === undefined || seq + 1 < first || seq >= last) return null;
    const stretches = [this.#older.copy(), this.#newer.copy()];
    return { [Symbol.iterator]: () => commitsAfter(stretches, seq) };
  }

  /**
   * Adds a commit. A commit that was applied in slices is not added: it is too large, and has too many changes for one turn of the event loop. Then
   * all commits are dropped, because the stored commits must be consecutive.
   */
  #add(applied: AppliedCommit, bytes: Uint8Array | undefined): void {
    const isAdded = bytes && !applied.bulk && (this.#newer.take(applied, bytes) || this.#begin(applied, bytes));
    if (!isAdded) this.#forget();
  }

  /** Drops the older stretch, and starts a new one with this commit. Returns false when the commit does not fit into an empty stretch. */
  #begin(applied: AppliedCommit, bytes: Uint8Array): boolean {
    const emptied = this.#older;
    this.#older = this.#newer;
    this.#newer = emptied;
    emptied.clear();
    return emptied.take(applied, bytes);
  }

  #forget(): void {
    this.#older.clear();
    this.#newer.clear();
  }
}

/** Consecutive commits, and each changed entity as it was before its first change in the stretch. The commits contain the later versions. */
class Stretch {
  /** The offset in `#memory` at which each commit ends. */
  readonly #ends: number[] = [];
  #memory: Uint8Array | undefined;
  #befores = new Map<CollectionName, Map<string, Before>>();
  #beforeBytes = 0;
  firstSeq: number | undefined;

  get lastSeq(): number | undefined {
    return this.firstSeq === undefined ? undefined : this.firstSeq + this.#ends.length - 1;
  }

  get befores(): ReadonlyMap<CollectionName, ReadonlyMap<string, Before>> {
    return this.#befores;
  }

  /** Adds a commit. Returns false when the commit does not fit: then no further commit may be added to this stretch. */
  take({ commit, changes }: AppliedCommit, bytes: Uint8Array): boolean {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + bytes.length;
    if (this.#ends.length === STRETCH_COMMITS || end + this.#beforeBytes > STRETCH_BYTES) return false;
    for (const { collection, key, before } of changes) this.#recordBefore(collection, key, before);
    if (end + this.#beforeBytes > STRETCH_BYTES) return false;
    this.#memory ??= new Uint8Array(STRETCH_BYTES);
    this.#memory.set(bytes, start);
    this.#ends.push(end);
    this.firstSeq ??= commit.seq;
    return true;
  }

  clear(): void {
    this.#ends.length = 0;
    this.#befores = new Map();
    this.#beforeBytes = 0;
    this.firstSeq = undefined;
  }

  /** A copy with its own memory, only as large as its commits. */
  copy(): Stretch {
    const copied = new Stretch();
    copied.#memory = this.#memory?.slice(0, this.#ends.at(-1) ?? 0);
    pushAll(copied.#ends, this.#ends);
    copied.#befores = new Map([...this.#befores].map(([collection, befores]) => [collection, new Map(befores)]));
    copied.firstSeq = this.firstSeq;
    return copied;
  }

  *commits(): Generator<Commit, void, void> {
    let start = 0;
    for (const end of this.#ends) {
      if (this.#memory) yield decodeCommit(this.#memory.subarray(start, end));
      start = end;
    }
  }

  #recordBefore(collection: CollectionName, key: string, before: Before): void {
    let befores = this.#befores.get(collection);
    if (!befores) {
      befores = new Map();
      this.#befores.set(collection, befores);
    }
    if (befores.has(key)) return;
    befores.set(key, before);
    this.#beforeBytes += VALUE_BYTES + weightOf(before, VALUE_BYTES, STRETCH_BYTES);
  }
}

function* commitsAfter(stretches: readonly Stretch[], seq: number): Generator<AppliedCommit, void, void> {
  for (const stretch of stretches) {
    const entities = new Map([...stretch.befores].map(([collection, befores]) => [collection, new Map(befores)]));
    for (const commit of stretch.commits()) {
      const changes = commit.changes.map(({ collection, key, entity }) => {
        const before = entities.get(collection)?.get(key);
        entities.get(collection)?.set(key, entity);
        return { collection, key, before, after: entity } as AppliedChange;
      });
      if (commit.seq > seq) yield { commit, changes, bulk: null };
    }
  }
}
