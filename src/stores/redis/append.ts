import type { Clock } from '../../base/clock.ts';
import type { RefusalReason } from '../refusal-texts.ts';
import { type AppendBatch, type AppendOutcome, StoreError } from '../store.ts';
import { APPEND, PROBE } from './append-scripts.ts';
import type { ConfirmedSession } from './confirmed-session.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import { REFUSED_MS, type RedisTimeouts } from './options.ts';
import { refusalOf } from './refusal-of.ts';
import { entryEpoch } from './replica-position.ts';
import { type Argument, NotSentError, RefusedError, type Reply } from './session.ts';

/**
 * The most bytes of entries in a hint. A hint is sent to every replica, even to those that do not need the entries, so replicas read larger entries
 * from the log.
 */
const HINT_ENTRIES_MAX_BYTES = 64 * 1024;
/** How long a probe, or an append that must not be sent without them, waits for replicas of the server, in milliseconds. Other commands wait meanwhile. */
const PROBE_WAIT_MS = 100;

export interface AppendParts {
  readonly history: History;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly timeouts: RedisTimeouts;
  readonly replicaId: string;
  readonly waitReplicas: number;
  readonly serverRefusal: ServerRefusal;
}

/** What the last append found out about the server. */
interface ServerRefusal {
  /** Since when the server has refused appends, and why it refused the last one. Null when it accepted the last append, or did not answer. */
  current: { readonly sinceMs: number; readonly refusal: RefusalReason } | null;
}

/** The result of one try. */
type TryResult =
  | { readonly status: 'done'; readonly outcome: AppendOutcome }
  /** `refused`: nothing was appended; another try may succeed. `unanswered`: the batch may have been appended, or may still be. */
  | {
      readonly status: 'refused' | 'unanswered';
      readonly reason: string;
      readonly refusal: RefusalReason;
      /** Whether the server itself refused, whatever its reason. Then it has answered, and stays the server to ask. */
      readonly isByServer?: boolean;
    };

/**
 * Appends a batch. While it is not known whether an earlier try took effect, the same batch is sent again: the script recognises it by its
 * writeId. A try that arrives late finds another tip and does nothing. So the outcome is certain, or `unknown` when the server cannot be asked in
 * time. Once appends have been refused for as long as one may wait, each later append has one try. That is `REFUSED_MS` if the server answers that it
 * refuses, and it does not depend on the reason.
 * @throws StoreError
 */
export async function appendBatch(parts: AppendParts, batch: AppendBatch): Promise<AppendOutcome> {
  const { history, clock, timeouts, serverRefusal } = parts;
  const beganMs = clock.nowMs();
  const sinceMs = serverRefusal.current?.sinceMs ?? beganMs;
  const untilMs = sinceMs + timeouts.appendMs;
  let isUncertain = false;
  let failure: Omit<Extract<TryResult, { readonly refusal: RefusalReason }>, 'status'>;
  do {
    const confirmedSession = await history.awaitConfirmedSession(untilMs);
    if (!confirmedSession) {
      failure = { reason: history.reason, refusal: history.refusal };
      break;
    }
    const result = await tryAppend(parts, confirmedSession, batch, isUncertain);
    if (result.status === 'done') {
      serverRefusal.current = null;
      return result.outcome;
    }
    isUncertain ||= result.status === 'unanswered';
    failure = result;
  } while (clock.nowMs() < (failure.isByServer && !isUncertain ? Math.min(untilMs, sinceMs + REFUSED_MS) : untilMs));
  serverRefusal.current = failure.isByServer ? { sinceMs, refusal: failure.refusal } : null;
  throw new StoreError(
    isUncertain
      ? `it is not known whether the batch was appended: ${failure.reason}`
      : `nothing was appended: ${failure.reason}`,
    isUncertain ? 'unknown' : 'not-appended',
    { refusal: failure.refusal },
  );
}

/** Checks whether an append would be accepted now, without writing anything. @throws StoreError when it would not */
export async function probeAppend(parts: AppendParts): Promise<void> {
  const { history, keys, clock, serverRefusal } = parts;
  const confirmedSession = await history.awaitConfirmedSession(clock.nowMs());
  if (!confirmedSession) throw new StoreError(history.reason, 'not-appended', { refusal: history.refusal });
  try {
    // The probe uses the same command as the append, so that it does not need other rights.
    const keysToWrite = [keys.meta, keys.log, keys.events, keys.probe];
    const answer = String(await confirmedSession.session.run(PROBE, keysToWrite, []));
    if (answer !== 'ok') throw new StoreError(answer, 'not-appended', { refusal: refusalOf(answer, 'refused') });
    const problem = await missingReplicasProblem(parts, confirmedSession);
    if (problem) throw new StoreError(problem, 'not-appended', { refusal: 'replicas-behind' });
    serverRefusal.current = null;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    await history.handleFailure(confirmedSession, error);
    const { message } = error as Error;
    const refusal = refusalOf(message, error instanceof RefusedError ? 'refused' : 'unreachable');
    throw new StoreError(message, 'not-appended', { cause: error, refusal });
  }
}

async function tryAppend(
  parts: AppendParts,
  confirmedSession: ConfirmedSession,
  batch: AppendBatch,
  isUncertain: boolean,
): Promise<TryResult> {
  const { history, serverRefusal } = parts;
  const { expectedTip, entries, writeId } = batch;
  let isAppended = false;
  try {
    if (serverRefusal.current?.refusal === 'replicas-behind' && !isUncertain) {
      // If the batch was sent now, it would be in the log, but it would not be certain whether it stays there.
      const problem = await replicasProblem(parts, confirmedSession, PROBE_WAIT_MS);
      if (problem) return { status: 'refused', reason: problem, refusal: 'replicas-behind', isByServer: true };
    }
    const answer = await confirmedSession.session.run(APPEND, ...scriptInput(parts, confirmedSession, batch));
    const [name, detail, entryStatus] = (answer as Reply[]).map(String);
    if (name === 'appended') {
      isAppended = true;
      const problem = await replicasProblem(parts, confirmedSession);
      if (problem) return { status: 'unanswered', reason: problem, refusal: 'replicas-behind', isByServer: true };
      // An earlier try may have appended the batch, in an epoch before the epoch of this try.
      const epoch = entryEpoch(confirmedSession.lineage, expectedTip + 1);
      history.advance(epoch, expectedTip + entries.length, writeId);
      return { status: 'done', outcome: { status: 'appended', origin: { epoch, writeId } } };
    }
    if (name === 'conflict') {
      const tip = Number(detail);
      // `seen`: the script compared the batch with the entry that the log has in its place. `gone`: that entry was trimmed.
      const isResolved = entryStatus === 'seen' || !isUncertain;
      if (!isResolved) {
        // The outcome will never be known: more tries would only keep the server busy.
        const message = 'it is not known whether the batch was appended: the log was trimmed meanwhile';
        throw new StoreError(message, 'unknown', { refusal: 'comparing' });
      }
      // The log ends before the known position, so this is a loss and not another writer. The history must be checked before the outcome can be
      // decided.
      if (tip >= history.knownPosition.seq) return { status: 'done', outcome: { status: 'conflict', tip } };
    }
    if (name === 'events') {
      const message = `the audit events of the batch do not follow the newest stored audit event, ${detail}`;
      throw new StoreError(message, isUncertain ? 'unknown' : 'not-appended', { refusal: 'refused' });
    }
    history.recheck(confirmedSession);
    return { status: 'refused', reason: 'the log has another history', refusal: 'comparing' };
  } catch (error) {
    if (error instanceof StoreError) throw error;
    await history.handleFailure(confirmedSession, error);
    const { message: reason } = error as Error;
    const isRefused = error instanceof RefusedError;
    const hadNoEffect = !isAppended && (isRefused || error instanceof NotSentError);
    const refusal = refusalOf(reason, isRefused ? 'refused' : 'unreachable');
    const isByServer = isRefused && !error.isOfOtherServer;
    return { status: hadNoEffect ? 'refused' : 'unanswered', reason, refusal, isByServer };
  }
}

function scriptInput(
  { history, keys, replicaId, waitReplicas }: AppendParts,
  confirmedSession: ConfirmedSession,
  { expectedTip, writeId, entries, events }: AppendBatch,
): [keys: string[], args: Argument[]] {
  const { knownPosition } = history;
  const writeBefore = knownPosition.seq === expectedTip ? knownPosition.writeId : '';
  const args: Argument[] = [
    ...confirmedSession.guard,
    expectedTip,
    writeBefore,
    writeId,
    replicaId,
    waitReplicas > 0 ? 1 : 0,
    keys.hints,
    HINT_ENTRIES_MAX_BYTES,
    entries.length,
    events.length,
    ...entries.map(({ bytes }) => bytes),
    ...events.flatMap(({ id, bytes }) => [id, bytes]),
  ];
  return [[keys.meta, keys.log, keys.events], args];
}

/**
 * Waits until enough replicas of the server have the last write of this connection. Returns a text that says how many do not have it in time, or
 * undefined when enough have it.
 */
async function replicasProblem(
  { waitReplicas, timeouts }: AppendParts,
  { session }: ConfirmedSession,
  timeoutMs = timeouts.waitReplicasMs,
): Promise<string | undefined> {
  if (waitReplicas === 0) return undefined;
  const count = Number(await session.command('WAIT', waitReplicas, timeoutMs));
  return count >= waitReplicas ? undefined : `${count} of ${waitReplicas} replicas of the server acknowledged`;
}

/**
 * Same as `replicasProblem`, for a probe: it does not block the connection. Connected replicas count as up to date, unless an append found that they
 * are not.
 */
async function missingReplicasProblem(
  parts: AppendParts,
  confirmedSession: ConfirmedSession,
): Promise<string | undefined> {
  const { waitReplicas, serverRefusal } = parts;
  if (waitReplicas === 0) return undefined;
  const info = String(await confirmedSession.session.command('INFO', 'replication'));
  const count = info.match(/^slave\d+:.*\bstate=online\b/gm)?.length ?? 0;
  if (count < waitReplicas) return `${count} of ${waitReplicas} replicas of the server are connected`;
  return serverRefusal.current?.refusal === 'replicas-behind'
    ? replicasProblem(parts, confirmedSession, PROBE_WAIT_MS)
    : undefined;
}
