import { randomUUID } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type SnapshotInfo, StoreError, type TrimOptions } from '../store.ts';
import { type ConfirmedSession, STALE } from './confirmed-session.ts';
import { eraseTrimmed } from './erasing.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import type { RedisTimeouts } from './options.ts';
import type { Reply } from './session.ts';
import {
  asStoreError,
  type Lease,
  readVerifiedPieces,
  type SnapshotPointer,
  toPointer,
  verifyPieces,
  writePieces,
} from './snapshot-pieces.ts';
import { POINT, RELEASE, TRIM } from './snapshot-scripts.ts';

/** How often a replica checks whether another one has finished its snapshot. */
const LEASE_POLL_MS = 100;
/** The number of log entries that one slice of trimming removes. */
const TRIM_SLICE_ENTRIES = 1_000;

interface SnapshotParts {
  readonly history: History;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeouts: RedisTimeouts;
}

/**
 * Snapshots of a log that replicas share. Only the replica that has the lease stores a snapshot; the pointer moves only while it has the lease, and
 * only within the history of the snapshot. The snapshot before the current one stays, for replicas that are reading it.
 */
export class Snapshots {
  readonly #parts: SnapshotParts;
  /** The sequence number of the newest snapshot that this replica stored or loaded. Saving an older one would be a bug of this replica. */
  #ownSeq = 0;
  #isSaving = false;

  constructor(parts: SnapshotParts) {
    this.#parts = parts;
  }

  async save(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo> {
    assert(!this.#isSaving, 'one snapshot is saved at a time');
    assert(seq >= this.#ownSeq, `snapshot ${seq} is older than the current one`);
    this.#isSaving = true;
    try {
      const info = await this.#saveUnderLease(seq, pieces);
      this.#ownSeq = Math.max(this.#ownSeq, info.seq);
      return info;
    } catch (error) {
      throw asStoreError(error, 'save the snapshot');
    } finally {
      this.#isSaving = false;
    }
  }

  async load(): Promise<{ info: SnapshotInfo; pieces: AsyncIterable<Uint8Array> } | null> {
    const pointer = await this.#current();
    if (!pointer) return null;
    this.#ownSeq = Math.max(this.#ownSeq, pointer.seq);
    const { history, keys } = this.#parts;
    const session = () => history.attempt('read the snapshot', async ({ session }) => session);
    return { info: infoOf(pointer), pieces: withStoreErrors(readVerifiedPieces(session, keys, pointer)) };
  }

  async currentSeq(): Promise<number> {
    return (await this.#current())?.seq ?? 0;
  }

  async trim(throughSeq: number, { erase = false }: TrimOptions = {}): Promise<void> {
    const { history, keys, timeouts } = this.#parts;
    const entryLifetimeMs = 2 * (timeouts.appendMs + timeouts.commandMs);
    for (;;) {
      const answer = await history.attempt('trim the log', async ({ session, guard }) => {
        const args = [...guard, throughSeq, TRIM_SLICE_ENTRIES, entryLifetimeMs];
        const reply = String(await session.run(TRIM, [keys.meta, keys.log], args));
        return reply === 'stale' ? STALE : reply;
      });
      assert(answer !== 'uncovered', `cannot trim through ${throughSeq}: no snapshot covers it`);
      if (answer === 'done') break;
    }
    if (erase) await eraseTrimmed(history, keys);
  }

  /** Must be called when another history was adopted or begun, because the sequence numbers of that history may be lower. */
  forget(): void {
    this.#ownSeq = 0;
  }

  async #saveUnderLease(seq: number, pieces: AsyncIterable<Uint8Array>): Promise<SnapshotInfo> {
    const { history, timeouts } = this.#parts;
    const lease: Lease = { token: randomUUID(), leaseMs: timeouts.leaseMs };
    const otherSnapshot = await this.#takeLease(lease);
    if (otherSnapshot) return infoOf(otherSnapshot);
    const confirmedSession = await history.attempt('save the snapshot', async (current) => current);
    try {
      return await this.#store(confirmedSession, lease, seq, pieces);
    } finally {
      await this.#clean(confirmedSession, lease);
      await this.#release(lease).catch(() => {}); // Without a release, the lease expires.
    }
  }

  /** Resolves with null when this replica has the lease, else with the snapshot that another replica finished while it had the lease. */
  async #takeLease({ token, leaseMs }: Lease): Promise<SnapshotPointer | null> {
    const { history, keys, clock } = this.#parts;
    const before = await this.#current();
    for (;;) {
      const isTaken = await history.attempt('take the lease', async ({ session }) => {
        const reply = await session.command('SET', keys.lease, token, 'NX', 'PX', leaseMs);
        if (reply !== null) return true;
        // If the answer to an earlier try was lost, this replica may already have the lease.
        return String(await session.command('GET', keys.lease)) === token;
      });
      const current = await this.#current();
      if (current && current.id !== before?.id) {
        if (isTaken) await this.#release({ token, leaseMs });
        return current;
      }
      if (isTaken) return null;
      await clock.sleep(LEASE_POLL_MS);
    }
  }

  async #release({ token }: Lease): Promise<void> {
    const { history, keys } = this.#parts;
    await history.attempt('release the lease', ({ session }) => session.run(RELEASE, [keys.lease], [token]));
  }

  async #store(
    confirmedSession: ConfirmedSession,
    lease: Lease,
    seq: number,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<SnapshotInfo> {
    const { keys } = this.#parts;
    const { session, guard } = confirmedSession;
    const id = randomUUID();
    const content = await writePieces(session, keys, id, pieces, lease);
    await verifyPieces(session, keys, id, content);
    const pointer: SnapshotPointer = { id, seq, ...content };
    const reply = (await session.run(
      POINT,
      [keys.meta, keys.lease, keys.pieces(id)],
      [...guard, lease.token, seq, JSON.stringify(pointer), content.pieceCount],
    )) as Reply[];
    const [answer, detail] = reply.map(String);
    assert(answer !== 'ahead', `snapshot ${seq} is newer than the log`);
    if (answer === 'older') {
      const current = toPointer(detail ?? null);
      assert(current, 'the current snapshot has no pointer');
      return infoOf(current);
    }
    if (answer !== 'ok') {
      throw new StoreError(`the snapshot was not made the current one: ${REASONS[answer ?? '']}`, 'not-appended');
    }
    return infoOf(pointer);
  }

  /** Removes pieces that no snapshot refers to. No caller depends on it: a failure is logged, and the next snapshot tries again. */
  async #clean({ session }: ConfirmedSession, { token }: Lease): Promise<void> {
    const { keys, logger } = this.#parts;
    try {
      const [current, previous] = (await session.command(
        'HMGET',
        keys.meta,
        'snapshot',
        'previousSnapshot',
      )) as Reply[];
      const usedIds = new Set([toPointer(current === null ? null : String(current))?.id, String(previous)]);
      const storedIds = (await session.command('SMEMBERS', keys.snapshots)) as Reply[];
      for (const id of storedIds.map(String).filter((candidate) => !usedIds.has(candidate))) {
        if (String(await session.command('GET', keys.lease)) !== token) return;
        await session.command('UNLINK', keys.pieces(id));
        await session.command('SREM', keys.snapshots, id);
      }
    } catch (error) {
      logger.warn({ err: error }, 'could not remove pieces of earlier snapshots');
    }
  }

  #current(): Promise<SnapshotPointer | null> {
    const { history, keys } = this.#parts;
    return history.attempt('find the snapshot', async ({ session, epoch }) => {
      const [foundEpoch, json] = (await session.command('HMGET', keys.meta, 'epoch', 'snapshot')) as Reply[];
      if (String(foundEpoch) !== epoch) return STALE;
      return toPointer(json === null ? null : String(json));
    });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  stale: 'the log has another history now',
  lease: 'another replica has the lease now',
  pieces: 'some of its pieces are missing',
};

async function* withStoreErrors(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* pieces;
  } catch (error) {
    throw asStoreError(error, 'read the snapshot');
  }
}

function infoOf({ seq, digest, sizeBytes }: SnapshotInfo): SnapshotInfo {
  return { seq, digest, sizeBytes };
}
