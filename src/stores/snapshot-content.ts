import { createHash, type Hash } from 'node:crypto';
import { SERVICE } from '../base/asking/asker.ts';
import { Slicer } from '../base/yield-control.ts';
import { type SnapshotInfo, StoreError, UnusableDataError } from './store.ts';

/** The number of bytes that are hashed before the clock is read again. Hashing them takes about half a millisecond. */
const HASH_SLICE_BYTES = 128 * 1024;
/**
 * The time budget of hashing, in milliseconds. Hashing yields to other events sooner than other work does, because no request waits for a snapshot.
 */
const HASH_BUDGET_MS = 0.5;

/** The digest, the size and the number of the pieces: they identify the content of a snapshot. */
export interface SnapshotContent extends Pick<SnapshotInfo, 'digest' | 'sizeBytes'> {
  readonly pieceCount: number;
}

/** Pieces that are written together. */
interface PieceSlice {
  /** The index of the first piece of the slice, from 0 on. */
  readonly firstIndex: number;
  readonly pieces: readonly Uint8Array[];
  readonly sizeBytes: number;
}

/** Writes the pieces in slices of at least `sliceBytes` (the last slice may be smaller). Returns the description of the written content. */
export async function writeInSlices(
  pieces: AsyncIterable<Uint8Array>,
  sliceBytes: number,
  write: (slice: PieceSlice) => Promise<void>,
): Promise<SnapshotContent> {
  const tally = new Tally();
  let waitingPieces: Uint8Array[] = [];
  let sizeBytes = 0;
  const flush = async () => {
    const slice = { firstIndex: tally.pieceCount - waitingPieces.length, pieces: waitingPieces, sizeBytes };
    waitingPieces = [];
    sizeBytes = 0;
    await write(slice);
  };
  for await (const piece of pieces) {
    await tally.add(piece);
    waitingPieces.push(piece);
    sizeBytes += piece.length;
    if (sizeBytes >= sliceBytes) await flush();
  }
  if (waitingPieces.length > 0) await flush();
  return tally.content();
}

/** Compares the pieces that were read back with the expected content. @throws StoreError when they differ */
export async function verifyContent(pieces: AsyncIterable<Uint8Array>, expected: SnapshotContent): Promise<void> {
  const tally = new Tally();
  for await (const piece of pieces) await tally.add(piece);
  if (tally.matches(expected)) return;
  throw new StoreError(
    'the snapshot reads back differently from what was written; the previous one stays',
    'not-appended',
  );
}

/** The pieces of a stored snapshot. @throws StoreError with `advice`, after the last piece, when they differ from the written pieces */
export async function* verifiedPieces(
  pieces: AsyncIterable<Uint8Array>,
  expected: SnapshotContent & Pick<SnapshotInfo, 'seq'>,
  advice = '',
): AsyncGenerator<Uint8Array, void, void> {
  const tally = new Tally();
  for await (const piece of pieces) {
    await tally.add(piece);
    yield piece;
  }
  if (tally.matches(expected)) return;
  const problem = `the snapshot at ${expected.seq} is damaged, or was replaced while it was read`;
  throw advice === '' ? new StoreError(problem, 'not-appended') : new UnusableDataError(`${problem}. ${advice}`);
}

/** Counts and hashes the pieces that pass through it. */
class Tally {
  readonly #hash: Hash = createHash('sha256');
  readonly #slicer = Slicer.of(SERVICE, HASH_BUDGET_MS);
  #sizeBytes = 0;
  pieceCount = 0;

  async add(piece: Uint8Array): Promise<void> {
    for (let start = 0; start < piece.length; start += HASH_SLICE_BYTES) {
      this.#hash.update(piece.subarray(start, start + HASH_SLICE_BYTES));
      if (this.#slicer.spent) await this.#slicer.pause();
    }
    this.#sizeBytes += piece.length;
    this.pieceCount += 1;
  }

  content(): SnapshotContent {
    const digest = this.#hash.copy().digest('hex');
    return { digest, sizeBytes: this.#sizeBytes, pieceCount: this.pieceCount };
  }

  matches(expected: SnapshotContent): boolean {
    const { digest, sizeBytes, pieceCount } = this.content();
    return digest === expected.digest && sizeBytes === expected.sizeBytes && pieceCount === expected.pieceCount;
  }
}
