import { createHash, type Hash } from 'node:crypto';
import { Slicer, yieldControl } from '../../base/yield-control.ts';
import { type SnapshotInfo, StoreError } from '../store.ts';
import { ADVICE } from './data-file.ts';
import type { LmdbEnvironment } from './lmdb-environment.ts';

/** A transaction of pieces ends at this size: small enough that an append waits behind it for a few milliseconds only. */
const WRITE_SLICE_BYTES = 1 << 18;
/** Keys a transaction of removals: the pages it touches are written back as well. */
const REMOVAL_SLICE_KEYS = 128;
/** Bytes hashed without a look at the clock: about half a millisecond. */
const HASH_SLICE_BYTES = 128 * 1024;
/** Hashing gives way to polls sooner than other work: nobody waits for a snapshot. */
const HASH_BUDGET_MS = 0.5;

/** What `meta` says of the current snapshot. */
export interface SnapshotPointer extends SnapshotInfo {
  /** First part of the pieces' keys. */
  readonly id: number;
  readonly pieceCount: number;
}

type Content = Pick<SnapshotPointer, 'digest' | 'sizeBytes' | 'pieceCount'>;

/** Writes the pieces under `id`, in durable transactions of bounded size. Nothing refers to them yet. */
export async function writePieces(
  environment: LmdbEnvironment,
  id: number,
  pieces: AsyncIterable<Uint8Array>,
): Promise<Content> {
  const tally = new Tally();
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    const slice = waiting;
    const firstIndex = tally.pieceCount - slice.length;
    const contentBytes = waitingBytes;
    waiting = [];
    waitingBytes = 0;
    await environment.write({ contentBytes }, (tables) => {
      for (const [offset, piece] of slice.entries()) tables.pieces.put([id, firstIndex + offset], asBuffer(piece));
    });
  };
  for await (const piece of pieces) {
    await tally.add(piece);
    waiting.push(piece);
    waitingBytes += piece.length;
    if (waitingBytes >= WRITE_SLICE_BYTES) await flush();
  }
  if (waiting.length > 0) await flush();
  return tally.content();
}

/** The pieces under `id`, in order. Ends early when one is missing: the caller compares the tally. */
export async function* readPieces(environment: LmdbEnvironment, id: number): AsyncGenerator<Uint8Array, void, void> {
  const slicer = new Slicer();
  for (let index = 0; ; index += 1) {
    const piece = environment.tables.pieces.get([id, index]);
    if (!piece) return;
    yield piece;
    if (slicer.spent) await slicer.pause();
  }
}

/** The pieces of the current snapshot. @throws StoreError at the end when they are not what was written. */
export async function* readVerified(
  environment: LmdbEnvironment,
  pointer: SnapshotPointer,
): AsyncGenerator<Uint8Array, void, void> {
  const tally = new Tally();
  for await (const piece of readPieces(environment, pointer.id)) {
    await tally.add(piece);
    yield piece;
  }
  if (!tally.matches(pointer)) {
    throw new StoreError(
      `the snapshot at ${pointer.seq} is damaged, or was replaced while it was read. ${ADVICE}`,
      'not-appended',
    );
  }
}

/** Reads the pieces under `id` back and compares them with what was meant to be written. @throws StoreError */
export async function verifyPieces(environment: LmdbEnvironment, id: number, expected: Content): Promise<void> {
  const tally = new Tally();
  for await (const piece of readPieces(environment, id)) await tally.add(piece);
  if (!tally.matches(expected)) {
    throw new StoreError(
      'the snapshot reads back differently from what was written; the one before stays',
      'not-appended',
    );
  }
}

/** Removes every piece that does not belong to the snapshot `keptId`. Tells how many. */
export async function removePiecesExcept(environment: LmdbEnvironment, keptId: number | null): Promise<number> {
  let removed = 0;
  let lastFirst = '';
  for (;;) {
    const keys: [number, number][] = [];
    const { pieces } = environment.tables;
    const below = keptId === null ? {} : { end: [keptId, 0] as [number, number] };
    for (const key of pieces.getKeys({ ...below, limit: REMOVAL_SLICE_KEYS })) keys.push(key);
    if (keys.length === 0 && keptId !== null) {
      for (const key of pieces.getKeys({ start: [keptId + 1, 0], limit: REMOVAL_SLICE_KEYS })) keys.push(key);
    }
    if (keys.length === 0) return removed;
    // A damaged key does not name its record: it would be found, and not be removed, for ever.
    const isDamaged = keys.some((key) => !isPieceKey(key)) || String(keys[0]) === lastFirst;
    if (isDamaged) throw new StoreError(`the pieces of snapshots are damaged. ${ADVICE}`, 'not-appended');
    lastFirst = String(keys[0]);
    await environment.write({}, (tables) => {
      for (const key of keys) tables.pieces.remove(key);
    });
    removed += keys.length;
    await yieldControl();
  }
}

function isPieceKey(key: unknown): boolean {
  return Array.isArray(key) && key.length === 2 && key.every((part) => Number.isSafeInteger(part) && part >= 0);
}

/** Counts and hashes pieces as they pass. */
class Tally {
  readonly #hash: Hash = createHash('sha256');
  readonly #slicer = new Slicer(HASH_BUDGET_MS);
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

  content(): Content {
    const digest = this.#hash.copy().digest('hex');
    return { digest, sizeBytes: this.#sizeBytes, pieceCount: this.pieceCount };
  }

  matches(expected: Content): boolean {
    const { digest, sizeBytes, pieceCount } = this.content();
    return digest === expected.digest && sizeBytes === expected.sizeBytes && pieceCount === expected.pieceCount;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
