import { createHash, type Hash } from 'node:crypto';
import { Slicer } from '../../base/yield-control.ts';
import { type SnapshotInfo, StoreError } from '../store.ts';
import type { Keys } from './keys.ts';
import { type Argument, LostAnswerError, type Reply, type Session } from './session.ts';
import { PUT_PIECES } from './snapshot-scripts.ts';

/** What one command carries at least before it is sent: appends of other replicas wait behind it for a millisecond. */
const PUT_BYTES = 256 * 1024;
/** Pieces asked for at a time. */
const GET_PIECES = 4;
/** Bytes hashed without a look at the clock: about a millisecond. */
const HASH_SLICE_BYTES = 256 * 1024;

/** What `meta` says of a snapshot, as JSON. */
export interface SnapshotPointer extends SnapshotInfo {
  readonly id: string;
  readonly pieceCount: number;
}

export type Content = Pick<SnapshotPointer, 'digest' | 'sizeBytes' | 'pieceCount'>;

export interface Lease {
  /** Empty: pieces are stored without one. */
  readonly token: string;
  readonly leaseMs: number;
}

export function toPointer(json: string | null): SnapshotPointer | null {
  return json === null || json === '' ? null : (JSON.parse(json) as SnapshotPointer);
}

/** Stores the pieces under `id`, where nothing refers to them yet. @throws LostAnswerError, RefusedError, StoreError when the lease was lost. */
export async function writePieces(
  session: Session,
  keys: Keys,
  id: string,
  pieces: AsyncIterable<Uint8Array>,
  { token, leaseMs }: Lease,
): Promise<Content> {
  const tally = new Tally();
  let waiting: Argument[] = [];
  let waitingBytes = 0;
  const flush = async () => {
    const args = [token, leaseMs, id, ...waiting];
    waiting = [];
    waitingBytes = 0;
    const isStored = await session.run(PUT_PIECES, [keys.lease, keys.snapshots, keys.pieces(id)], args);
    if (isStored !== 1) throw new StoreError('another replica took the snapshot over', 'not-appended');
  };
  for await (const piece of pieces) {
    waiting.push(tally.pieceCount, Uint8Array.from(piece));
    waitingBytes += piece.length;
    await tally.add(piece);
    if (waitingBytes >= PUT_BYTES) await flush();
  }
  if (waiting.length > 0) await flush();
  return tally.content();
}

/** Reads the pieces under `id` back and compares them with what was meant to be written. @throws StoreError */
export async function verifyPieces(session: Session, keys: Keys, id: string, expected: Content): Promise<void> {
  const tally = new Tally();
  for await (const piece of readPieces(session, keys, id, expected.pieceCount)) await tally.add(piece);
  if (tally.matches(expected)) return;
  throw new StoreError(
    'the snapshot reads back differently from what was written; the one before stays',
    'not-appended',
  );
}

/** The pieces of a snapshot, in order. @throws StoreError at the end when they are not what was written. */
export async function* readVerified(
  session: () => Promise<Session>,
  keys: Keys,
  pointer: SnapshotPointer,
): AsyncGenerator<Uint8Array, void, void> {
  const tally = new Tally();
  for await (const piece of readPieces(await session(), keys, pointer.id, pointer.pieceCount)) {
    await tally.add(piece);
    yield piece;
  }
  if (tally.matches(pointer)) return;
  throw new StoreError(`the snapshot at ${pointer.seq} is damaged, or was replaced while it was read`, 'not-appended');
}

async function* readPieces(
  session: Session,
  keys: Keys,
  id: string,
  pieceCount: number,
): AsyncGenerator<Uint8Array, void, void> {
  for (let first = 0; first < pieceCount; first += GET_PIECES) {
    const numbers = Array.from({ length: Math.min(GET_PIECES, pieceCount - first) }, (_, offset) => first + offset);
    const values = (await session.command('HMGET', keys.pieces(id), ...numbers)) as Reply[];
    for (const value of values) {
      if (!Buffer.isBuffer(value)) return;
      yield value;
    }
  }
}

/** What a failed command says, as a StoreError. */
export function asStoreError(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  if (!(error instanceof LostAnswerError) && !['RefusedError', 'NotSentError'].includes(error.name)) return error;
  return new StoreError(`cannot ${what}: ${error.message}`, 'not-appended', { cause: error });
}

/** Counts and hashes pieces as they pass. */
class Tally {
  readonly #hash: Hash = createHash('sha256');
  readonly #slicer = new Slicer();
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
    return { digest: this.#hash.copy().digest('hex'), sizeBytes: this.#sizeBytes, pieceCount: this.pieceCount };
  }

  matches(expected: Content): boolean {
    const { digest, sizeBytes, pieceCount } = this.content();
    return digest === expected.digest && sizeBytes === expected.sizeBytes && pieceCount === expected.pieceCount;
  }
}
