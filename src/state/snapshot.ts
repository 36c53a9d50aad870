import { Packr } from 'msgpackr/pack';
import { type Asker, SERVICE } from '../base/asking/asker.ts';
import { weightOf } from '../base/weight.ts';
import { Slicer } from '../base/yield-control.ts';
import { type CollectionName, collectionNames, collectionOf, type Entity } from './collections.ts';
import { Compactor } from './compact.ts';
import type { Chapter, PartitionKey } from './revisions.ts';
import { State } from './state.ts';
import { DamagedRecordError, otherFormat, readerOf, UnknownFormatError } from './stored-schema.ts';

/**
 * A snapshot is a sequence of pieces: one header, slices of collections, one end. It is fuzzy: slices may contain changes of commits after
 * `header.seq`. This is harmless, because recovery replays the log after `header.seq`, and each change replaces a whole entity. The end comes last
 * and contains the revisions, so they cover every change in every slice. The end also shows that the snapshot is complete.
 */
type Piece =
  | { kind: 'header'; format: number; seq: number; lastEventId: number }
  | { kind: 'slice'; collection: CollectionName; schema: number; entries: [string, Entity][] }
  | { kind: 'end'; revisions: [PartitionKey, number][]; chapters: readonly Chapter[]; entryCount: number };

/**
 * Version of the encoding of snapshots. Raise it with every change of the encoding. A slice contains the schema version of its entities: a Burgee
 * that does not support the collection or the version refuses the snapshot.
 */
export const SNAPSHOT_FORMAT = 2;

/** The state was replaced while it was encoded: the pieces are from both states and cannot be used. */
export class StateReplacedError extends Error {
  override readonly name = 'StateReplacedError';

  constructor() {
    super('the state was replaced while it was being encoded');
  }
}

/** A slice ends when it has this many entities or about this many bytes: so packing a slice takes a few tenths of a millisecond. */
const SLICE_ENTRIES = 48;
const SLICE_BYTES = 64 * 1024;
/** Estimated packed size of a value without its characters. */
const VALUE_BYTES = 8;

/** Time slice of a snapshot. It is shorter than the time slice of other work, because no caller waits for a snapshot. */
const SNAPSHOT_BUDGET_MS = 0.5;

/** Encodes the state piece by piece and yields to the event loop between slices. The caller stores the pieces in order. `asker`: who waits for them. */
export async function* encodeSnapshot(state: State, asker: Asker): AsyncGenerator<Uint8Array, void, void> {
  const packr = new Packr({ useRecords: true });
  const pack = (piece: Piece): Uint8Array => new Uint8Array(packr.pack(piece));
  const slicer = Slicer.of(asker, SNAPSHOT_BUDGET_MS);
  const { generation } = state;
  let entryCount = 0;
  yield pack({ kind: 'header', format: SNAPSHOT_FORMAT, seq: state.seq, lastEventId: state.lastEventId });
  for (const collection of collectionNames()) {
    const { schema } = collectionOf(collection);
    let entries: [string, Entity][] = [];
    let bytes = 0;
    for (const entry of state.entries(collection)) {
      entries.push(entry);
      bytes += weightOf(entry[1], VALUE_BYTES, SLICE_BYTES);
      if (entries.length < SLICE_ENTRIES && bytes < SLICE_BYTES) continue;
      entryCount += entries.length;
      yield pack({ kind: 'slice', collection, schema, entries });
      entries = [];
      bytes = 0;
      if (slicer.spent) await slicer.pause();
      if (state.generation !== generation) throw new StateReplacedError();
    }
    entryCount += entries.length;
    if (entries.length > 0) yield pack({ kind: 'slice', collection, schema, entries });
  }
  if (state.generation !== generation) throw new StateReplacedError();
  const { revisions } = state;
  yield pack({ kind: 'end', revisions: revisions.entries(), chapters: revisions.chapters, entryCount });
}

/**
 * Rebuilds a state from the pieces of one snapshot. The log is then replayed from `state.seq + 1`.
 * @throws UnknownFormatError when the snapshot has another format; DamagedRecordError when it is incomplete.
 */
export async function decodeSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<State> {
  const decoder = new SnapshotDecoder();
  const slicer = Slicer.of(SERVICE);
  for await (const bytes of pieces) {
    if (slicer.spent) await slicer.pause();
    decoder.take(bytes);
  }
  return decoder.end();
}

class SnapshotDecoder {
  readonly #packr = new Packr({ useRecords: true });
  readonly #compactor = new Compactor();
  readonly #state = new State();
  #hasHeader = false;
  #entryCount = 0;
  #isEnded = false;

  take(bytes: Uint8Array): void {
    const piece = this.#unpack(bytes);
    if (piece.kind === 'header') this.#begin(piece);
    else if (piece.kind === 'slice') this.#load(piece);
    else if (piece.kind === 'end') {
      if (piece.entryCount !== this.#entryCount)
        throw new DamagedRecordError('the snapshot is damaged: entries are missing');
      this.#state.revisions.load(piece.revisions, piece.chapters);
      this.#isEnded = true;
    } else {
      throw new UnknownFormatError('snapshot has a piece of an unknown kind');
    }
  }

  end(): State {
    if (!this.#hasHeader || !this.#isEnded) throw new DamagedRecordError('the snapshot is incomplete');
    return this.#state;
  }

  #unpack(bytes: Uint8Array): Piece {
    try {
      return this.#packr.unpack(bytes) as Piece;
    } catch (error) {
      throw new DamagedRecordError(`the snapshot is damaged: ${(error as Error).message}`, { cause: error });
    }
  }

  #begin({ format, seq, lastEventId }: Extract<Piece, { kind: 'header' }>): void {
    if (format !== SNAPSHOT_FORMAT) throw new UnknownFormatError(otherFormat('snapshot', format, SNAPSHOT_FORMAT));
    this.#state.seq = seq;
    this.#state.lastEventId = lastEventId;
    this.#hasHeader = true;
  }

  #load({ collection, schema, entries }: Extract<Piece, { kind: 'slice' }>): void {
    if (!this.#hasHeader || this.#isEnded) {
      throw new DamagedRecordError('the snapshot is damaged: it has a slice before its header or after its end');
    }
    const { collection: name, upgrade } = readerOf('snapshot', collection, schema);
    for (const [key, entity] of entries) {
      const upgraded = upgrade ? upgrade(entity) : entity;
      this.#state.load(name, key, this.#compactor.compact(upgraded));
    }
    this.#entryCount += entries.length;
  }
}
