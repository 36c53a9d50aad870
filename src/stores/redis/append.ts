import type { Clock } from '../../base/clock.ts';
import { type AppendBatch, type AppendOutcome, StoreError } from '../store.ts';
import type { RefusalReason } from '../write-refusal.ts';
import { APPEND, PROBE } from './append-scripts.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import type { Line } from './line.ts';
import type { RedisTimeouts } from './options.ts';
import { refusalOf } from './refusal-of.ts';
import { entryEpoch } from './replica-position.ts';
import { type Argument, NotSentError, RefusedError, type Reply } from './session.ts';

/**
 * The most bytes of entries in a hint. A hint is sent to every replica, even to those that do not need the entries, so replicas read larger entries
 * from the log.
 */
const RIDE_LIMIT_BYTES = 64 * 1024;
/** The refusals that come from a reachable server. For all others, `History.ready` knows since when they apply. */
const BY_SERVER: ReadonlySet<RefusalReason> = new Set(['memory-full', 'server-disk', 'replicas-behind', 'refused']);
/** How long a probe waits for replicas of the server, in milliseconds. All other commands on the connection wait meanwhile. */
const PROBE_WAIT_MS = 100;

export interface AppendParts {
  readonly history: History;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly timeouts: RedisTimeouts;
  readonly replicaId: string;
  readonly waitReplicas: number;
  readonly ownPosition: AppendPosition;
}

/** The result of the last appends. */
interface AppendPosition {
  /** Since when the server has refused appends, and why it refused the last one. Null when it accepted the last append, or could not be asked. */
  refused: { readonly sinceMs: number; readonly refusal: RefusalReason } | null;
}

/** The result of one try. */
type Try =
  | { readonly status: 'done'; readonly outcome: AppendOutcome }
  /** `refused`: nothing was appended; another try may succeed. `unanswered`: the batch may have been appended, or may still be. */
  | { readonly status: 'refused' | 'unanswered'; readonly reason: string; readonly refusal: RefusalReason };

/**
 * Appends a batch. While it is not known whether an earlier try took effect, the same batch is sent again: the script recognises it by its
 * writeId. A try that arrives late finds another tip and does nothing. So the outcome is certain, or `unknown` when the server cannot be asked in
 * time. Once appends have been refused for as long as one may wait, each later append has one try.
 * @throws StoreError
 */
export async function appendBatch(parts: AppendParts, batch: AppendBatch): Promise<AppendOutcome> {
  const { history, clock, timeouts, ownPosition } = parts;
  const beganMs = clock.nowMs();
  const sinceMs = ownPosition.refused?.sinceMs ?? beganMs;
  const untilMs = sinceMs + timeouts.appendMs;
  let isUncertain = false;
  let met: { readonly reason: string; readonly refusal: RefusalReason };
  do {
    const line = await history.ready(untilMs);
    if (!line) {
      met = { reason: history.reason, refusal: history.refusal };
      break;
    }
    const tried = await tryAppend(parts, line, batch, isUncertain);
    if (tried.status === 'done') {
      ownPosition.refused = null;
      return tried.outcome;
    }
    isUncertain ||= tried.status === 'unanswered';
    met = tried;
  } while (clock.nowMs() < untilMs);
  ownPosition.refused = BY_SERVER.has(met.refusal) ? { sinceMs, refusal: met.refusal } : null;
  throw new StoreError(
    isUncertain
      ? `it is not known whether the batch was appended: ${met.reason}`
      : `nothing was appended: ${met.reason}`,
    isUncertain ? 'unknown' : 'not-appended',
    { refusal: met.refusal },
  );
}

/** Checks whether an append would be accepted now, without writing anything. @throws StoreError when not */
export async function probeAppend(parts: AppendParts): Promise<void> {
  const { history, keys, clock, ownPosition } = parts;
  const line = await history.ready(clock.nowMs());
  if (!line) throw new StoreError(history.reason, 'not-appended', { refusal: history.refusal });
  try {
    // The probe uses the same command as the append, so that it does not need other rights.
    const written = [keys.meta, keys.log, keys.events, keys.probe];
    const answer = String(await line.session.run(PROBE, written, []));
    if (answer !== 'ok') throw new StoreError(answer, 'not-appended', { refusal: refusalOf(answer, 'refused') });
    const missing = await missingReplicas(parts, line);
    if (missing) throw new StoreError(missing, 'not-appended', { refusal: 'replicas-behind' });
    ownPosition.refused = null;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    await history.failed(line, error);
    const { message } = error as Error;
    const refusal = refusalOf(message, error instanceof RefusedError ? 'refused' : 'unreachable');
    throw new StoreError(message, 'not-appended', { cause: error, refusal });
  }
}

async function tryAppend(parts: AppendParts, line: Line, batch: AppendBatch, isUncertain: boolean): Promise<Try> {
  const { history, ownPosition } = parts;
  const { expectedTip, entries, writeId } = batch;
  let isAppended = false;
  try {
    if (ownPosition.refused?.refusal === 'replicas-behind' && !isUncertain) {
      // If the batch was sent now, it would be in the log, but it would not be certain whether it stays there.
      const missing = await waitForReplicas(parts, line);
      if (missing) return { status: 'refused', reason: missing, refusal: 'replicas-behind' };
    }
    const answer = await line.session.run(APPEND, ...scriptInput(parts, line, batch));
    const [name, detail, seen] = (answer as Reply[]).map(String);
    if (name === 'appended') {
      isAppended = true;
      const missing = await waitForReplicas(parts, line);
      if (missing) return { status: 'unanswered', reason: missing, refusal: 'replicas-behind' };
      // An earlier try may have appended it, in an epoch before the one in which this try found it.
      const epoch = entryEpoch(line.lineage, expectedTip + 1);
      history.advance(epoch, expectedTip + entries.length, writeId);
      return { status: 'done', outcome: { status: 'appended', origin: { epoch, writeId } } };
    }
    if (name === 'conflict') {
      const tip = Number(detail);
      const isResolved = seen === 'seen' || !isUncertain;
      if (!isResolved) {
        // The outcome will never be known: more tries would only keep the server busy.
        const message = 'it is not known whether the batch was appended: the log was trimmed meanwhile';
        throw new StoreError(message, 'unknown', { refusal: 'comparing' });
      }
      // The log ends before the known position, so this is a loss and not another writer. The history must be checked before the outcome can be
      // decided.
      if (tip >= history.known.seq) return { status: 'done', outcome: { status: 'conflict', tip } };
    }
    if (name === 'events') {
      const message = `audit events do not follow the newest one, ${detail}`;
      throw new StoreError(message, isUncertain ? 'unknown' : 'not-appended', { refusal: 'refused' });
    }
    history.recheck(line);
    return { status: 'refused', reason: 'the log has another history', refusal: 'comparing' };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    await history.failed(line, error);
    const { message: reason } = error as Error;
    const hadNoEffect = !isAppended && (error instanceof RefusedError || error instanceof NotSentError);
    const refusal = refusalOf(reason, error instanceof RefusedError ? 'refused' : 'unreachable');
    return { status: hadNoEffect ? 'refused' : 'unanswered', reason, refusal };
  }
}

function scriptInput(
  { history, keys, replicaId, waitReplicas }: AppendParts,
  line: Line,
  { expectedTip, writeId, entries, events }: AppendBatch,
): [keys: string[], args: Argument[]] {
  const { known } = history;
  const writeBefore = known.seq === expectedTip ? known.writeId : '';
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
  ];
  return [[keys.meta, keys.log, keys.events], args];
}

/**
 * Waits until enough replicas of the server have the last write of this connection. Resolves with undefined when they do, else with a text that says
 * what is missing.
 */
async function waitForReplicas(
  { waitReplicas, timeouts }: AppendParts,
  { session }: Line,
  timeoutMs = timeouts.waitReplicasMs,
): Promise<string | undefined> {
  if (waitReplicas === 0) return undefined;
  const count = Number(await session.command('WAIT', waitReplicas, timeoutMs));
  return count >= waitReplicas ? undefined : `${count} of ${waitReplicas} replicas of the server acknowledged`;
}

/**
 * Same as `waitForReplicas`, for a probe: it does not block the connection. Connected replicas count as up to date, unless an append found that they
 * are not.
 */
async function missingReplicas(parts: AppendParts, line: Line): Promise<string | undefined> {
  const { waitReplicas, ownPosition } = parts;
  if (waitReplicas === 0) return undefined;
  const reported = String(await line.session.command('INFO', 'replication'));
  const count = reported.match(/^slave\d+:.*\bstate=online\b/gm)?.length ?? 0;
  if (count < waitReplicas) return `${count} of ${waitReplicas} replicas of the server are connected`;
  return ownPosition.refused?.refusal === 'replicas-behind' ? waitForReplicas(parts, line, PROBE_WAIT_MS) : undefined;
}
