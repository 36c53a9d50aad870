import { assert } from '../../base/assert.ts';
import { searchName } from '../../base/sorted.ts';
import type { Feature } from '../../model/feature.ts';
import { Piece } from '../payload/piece.ts';
import { Rope } from '../payload/rope.ts';
import { Stretches } from '../payload/stretches.ts';

const COMMA_BYTE = 0x2c;

export type Fragment = readonly [feature: Feature, bytes: Uint8Array];

/**
 * A run of neighbouring flags of one partition, sorted by name, as the bytes of a list: fragments with commas between them. Immutable: a
 * change makes a new chunk that shares what has not changed, and whoever holds the old one can go on reading it across turns of the loop.
 */
export class Chunk {
  /** What the fragments were made of: filters look at these, so that their lists are of one moment, too. */
  readonly features: readonly Feature[];
  readonly piece: Piece;
  /** End offset of each fragment, without its comma. */
  readonly #ends: readonly number[];
  /** The bytes, with a comma before each fragment. */
  readonly #row: Rope;
  readonly #stretches: Stretches;

  private constructor(
    features: readonly Feature[],
    ends: readonly number[],
    row: Rope,
    stretches = Stretches.of(ends.map((end) => end + 1)),
  ) {
    this.features = features;
    this.#ends = ends;
    this.#row = row;
    this.#stretches = stretches;
    this.piece = Piece.ofItems(row, stretches);
  }

  /** A chunk of these fragments, which are sorted by name. At least one. */
  static of(fragments: readonly Fragment[]): Chunk {
    assert(fragments.length > 0, 'a chunk holds something');
    const ends: number[] = [];
    let end = -1;
    for (const [, bytes] of fragments) {
      end += 1 + bytes.byteLength;
      ends.push(end);
    }
    return new Chunk(
      fragments.map(([feature]) => feature),
      ends,
      Rope.of(joinedBytes(fragments.map(([, bytes]) => bytes))),
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
    return this.#row.slice(this.#startOf(index) + 1, (this.#ends[index] as number) + 1);
  }

  /** The bytes of the flag of this name, if it is here. */
  fragmentOf(name: string): Uint8Array | undefined {
    const found = this.#find(name);
    return found < 0 ? undefined : this.fragment(found);
  }

  /** The same chunk with one flag put in or replaced. */
  with(feature: Feature, bytes: Uint8Array): Chunk {
    const found = this.#find(feature.name);
    return found >= 0 ? this.#spliced(found, 1, [feature, bytes]) : this.#spliced(-1 - found, 0, [feature, bytes]);
  }

  /** The same chunk without one flag: itself when it does not hold it, undefined when nothing is left. */
  without(name: string): Chunk | undefined {
    const found = this.#find(name);
    if (found < 0) return this;
    return this.size > 1 ? this.#spliced(found, 1) : undefined;
  }

  /** At this index `removed` flags, one or none, make room for another, or for nothing. What is before and behind stays where it lies. */
  #spliced(index: number, removed: number, put?: Fragment): Chunk {
    const start = this.#startOf(index);
    const behind = this.#startOf(index + removed);
    const bytes = put && joinedBytes([put[1]]);
    const grown = (bytes?.byteLength ?? 0) - (behind - start);
    const features = [...this.features];
    const ends = [...this.#ends];
    if (put) {
      features.splice(index, removed, put[0]);
      ends.splice(index, removed, start + put[1].byteLength);
    } else {
      features.splice(index, removed);
      ends.splice(index, removed);
    }
    for (let i = index + (put ? 1 : 0); i < ends.length; i++) ends[i] = (ends[i] as number) + grown;
    const stretches = this.#stretches.spliced(start, behind, grown);
    return new Chunk(features, ends, this.#row.spliced(start, behind, bytes), stretches);
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

  /** Where a flag begins in the bytes, and its comma where one stands before all of them. One behind the last: where they end. */
  #startOf(index: number): number {
    return index === 0 ? 0 : (this.#ends[index - 1] as number) + 1;
  }

  /** Where the name stands, or would stand as `-1 - index`. */
  #find(name: string): number {
    return searchName(this.features.length, (index) => (this.features[index] as Feature).name, name);
  }
}

/** Fragments with commas between them. */
export function joinedPiece(fragments: readonly Uint8Array[]): Piece {
  const row = Rope.of(joinedBytes(fragments));
  return Piece.ofItems(row, Stretches.of([row.lengthBytes]));
}

/** Each with a comma before it. Not from the shared buffer pool: chunks live long and would pin it. */
function joinedBytes(fragments: readonly Uint8Array[]): Uint8Array {
  let lengthBytes = fragments.length;
  for (const fragment of fragments) lengthBytes += fragment.byteLength;
  const joined = Buffer.allocUnsafeSlow(lengthBytes);
  let offset = 0;
  for (const fragment of fragments) {
    joined[offset++] = COMMA_BYTE;
    joined.set(fragment, offset);
    offset += fragment.byteLength;
  }
  return joined;
}
