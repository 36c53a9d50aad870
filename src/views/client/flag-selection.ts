import { createHash, hash as hashOf } from 'node:crypto';
import { Piece } from '../payload/piece.ts';
import { type Chunk, joinedFragments } from './chunk.ts';
import { type ClientQuery, matches } from './query.ts';

/** Length of the digest of a flag, in bytes. */
const DIGEST_BYTES = 16;

/** The selected flags of one chunk. */
interface ChunkSelection {
  /** One piece, or an empty array when no flag is selected. */
  readonly pieces: readonly Piece[];
  /** The digests of the selected flags, one after the other. */
  readonly digests: Uint8Array;
}

/**
 * The flags that a query selects. The selection from each chunk is cached as long as the chunk exists, because chunks are immutable. After a change
 * of one flag only one chunk is filtered again.
 */
export class FlagSelection {
  readonly #query: ClientQuery;
  readonly #ofChunk = new WeakMap<Chunk, ChunkSelection>();

  constructor(query: ClientQuery) {
    this.#query = query;
  }

  /** Number of chunks that are not filtered yet. */
  countNew(chunks: readonly Chunk[]): number {
    return chunks.reduce((count, chunk) => (this.#ofChunk.has(chunk) ? count : count + 1), 0);
  }

  /** The selected flags of one chunk, in order: one piece, or an empty array. */
  pieces(chunk: Chunk): readonly Piece[] {
    return this.#selectionOf(chunk).pieces;
  }

  /**
   * The hash of the selected flags of all chunks. It does not depend on the division into chunks, and is the same on every replica and after every
   * restart.
   */
  contentHash(chunks: readonly Chunk[]): string {
    const hash = createHash('sha256');
    for (const chunk of chunks) hash.update(this.#selectionOf(chunk).digests);
    return hash.digest('hex').slice(0, 16);
  }

  #selectionOf(chunk: Chunk): ChunkSelection {
    let selection = this.#ofChunk.get(chunk);
    if (!selection) {
      selection = selectFlags(chunk, this.#query);
      this.#ofChunk.set(chunk, selection);
    }
    return selection;
  }
}

const NOTHING_SELECTED: ChunkSelection = { pieces: [], digests: new Uint8Array(0) };

function selectFlags(chunk: Chunk, query: ClientQuery): ChunkSelection {
  const fragments: Uint8Array[] = [];
  for (const [index, feature] of chunk.features.entries()) {
    if (matches(query, feature)) fragments.push(chunk.fragment(index));
  }
  if (fragments.length === 0) return NOTHING_SELECTED;
  const pieces = [fragments.length === chunk.size ? chunk.piece : new Piece(joinedFragments(fragments))];
  return { pieces, digests: digestsOf(fragments) };
}

/** The digests are not from the shared buffer pool, because they live as long as the chunk. */
function digestsOf(fragments: readonly Uint8Array[]): Uint8Array {
  const digests = new Uint8Array(fragments.length * DIGEST_BYTES);
  for (const [index, fragment] of fragments.entries()) {
    const digest = hashOf('sha256', fragment, 'buffer');
    digests.set(digest.subarray(0, DIGEST_BYTES), index * DIGEST_BYTES);
  }
  return digests;
}
