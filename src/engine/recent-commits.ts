import { weightOf } from '../base/weight.ts';
import type { CollectionName } from '../state/collections.ts';
import { type Commit, decodeCommit } from '../state/commit.ts';
import type { AppliedChange, AppliedCommit } from '../state/state.ts';
import type { Replica } from './replica.ts';

/** Of each of the two stretches: between as many and twice as many commits are known. Older divergent commits are reported as a difference. */
const STRETCH_COMMITS = 500;
const STRETCH_BYTES = 2_000_000;
/** What both stretches hold at most. */
export const RECENT_BYTES_MAX = 2 * STRETCH_BYTES;
/** What a value of an entity is taken to hold beside its characters. */
const VALUE_BYTES = 32;

type Before = AppliedChange['before'];

/**
 * The newest commits of the live state, as the log holds them: of 500 to 1,000 commits, and of at most about four megabytes. Every commit of every
 * replica comes by here. Bytes are copied into memory that is used again and again: a commit that is kept as objects outlives the young
 * generation, and the collector then has more to do than the commit itself was.
 */
export class RecentCommits {
  #older = new Stretch();
  #newer = new Stretch();

  constructor(replica: Replica) {
    replica.onApplied((applied, bytes) => this.#keep(applied, bytes));
    replica.onReplaced(() => this.#forget());
  }

  /** The commits after `seq`, oldest first; null when some of them are not buffered any more. */
  after(seq: number): Iterable<AppliedCommit> | null {
    const first = this.#older.firstSeq ?? this.#newer.firstSeq;
    const last = this.#newer.lastSeq ?? this.#older.lastSeq;
    if (first === undefined || last === undefined || seq + 1 < first || seq >= last) return null;
    const stretches = [this.#older.copy(), this.#newer.copy()];
    return { [Symbol.iterator]: () => commitsAfter(stretches, seq) };
  }

  /** One that is applied in slices is too large to be kept, and to be looked at in one turn. */
  #keep(applied: AppliedCommit, bytes: Uint8Array | undefined): void {
    const isKept = bytes && !applied.bulk && (this.#newer.take(applied, bytes) || this.#begin(applied, bytes));
    if (!isKept) this.#forget();
  }

  /** Starts a new stretch, which replaces the older one. */
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

/** Consecutive commits, with each entity before its first change; later versions of an entity are in the commits. */
class Stretch {
  /** Where each commit ends in the memory. */
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

  /** False when the capacity is used up; nothing more is added to the stretch then. */
  take({ commit, changes }: AppliedCommit, bytes: Uint8Array): boolean {
    const start = this.#ends.at(-1) ?? 0;
    const end = start + bytes.length;
    if (this.#ends.length === STRETCH_COMMITS || end + this.#beforeBytes > STRETCH_BYTES) return false;
    for (const { collection, key, before } of changes) this.#note(collection, key, before);
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
    copied.#ends.push(...this.#ends);
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

  #note(collection: CollectionName, key: string, before: Before): void {
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
    const standing = new Map([...stretch.befores].map(([collection, befores]) => [collection, new Map(befores)]));
    for (const commit of stretch.commits()) {
      const changes = commit.changes.map(({ collection, key, entity }) => {
        const before = standing.get(collection)?.get(key);
        standing.get(collection)?.set(key, entity);
        return { collection, key, before, after: entity } as AppliedChange;
      });
      if (commit.seq > seq) yield { commit, changes, bulk: null };
    }
  }
}
