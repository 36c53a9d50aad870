import { randomUUID } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import { begin } from '../lineage.ts';
import type { RefillContent } from '../shared-store.ts';
import { StoreError } from '../store.ts';
import type { History } from './history.ts';
import type { HistoryParts } from './history-parts.ts';
import { REFILL } from './history-scripts.ts';
import { STORE_FORMAT } from './keys.ts';
import { LostAnswerError } from './session.ts';
import { asStoreError, type SnapshotPointer, verifyPieces, writePieces } from './snapshot-pieces.ts';

interface RefillParts extends HistoryParts {
  readonly history: History;
}

/** See `SharedStore.refill`. @throws StoreError */
export async function refill(parts: RefillParts, content: RefillContent): Promise<'refilled' | 'not-refilled'> {
  const { history } = parts;
  const { loss, connection } = history;
  if (loss?.kind !== 'behind' || !loss.mayRefill || !connection) return 'not-refilled';
  const { seq: knownSeq } = history.knownPosition;
  assert(content.seq <= knownSeq, `the state is at ${content.seq}, but the known position is only ${knownSeq}`);
  if (content.seq < knownSeq) {
    // This replica read or received entries that it never applied. If it continued to report these entries as known, it would delay the replicas
    // that have applied them.
    parts.logger.warn(
      { seq: content.seq, knownSeq },
      'this replica did not apply all entries that it read: it now reports only the applied ones',
    );
    history.retract();
    return 'not-refilled';
  }
  try {
    return await refillOn(parts, connection, loss, content);
  } catch (error) {
    connection.session.drop('the refill failed');
    if (error instanceof LostAnswerError) {
      throw new StoreError(`it is not known whether Redis was refilled: ${error.message}`, 'unknown', { cause: error });
    }
    throw asStoreError(error, 'refill Redis');
  }
}

async function refillOn(
  { history, keys, timeouts, replicaId, logger }: RefillParts,
  { session, report }: NonNullable<History['connection']>,
  loss: NonNullable<History['loss']>,
  { seq, lastEventId, pieces, events }: RefillContent,
): Promise<'refilled' | 'not-refilled'> {
  const id = randomUUID();
  const snapshotContent = await writePieces(session, keys, id, pieces, { token: '', leaseMs: timeouts.leaseMs });
  await verifyPieces(session, keys, id, snapshotContent);
  const pointer: SnapshotPointer = { id, seq, ...snapshotContent };
  const status = await history.refillable(session, report, seq);
  const { knownPosition } = history;
  const { epoch: lostEpoch, writeId } = knownPosition;
  const { epoch, ancestors } = begin(randomUUID(), knownPosition);
  const answer =
    status &&
    String(
      await session.run(
        REFILL,
        [keys.meta, keys.log, keys.events, keys.election, keys.lines, keys.pieces(id)],
        [
          STORE_FORMAT,
          report.runId,
          replicaId,
          status.serverPosition?.epoch ?? '',
          status.serverPosition?.seq ?? 0,
          epoch,
          seq,
          writeId,
          JSON.stringify(pointer),
          snapshotContent.pieceCount,
          JSON.stringify(ancestors),
          keys.hints,
          events.length,
          lastEventId,
          status.version,
          ...events.flatMap((event) => [event.id, event.bytes]),
        ],
      ),
    );
  if (answer === 'refilled') {
    logger.warn({ epoch, lostEpoch, seq, foundTip: loss.foundTip }, 'Redis was refilled from memory');
    history.noteSettled();
    return 'refilled';
  }
  await session.command('UNLINK', keys.pieces(id));
  await session.command('SREM', keys.snapshots, id);
  history.nudge();
  return 'not-refilled';
}
