import { Packr } from 'msgpackr';
import { assert } from '../base/assert.ts';
import { Slicer } from '../base/yield-control.ts';
import { COLLECTION_NAMES, type CollectionName, type Entity } from './collections.ts';
import { UnknownFormatError } from './commit.ts';
import { Compactor } from './compact.ts';
import type { Chapter, PartitionKey } from './revisions.ts';
import { State } from './state.ts';

/**
 * A snapshot is a sequence of pieces: one header, slices of collections, one end. It is fuzzy: later slices may already hold changes of
 * commits after `header.seq`. That is harmless, because recovery replays the log from there and changes are whole entities. The end holds
 * the revisions and comes last, so that they cover every change that any slice can hold; it also tells a complete snapshot from a cut one.
 */
type Piece =
  | { kind: 'header'; format: number; seq: number; lastEventId: number }
  | { kind: 'slice'; collection: CollectionName; entries: [string, Entity][] }
  | { kind: 'end'; revisions: [PartitionKey, number][]; chapters: readonly Chapter[]; entryCount: number };

export const SNAPSHOT_FORMAT = 1;

/** The state was exchanged for another one while it was being encoded: the pieces are of both, and good for nothing. */
export class StateReplacedError extends Error {
  override readonly name = 'StateReplacedError';

  constructor() {
    super('the state was loaded anew while it was being encoded');
  }
}

/** Entities a slice: packing one takes some tenths of a millisecond. */
const SLICE_ENTRIES = 48;

/** A snapshot is in no hurry: it gives way to polls sooner than other work, whose callers wait for it. */
const SNAPSHOT_BUDGET_MS = 0.5;

/** Encodes the state piece by piece, giving the event loop back between slices. The caller stores the pieces in order. */
export async function* encodeSnapshot(state: State): AsyncGenerator<Uint8Array, void, void> {
  const packr = new Packr({ useRecords: true });
  const pack = (piece: Piece): Uint8Array => new Uint8Array(packr.pack(piece));
  const slicer = new Slicer(SNAPSHOT_BUDGET_MS);
  const { generation } = state;
  let entryCount = 0;
  yield pack({ kind: 'header', format: SNAPSHOT_FORMAT, seq: state.seq, lastEventId: state.lastEventId });
  for (const collection of COLLECTION_NAMES) {
    let entries: [string, Entity][] = [];
    for (const entry of state.entries(collection)) {
      entries.push(entry);
      if (entries.length < SLICE_ENTRIES) continue;
      entryCount += entries.length;
      yield pack({ kind: 'slice', collection, entries });
      entries = [];
      if (slicer.spent) await slicer.pause();
      if (state.generation !== generation) throw new StateReplacedError();
    }
    entryCount += entries.length;
    if (entries.length > 0) yield pack({ kind: 'slice', collection, entries });
  }
  if (state.generation !== generation) throw new StateReplacedError();
  const { revisions } = state;
  yield pack({ kind: 'end', revisions: revisions.entries(), chapters: revisions.chapters, entryCount });
}

/**
 * Rebuilds a state from the pieces of one snapshot. The log is then replayed from `state.seq + 1`.
 * @throws UnknownFormatError when a newer Burgee wrote it; InvariantError when it is incomplete.
 */
export async function decodeSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<State> {
  const packr = new Packr({ useRecords: true });
  const compactor = new Compactor();
  const state = new State();
  const seen = { header: false, end: false, entryCount: 0 };
  const slicer = new Slicer();
  for await (const bytes of pieces) {
    if (slicer.spent) await slicer.pause();
    const piece = packr.unpack(bytes) as Piece;
    if (piece.kind === 'header') {
      if (piece.format !== SNAPSHOT_FORMAT) {
        throw new UnknownFormatError(
          `snapshot has format ${piece.format}; this Burgee reads format ${SNAPSHOT_FORMAT}`,
        );
      }
      state.seq = piece.seq;
      state.lastEventId = piece.lastEventId;
      seen.header = true;
    } else if (piece.kind === 'slice') {
      assert(seen.header && !seen.end, 'snapshot slice outside header and end');
      for (const [key, entity] of piece.entries) state.load(piece.collection, key, compactor.compact(entity));
      seen.entryCount += piece.entries.length;
    } else if (piece.kind === 'end') {
      assert(piece.entryCount === seen.entryCount, 'snapshot lost entries');
      state.revisions.load(piece.revisions, piece.chapters);
      seen.end = true;
    } else {
      throw new UnknownFormatError('snapshot has a piece of an unknown kind');
    }
  }
  assert(seen.header && seen.end, 'snapshot is incomplete');
  return state;
}
