import type { Slicer } from '../../base/yield-control.ts';
import { clientFeatureJson } from '../../model/client-feature.ts';
import type { Feature } from '../../model/feature.ts';
import type { Segment } from '../../model/segment.ts';
import type { Chunk } from '../../views/client/chunk.ts';
import { segmentFragment } from '../../views/client/fragment.ts';
import type { CapturedScope } from '../../views/client/scope-view.ts';
import type { FlagCell } from '../../views/flags/flag-cell.ts';
import type { FlagSnapshot } from '../../views/flags/flag-snapshot.ts';
import { Piece } from '../../views/payload/piece.ts';
import type { BulkChunk, BulkScope } from './protocol.ts';

let lastChunkId = 0;

/**
 * The scopes for workers, in shared memory. Bytes are copied only once, and only if bulk evaluation is used. They are copied in slices, because
 * 50,000 flags have 25 MB.
 */
export class ScopeSource {
  #pieces = new WeakMap<Piece, BulkChunk>();
  #segments = new WeakMap<Segment, BulkChunk>();
  /** The chunks with a single flag, by environment and flag. */
  #flags = new Map<string, WeakMap<Feature, BulkChunk>>();

  /** Drops the references to the shared memory, so that it is freed when the workers also drop their references. */
  forget(): void {
    this.#pieces = new WeakMap();
    this.#segments = new WeakMap();
    this.#flags = new Map();
  }

  /** The requested part of a captured scope. */
  async ofCapturedScope(
    captured: CapturedScope,
    requestedChunks: readonly Chunk[],
    slicer: Slicer,
  ): Promise<BulkScope> {
    const pieces = requestedChunks.map(({ piece }) => piece);
    const chunks = await this.#sharedPieces(pieces, slicer);
    const isWhole = chunks.length === captured.chunks.length;
    return {
      key: isWhole ? captured.key : `${captured.key} ${chunks.map(({ id }) => id).join()}`,
      environment: captured.environment,
      revision: captured.revision,
      chunks,
      segments: await this.#sharedPieces(captured.segments, slicer),
    };
  }

  /** All flags of a snapshot and their parents. Each flag is a chunk of its own, because the snapshot has only a few of the scope's flags. */
  async ofSnapshot(snapshot: FlagSnapshot, slicer: Slicer): Promise<BulkScope> {
    const { environment, revision } = snapshot;
    const chunks: BulkChunk[] = [];
    const segments = new Set<BulkChunk>();
    for (const cell of withParents(snapshot)) {
      chunks.push(this.#sharedFlag(cell));
      for (const segment of cell.segments) segments.add(this.#sharedSegment(segment));
      if (slicer.spent) await slicer.pause();
    }
    const key = `few ${chunks.map(({ id }) => id).join()}`;
    return { key, environment, revision: revision.number, chunks, segments: [...segments] };
  }

  async #sharedPieces(pieces: readonly Piece[], slicer: Slicer): Promise<BulkChunk[]> {
    const chunks: BulkChunk[] = [];
    for (const piece of pieces) {
      chunks.push(sharedChunk(this.#pieces, piece, () => piece));
      if (slicer.spent) await slicer.pause();
    }
    return chunks;
  }

  #sharedFlag({ feature, environment }: FlagCell): BulkChunk {
    let flags = this.#flags.get(environment);
    if (!flags) {
      flags = new WeakMap();
      this.#flags.set(environment, flags);
    }
    return sharedChunk(flags, feature, () => Piece.ofText(clientFeatureJson(feature, environment)));
  }

  #sharedSegment(segment: Segment): BulkChunk {
    return sharedChunk(this.#segments, segment, () => Piece.ofText(segmentFragment(segment)));
  }
}

function sharedChunk<Owner extends object>(
  known: WeakMap<Owner, BulkChunk>,
  owner: Owner,
  pieceOf: () => Piece,
): BulkChunk {
  let chunk = known.get(owner);
  if (!chunk) {
    const piece = pieceOf();
    const bytes = new SharedArrayBuffer(piece.lengthBytes);
    new Uint8Array(bytes).set(piece.bytes);
    chunk = { id: ++lastChunkId, bytes };
    known.set(owner, chunk);
  }
  return chunk;
}

/** The flags of the snapshot and their parents. A flag that is both requested and a parent occurs only once. */
function withParents({ chunks, parents }: FlagSnapshot): Iterable<FlagCell> {
  const cells = new Map<string, FlagCell>();
  for (const chunk of chunks) for (const cell of chunk.cells) cells.set(cell.name, cell);
  for (const cell of parents) if (!cells.has(cell.name)) cells.set(cell.name, cell);
  return cells.values();
}
