import { randomUUID } from 'node:crypto';
import { assert } from '../../base/assert.ts';
import type { RefillContent } from '../shared-store.ts';
import { StoreError } from '../store.ts';
import type { History, HistoryParts } from './history.ts';
import { REFILL } from './history-scripts.ts';
import { STORE_FORMAT } from './keys.ts';
import { LostAnswerError } from './session.ts';
import { asStoreError, type SnapshotPointer, verifyPieces, writePieces } from './snapshot-pieces.ts';
import type { Ancestor } from './verdict.ts';

/** Ancestors a history remembers: replicas that were away for longer find a foreign one. */
const ANCESTOR_LIMIT = 32;

export interface RefillParts extends HistoryParts {
  readonly history: History;
}

/** See `SharedStore.refill`. @throws StoreError */
export async function refill(parts: RefillParts, content: RefillContent): Promise<'refilled' | 'beaten'> {
  const { history } = parts;
  const { loss, session } = history;
  if (loss?.kind !== 'behind' || !loss.mayRefill || !session) return 'beaten';
  const { epoch, seq: knownSeq } = loss.known;
  assert(content.seq <= knownSeq, `the state stands at ${content.seq}, but only ${knownSeq} is known`);
  if (content.seq < knownSeq) {
    // Something was read, or heard of, but never applied. Claiming it any longer would hold up the replicas that have it.
    parts.logger.warn({ seq: content.seq, knownSeq }, 'this replica holds less than it read: it claims only that');
    history.reset({ epoch, seq: content.seq, writeId: '' });
    return 'beaten';
  }
  try {
    return await refillOn(parts, session, loss, content);
  } catch (error) {
    session.session.drop('the refill failed');
    if (error instanceof LostAnswerError) {
      throw new StoreError(`whether Redis was refilled is not known: ${error.message}`, 'unknown', { cause: error });
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
  const { epoch: lostEpoch, writeId } = loss.known;
  const ancestors: Ancestor[] = [{ epoch: lostEpoch, seq, writeId }, ...(history.verdict?.ancestors ?? [])];
  const epoch = randomUUID();
  const answer = String(
    await session.run(
      REFILL,
      [keys.meta, keys.log, keys.events, keys.election, keys.claims, keys.pieces(id)],
      [
        STORE_FORMAT,
        report.runId,
        replicaId,
        loss.foundEpoch ?? '',
        loss.foundTip,
        epoch,
        seq,
        writeId,
        JSON.stringify(pointer),
        stored.pieceCount,
        JSON.stringify(ancestors.slice(0, ANCESTOR_LIMIT)),
        keys.hints,
        events.length,
        lastEventId,
        ...events.flatMap((event) => [event.id, event.bytes]),
      ],
    ),
  );
  if (answer === 'refilled') {
    logger.warn({ epoch, lostEpoch, seq, foundTip: loss.foundTip }, 'Redis was refilled from memory');
    history.reset({ epoch, seq, writeId });
    return 'refilled';
  }
  await session.command('UNLINK', keys.pieces(id));
  await session.command('SREM', keys.snapshots, id);
  history.nudge();
  return 'beaten';
}
