import { createHash, hash as hashOf } from 'node:crypto';
import { Piece } from '../payload/piece.ts';
import { type Chunk, joinedFragments } from './chunk.ts';
import { type ClientQuery, matches } from './query.ts';

/** The part of the hash of a flag's bytes that identifies it. */
const DIGEST_BYTES = 16;

/** Flags of one chunk. */
interface Picked {
  /** One piece, or none. */
  readonly pieces: readonly Piece[];
  /** A digest for each flag. */
  readonly digests: Uint8Array;
}

/**
 * The flags that a query selects, by chunk, cached as long as the chunk exists: chunks are immutable, and so is the selection. A change of one
 * flag costs a filtered list only one chunk, the same as for the whole list.
 */
export class PickedFlags {
  readonly #query: ClientQuery;
  readonly #ofChunk = new WeakMap<Chunk, Picked>();

  constructor(query: ClientQuery) {
    this.#query = query;
  }

  /** How many of the chunks have not been looked through yet. */
  countNew(chunks: readonly Chunk[]): number {
    return chunks.reduce((count, chunk) => (this.#ofChunk.has(chunk) ? count : count + 1), 0);
  }

  /** The picked flags of one chunk, in their order: one piece or none. */
  pieces(chunk: Chunk): readonly Piece[] {
    return this.#picked(chunk).pieces;
  }

  /** The hash of the flags of all chunks: the same for the same flags, however they lie in chunks, on every replica and after every restart. */
  contentHash(chunks: readonly Chunk[]): string {
    const hash = createHash('sha256');
    for (const chunk of chunks) hash.update(this.#picked(chunk).digests);
    return hash.digest('hex').slice(0, 16);
  }

  #picked(chunk: Chunk): Picked {
    let picked = this.#ofChunk.get(chunk);
    if (!picked) {
      picked = pick(chunk, this.#query);
      this.#ofChunk.set(chunk, picked);
    }
    return picked;
  }
}

const NONE: Picked = { pieces: [], digests: new Uint8Array(0) };

function pick(chunk: Chunk, query: ClientQuery): Picked {
  const fragments: Uint8Array[] = [];
  for (const [index, feature] of chunk.features.entries()) {
    if (matches(query, feature)) fragments.push(chunk.fragment(index));
  }
  if (fragments.length === 0) return NONE;
  const pieces = [fragments.length === chunk.size ? chunk.piece : new Piece(joinedFragments(fragments))];
  return { pieces, digests: digestsOf(fragments) };
}

/** Not from the shared buffer pool: they live as long as the chunk. */
function digestsOf(fragments: readonly Uint8Array[]): Uint8Array {
  const digests = new Uint8Array(fragments.length * DIGEST_BYTES);
  for (const [index, fragment] of fragments.entries()) {
    const digest = hashOf('sha256', fragment, 'buffer');
    digests.set(digest.subarray(0, DIGEST_BYTES), index * DIGEST_BYTES);
  }
  return digests;
}
