import { SERVICE } from '../../base/asking/asker.ts';
import { Slicer, yieldControl } from '../../base/yield-control.ts';
import { type SnapshotContent, verifiedPieces, verifyContent, writeInSlices } from '../snapshot-content.ts';
import { type SnapshotInfo, UnusableDataError } from '../store.ts';
import { LOST_DATA_ADVICE } from './data-file.ts';
import type { LmdbEnvironment } from './lmdb-environment.ts';

/** A transaction of pieces ends at this size. It is small, so an append waits behind it for a few milliseconds only. */
const WRITE_SLICE_BYTES = 1 << 18;
/** The number of keys that one transaction removes. It is small because the transaction also writes the pages that the removals change. */
const REMOVAL_SLICE_KEYS = 128;

/** The description of the current snapshot in `meta`. */
export interface SnapshotPointer extends SnapshotInfo, SnapshotContent {
  /** The first part of the keys of the pieces. */
  readonly id: number;
}

/** Writes the pieces under `id`, in durable transactions of bounded size. No snapshot refers to them yet. */
export function writePieces(
  environment: LmdbEnvironment,
  id: number,
  pieces: AsyncIterable<Uint8Array>,
): Promise<SnapshotContent> {
  return writeInSlices(pieces, WRITE_SLICE_BYTES, (slice) =>
    environment.write({ contentBytes: slice.sizeBytes }, (tables) => {
      for (const [offset, piece] of slice.pieces.entries())
        tables.pieces.put([id, slice.firstIndex + offset], asBuffer(piece));
    }),
  );
}

/** The pieces under `id`, in order. Ends early when a piece is missing: the caller detects this from the count and the digest. */
export async function* readPieces(environment: LmdbEnvironment, id: number): AsyncGenerator<Uint8Array, void, void> {
  const slicer = Slicer.of(SERVICE);
  for (let index = 0; ; index += 1) {
    const piece = environment.tables.pieces.get([id, index]);
    if (!piece) return;
    yield piece;
    if (slicer.spent) await slicer.pause();
  }
}

/** The pieces of the current snapshot. @throws StoreError after the last piece when they differ from the written pieces. */
export function readVerifiedPieces(
  environment: LmdbEnvironment,
  pointer: SnapshotPointer,
): AsyncGenerator<Uint8Array, void, void> {
  return verifiedPieces(readPieces(environment, pointer.id), pointer, LOST_DATA_ADVICE);
}

/** Reads the pieces under `id` back and compares them with the expected content. @throws StoreError */
export function verifyPieces(environment: LmdbEnvironment, id: number, expected: SnapshotContent): Promise<void> {
  return verifyContent(readPieces(environment, id), expected);
}

/** Removes every piece that does not belong to the snapshot `keptId`. Returns the number of removed pieces. */
export async function removePiecesExcept(environment: LmdbEnvironment, keptId: number | null): Promise<number> {
  let removedCount = 0;
  let previousFirstKey = '';
  for (;;) {
    const keys: [number, number][] = [];
    const { pieces } = environment.tables;
    const range = keptId === null ? {} : { end: [keptId, 0] as [number, number] };
    for (const key of pieces.getKeys({ ...range, limit: REMOVAL_SLICE_KEYS })) keys.push(key);
    if (keys.length === 0 && keptId !== null) {
      for (const key of pieces.getKeys({ start: [keptId + 1, 0], limit: REMOVAL_SLICE_KEYS })) keys.push(key);
    }
    if (keys.length === 0) return removedCount;
    // If a key is damaged, the loop would list the key but never succeed in removing it, and so never end.
    const isDamaged = keys.some((key) => !isPieceKey(key)) || String(keys[0]) === previousFirstKey;
    if (isDamaged) throw new UnusableDataError(`the pieces of snapshots are damaged. ${LOST_DATA_ADVICE}`);
    previousFirstKey = String(keys[0]);
    await environment.write({}, (tables) => {
      for (const key of keys) tables.pieces.remove(key);
    });
    removedCount += keys.length;
    await yieldControl();
  }
}

function isPieceKey(key: unknown): boolean {
  return Array.isArray(key) && key.length === 2 && key.every((part) => Number.isSafeInteger(part) && part >= 0);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
