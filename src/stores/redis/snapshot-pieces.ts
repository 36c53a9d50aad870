import { type SnapshotContent, verifiedPieces, verifyContent, writeInSlices } from '../snapshot-content.ts';
import { type SnapshotInfo, StoreError } from '../store.ts';
import type { Keys } from './keys.ts';
import { LostAnswerError, type Reply, type Session } from './session.ts';
import { PUT_PIECES } from './snapshot-scripts.ts';

/** A command is sent when its content has at least this size: appends of other replicas wait behind it for a millisecond. */
const PUT_BYTES = 256 * 1024;
/** The number of pieces that are requested at a time. */
const GET_PIECES = 4;

/** The description of a snapshot in `meta`, as JSON. */
export interface SnapshotPointer extends SnapshotInfo, SnapshotContent {
  readonly id: string;
}

export interface Lease {
  /** The token of the lease. If it is empty, the pieces are stored without a lease. */
  readonly token: string;
  readonly leaseMs: number;
}

export function toPointer(json: string | null): SnapshotPointer | null {
  return json === null || json === '' ? null : (JSON.parse(json) as SnapshotPointer);
}

/** Stores the pieces under `id`. No snapshot refers to them yet. @throws LostAnswerError, RefusedError, StoreError when the lease was lost. */
export function writePieces(
  session: Session,
  keys: Keys,
  id: string,
  pieces: AsyncIterable<Uint8Array>,
  { token, leaseMs }: Lease,
): Promise<SnapshotContent> {
  return writeInSlices(pieces, PUT_BYTES, async (slice) => {
    const numberedPieces = slice.pieces.flatMap((piece, offset) => [slice.firstIndex + offset, piece]);
    const args = [token, leaseMs, id, ...numberedPieces];
    const isStored = await session.run(PUT_PIECES, [keys.lease, keys.snapshots, keys.pieces(id)], args);
    if (isStored !== 1) throw new StoreError('another replica has the lease now', 'not-appended');
  });
}

/** Reads the pieces under `id` back and compares them with the expected content. @throws StoreError */
export function verifyPieces(session: Session, keys: Keys, id: string, expected: SnapshotContent): Promise<void> {
  return verifyContent(readPieces(session, keys, id, expected.pieceCount), expected);
}

/** The pieces of a snapshot, in order. @throws StoreError after the last piece when they differ from the written pieces. */
export async function* readVerifiedPieces(
  session: () => Promise<Session>,
  keys: Keys,
  pointer: SnapshotPointer,
): AsyncGenerator<Uint8Array, void, void> {
  yield* verifiedPieces(readPieces(await session(), keys, pointer.id, pointer.pieceCount), pointer);
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
      // Without this error, a truncated snapshot would look like a bug of the decoder.
      if (!Buffer.isBuffer(value))
        throw new StoreError('pieces of the snapshot are missing, or a newer snapshot replaced it', 'not-appended');
      yield value;
    }
  }
}

/** The error of a failed command as a StoreError. */
export function asStoreError(error: unknown, what: string): unknown {
  if (!(error instanceof Error) || error instanceof StoreError) return error;
  if (!(error instanceof LostAnswerError) && !['RefusedError', 'NotSentError'].includes(error.name)) return error;
  return new StoreError(`cannot ${what}: ${error.message}`, 'not-appended', { cause: error });
}
