import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { type AppendBatch, type AppendOutcome, StoreError } from '../store.ts';
import { APPEND } from './append-scripts.ts';
import { factRuns } from './fact-pages.ts';
import type { History, Line } from './history.ts';
import type { Keys } from './keys.ts';
import type { RedisTimeouts } from './options.ts';
import { type Argument, LostAnswerError, RefusedError, type Reply } from './session.ts';

/** Bytes of entries that ride along with a hint. Above, readers fetch them: a hint is sent to every replica, needed or not. */
const RIDE_LIMIT_BYTES = 64 * 1024;

export interface AppendParts {
  readonly history: History;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly timeouts: RedisTimeouts;
  readonly replicaId: string;
  readonly waitReplicas: number;
}

/** How one try ended. */
type Try =
  | { readonly status: 'done'; readonly outcome: AppendOutcome }
  /** Nothing was done, and may be done by another try. */
  | { readonly status: 'refused'; readonly reason: string }
  /** It may have been done, or may be done yet. */
  | { readonly status: 'unanswered'; readonly reason: string };

/**
 * Appends a batch. While it is not known whether an earlier try had its effect, the same batch is sent again: the script recognises it by its
 * writeId. A try that comes late finds another tip and does nothing. So the answer is the truth, or, when the server cannot be asked in time,
 * says that it is not known.
 * @throws StoreError
 */
export async function appendBatch(parts: AppendParts, batch: AppendBatch): Promise<AppendOutcome> {
  const { history, clock, timeouts } = parts;
  const untilMs = clock.nowMs() + timeouts.appendMs;
  let isUncertain = false;
  let reason = '';
  do {
    const line = await history.ready(untilMs);
    if (!line) {
      reason = history.reason;
      break;
    }
    const tried = await tryAppend(parts, line, batch, isUncertain);
    if (tried.status === 'done') return tried.outcome;
    isUncertain ||= tried.status === 'unanswered';
    reason = tried.reason;
  } while (clock.nowMs() < untilMs);
  throw new StoreError(
    isUncertain ? `whether the batch was appended is not known: ${reason}` : `nothing was appended: ${reason}`,
    isUncertain ? 'unknown' : 'not-appended',
  );
}

async function tryAppend(parts: AppendParts, line: Line, batch: AppendBatch, isUncertain: boolean): Promise<Try> {
  const { history } = parts;
  const { expectedTip, entries, writeId } = batch;
  let isAppended = false;
  try {
    const answer = await line.session.run(APPEND, ...scriptInput(parts, line, batch));
    const [name, detail, seen] = (answer as Reply[]).map(String);
    if (name === 'appended') {
      isAppended = true;
      const missing = await waitForReplicas(parts, line);
      if (missing) return { status: 'unanswered', reason: missing };
      history.advance(line, expectedTip + entries.length, writeId);
      return { status: 'done', outcome: { status: 'appended', origin: { epoch: line.epoch, writeId } } };
    }
    if (name === 'conflict') {
      const tip = Number(detail);
      const isResolved = seen === 'seen' || !isUncertain;
      if (!isResolved) return { status: 'unanswered', reason: 'the log was trimmed meanwhile' };
      // Fewer entries than are known here: not another writer's, but a loss. Looked at before anybody decides anything on it.
      if (tip >= history.known.seq) return { status: 'done', outcome: { status: 'conflict', tip } };
    }
    assert(name !== 'events', `audit events do not follow the newest one, ${detail}`);
    history.recheck(line);
    return { status: 'refused', reason: 'the log has another history' };
  } catch (error) {
    await history.failed(line, error);
    const reason = (error as Error).message;
    if (error instanceof LostAnswerError || isAppended) return { status: 'unanswered', reason };
    return { status: error instanceof RefusedError ? 'refused' : 'unanswered', reason };
  }
}

function scriptInput(
  { history, keys, replicaId, waitReplicas }: AppendParts,
  line: Line,
  { expectedTip, writeId, entries, events }: AppendBatch,
): [keys: string[], args: Argument[]] {
  const { known } = history;
  const writeBefore = known.seq === expectedTip ? known.writeId : '';
  const facts = factRuns(keys, events);
  const args: Argument[] = [
    ...line.guard,
    expectedTip,
    writeBefore,
    writeId,
    replicaId,
    waitReplicas > 0 ? 1 : 0,
    keys.hints,
    RIDE_LIMIT_BYTES,
    entries.length,
    events.length,
    ...entries.map(({ bytes }) => bytes),
    ...events.flatMap(({ id, bytes }) => [id, bytes]),
    ...facts.places,
  ];
  return [[keys.meta, keys.log, keys.events, ...facts.keys], args];
}

/** Undefined when enough replicas of the server have what this connection wrote last; else what is missing. */
async function waitForReplicas(
  { waitReplicas, timeouts }: AppendParts,
  { session }: Line,
): Promise<string | undefined> {
  if (waitReplicas === 0) return undefined;
  const count = Number(await session.command('WAIT', waitReplicas, timeouts.waitReplicasMs));
  return count >= waitReplicas ? undefined : `${count} of ${waitReplicas} replicas of the server acknowledged`;
}
