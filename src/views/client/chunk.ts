import { assert } from '../../base/assert.ts';
import { searchName } from '../../base/lists/sorted.ts';
import type { Feature } from '../../model/feature.ts';
import { Piece } from '../payload/piece.ts';

const COMMA_BYTE = 0x2c;

export type Fragment = readonly [feature: Feature, bytes: Uint8Array];

/**
 * A run of neighbouring flags of one partition, sorted by name, as the bytes of a list: fragments with commas between them. Immutable: a
 * change creates a new chunk, and code with a reference to the old chunk can read it over several turns of the event loop.
 */
export class Chunk {
  /** The flags of the fragments. Filters read them, so a filtered list is also from one moment. */
  readonly features: readonly Feature[];
  readonly piece: Piece;
  /** End offset of each fragment, without its comma. */
  readonly #ends: readonly number[];

  private constructor(features: readonly Feature[], ends: readonly number[], bytes: Uint8Array) {
    this.features = features;
    this.#ends = ends;
    this.piece = new Piece(bytes);
  }

  /** Creates a chunk from at least one fragment. The fragments must be sorted by name. */
  static of(fragments: readonly Fragment[]): Chunk {
    assert(fragments.length > 0, 'a chunk needs at least one fragment');
    const ends: number[] = [];
    let end = -1;
    for (const [, bytes] of fragments) {
      end += 1 + bytes.byteLength;
      ends.push(end);
    }
    return new Chunk(
      fragments.map(([feature]) => feature),
      ends,
      joinedFragments(fragments.map(([, bytes]) => bytes)),
    );
  }

  get firstName(): string {
    return this.features[0]?.name ?? '';
  }

  get lastName(): string {
    return this.features.at(-1)?.name ?? '';
  }

  get size(): number {
    return this.features.length;
  }

  /** The bytes of one flag. */
  fragment(index: number): Uint8Array {
    return this.piece.bytes.subarray(this.#startOf(index), this.#ends[index]);
  }

  /** The bytes of the flag with this name; undefined when the chunk does not contain it. */
  fragmentOf(name: string): Uint8Array | undefined {
    const found = this.#find(name);
    return found < 0 ? undefined : this.fragment(found);
  }

  /** A copy of the chunk with one flag added or replaced. */
  with(feature: Feature, bytes: Uint8Array): Chunk {
    const found = this.#find(feature.name);
    return found >= 0 ? this.#spliced(found, 1, [[feature, bytes]]) : this.#spliced(-1 - found, 0, [[feature, bytes]]);
  }

  /** A copy of the chunk without the flag. Returns this chunk if it does not contain the flag, and undefined if no other flag is left. */
  without(name: string): Chunk | undefined {
    const found = this.#find(name);
    if (found < 0) return this;
    return this.size > 1 ? this.#spliced(found, 1, []) : undefined;
  }

  /** Returns a copy in which `inserted` replaces `removedCount` (0 or 1) flags at the index. */
  #spliced(index: number, removedCount: number, inserted: readonly Fragment[]): Chunk {
    const fragments = this.#fragments();
    fragments.splice(index, removedCount, ...inserted);
    return Chunk.of(fragments);
  }

  /** Two chunks of half the size. */
  split(): [Chunk, Chunk] {
    const fragments = this.#fragments();
    const half = fragments.length >>> 1;
    return [Chunk.of(fragments.slice(0, half)), Chunk.of(fragments.slice(half))];
  }

  #fragments(): Fragment[] {
    return this.features.map((feature, index) => [feature, this.fragment(index)]);
  }

  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number) + 1;
  }

  /** Index of the name, or `-1 - index` of its insertion point. */
  #find(name: string): number {
    return searchName(this.features.length, (index) => (this.features[index] as Feature).name, name);
  }
}

/** Joins fragments with commas. The memory is not from the shared buffer pool: the bytes live long and would keep the pool in memory. */
export function joinedFragments(fragments: readonly Uint8Array[]): Uint8Array {
  let lengthBytes = fragments.length - 1;
  for (const fragment of fragments) lengthBytes += fragment.byteLength;
  const joined = Buffer.allocUnsafeSlow(lengthBytes);
  let offset = 0;
  for (const fragment of fragments) {
    if (offset > 0) joined[offset++] = COMMA_BYTE;
    joined.set(fragment, offset);
    offset += fragment.byteLength;
  }
  return joined;
}
