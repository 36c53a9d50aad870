import { Slicer } from '../base/yield-control.ts';
import type { CapturedScope } from '../views/client/scope-view.ts';
import type { Piece } from '../views/payload/piece.ts';
import type { BulkChunk, BulkScope } from './protocol.ts';

let lastChunkId = 0;
const shared = new WeakMap<Piece, BulkChunk>();

/**
 * A captured scope as workers get it. Bytes are put into shared memory once, and only when bulk evaluation is used at all; in slices, for 50,000 flags are 25 MB.
 */
export async function bulkScope(captured: CapturedScope): Promise<BulkScope> {
  const slicer = new Slicer();
  return {
    key: captured.key,
    environment: captured.environment,
    revision: captured.revision,
    chunks: await sharedChunks(captured.flags, slicer),
    segments: await sharedChunks(captured.segments, slicer),
  };
}

async function sharedChunks(pieces: readonly Piece[], slicer: Slicer): Promise<BulkChunk[]> {
  const chunks: BulkChunk[] = [];
  for (const piece of pieces) {
    chunks.push(sharedChunk(piece));
    if (slicer.spent) await slicer.pause();
  }
  return chunks;
}

function sharedChunk(piece: Piece): BulkChunk {
  let chunk = shared.get(piece);
  if (!chunk) {
    const bytes = new SharedArrayBuffer(piece.lengthBytes);
    piece.copyTo(new Uint8Array(bytes));
    chunk = { id: ++lastChunkId, bytes };
    shared.set(piece, chunk);
  }
  return chunk;
}
