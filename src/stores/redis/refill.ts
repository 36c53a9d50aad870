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
export async function refill(parts: RefillParts, content: RefillContent): Promise<'refilled' | 'beaten'> {
  const { history } = parts;
  const { loss, session } = history;
  if (loss?.kind !== 'behind' || !loss.mayRefill || !session) return 'beaten';
  const { seq: knownSeq } = history.known;
  assert(content.seq <= knownSeq, `the state is at ${content.seq}, but only ${knownSeq} is known`);
  if (content.seq < knownSeq) {
    // This replica read or received entries that it never applied. If it continued to report them as known, it would delay the replicas that have
    // them.
    parts.logger.warn({ seq: content.seq, knownSeq }, 'this replica has less than it read: it reports only that now');
    history.retract();
    return 'beaten';
  }
  try {
    return await refillOn(parts, session, loss, content);
  } catch (error) {
    session.session.drop('the refill failed');
    if (error instanceof LostAnswerError) {
      throw new StoreError(`it is not known whether Redis was refilled: ${error.message}`, 'unknown', { cause: error });
    }
    throw asStoreError(error, 'refill Redis');
  }
}

async function refillOn(
  { history, keys, timeouts, replicaId, logger }: RefillParts,
  { session, report }: NonNullable<History['session']>,
  loss: NonNullable<History['loss']>,
  { seq, lastEventId, pieces, events }: RefillContent,
): Promise<'refilled' | 'beaten'> {
  const id = randomUUID();
  const stored = await writePieces(session, keys, id, pieces, { token: '', leaseMs: timeouts.leaseMs });
  await verifyPieces(session, keys, id, stored);
  const pointer: SnapshotPointer = { id, seq, ...stored };
  const observed = await history.refillable(session, report, seq);
  const { known } = history;
  const { epoch: lostEpoch, writeId } = known;
  const { epoch, ancestors } = begin(randomUUID(), known);
  const answer =
    observed &&
    String(
      await session.run(
        REFILL,
        [keys.meta, keys.log, keys.events, keys.election, keys.lines, keys.pieces(id)],
        [
          STORE_FORMAT,
          report.runId,
          replicaId,
          observed.line?.epoch ?? '',
          observed.line?.seq ?? 0,
          epoch,
          seq,
          writeId,
          JSON.stringify(pointer),
          stored.pieceCount,
          JSON.stringify(ancestors),
          keys.hints,
          events.length,
          lastEventId,
          observed.version,
          ...events.flatMap((event) => [event.id, event.bytes]),
        ],
      ),
    );
  if (answer === 'refilled') {
    logger.warn({ epoch, lostEpoch, seq, foundTip: loss.foundTip }, 'Redis was refilled from memory');
    history.settled();
    return 'refilled';
  }
  await session.command('UNLINK', keys.pieces(id));
  await session.command('SREM', keys.snapshots, id);
  history.nudge();
  return 'beaten';
}
