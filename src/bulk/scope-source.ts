import type { CapturedScope } from '../views/client/scope-view.ts';
import type { Piece } from '../views/payload/piece.ts';
import type { BulkChunk, BulkScope } from './protocol.ts';

let lastChunkId = 0;
const shared = new WeakMap<Piece, BulkChunk>();

/** A captured scope as workers get it. Bytes are put into shared memory once, and only when bulk evaluation is used at all. */
export function bulkScope(captured: CapturedScope): BulkScope {
  return {
    key: captured.key,
    environment: captured.environment,
    revision: captured.revision,
    chunks: captured.flags.map(sharedChunk),
    segments: captured.segments.map(sharedChunk),
  };
}

function sharedChunk(piece: Piece): BulkChunk {
  let chunk = shared.get(piece);
  if (!chunk) {
    const bytes = new SharedArrayBuffer(piece.lengthBytes);
    const target = new Uint8Array(bytes);
    let at = 0;
    for (const run of piece.runs) {
      target.set(run, at);
      at += run.byteLength;
    }
    chunk = { id: ++lastChunkId, bytes };
    shared.set(piece, chunk);
  }
  return chunk;
}
