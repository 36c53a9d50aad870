import { randomUUID } from 'node:crypto';
import { inBatches, lineOf, type StagedHistory, type Staging } from '../staging.ts';
import { type EventEntry, StoreError } from '../store.ts';
import { MAKE_EMPTY } from './append-scripts.ts';
import { describeTarget, parseConnectionString, type RedisTarget } from './connection-string.ts';
import { type Keys, keysOf, STORE_FORMAT } from './keys.ts';
import { locateServer } from './locate-server.ts';
import { checkServer, type ServerReport } from './server-check.ts';
import { type Argument, LostAnswerError, NotSentError, type Reply, Session, script } from './session.ts';
import { readVerifiedPieces, type SnapshotPointer, writePieces } from './snapshot-pieces.ts';
import { explained } from './wrong-address.ts';

/** The limits are long, because no append waits while a location is filled, and a slow disk may take long. */
const TIMEOUTS = { connectMs: 5_000, commandMs: 60_000 };
/** Staged events that are not committed expire after this. */
const STAGED_FOR_MS = 3_600_000;
/** A command is sent when its content has at least this size. */
const PUT_BYTES = 1 << 20;

/** KEYS staged events. ARGV how long they stay in ms, then the events as id, bytes. */
const PUT_EVENTS = script(`
for i = 2, #ARGV, 2 do redis.call('XADD', KEYS[1], ARGV[i] .. '-0', 'd', ARGV[i + 1]) end
return redis.call('PEXPIRE', KEYS[1], ARGV[1])
`);

/**
 * Makes a staged history the content of the location, if the location is empty and no replica is about to refill it. May be sent again.
 * KEYS meta, log, events, election, staged events, pieces. ARGV 1 format, 2 epoch, 3 run, 4 seq, 5 writeId of that seq, 6 newest event's id,
 * 7 snapshot, 8 number of pieces, 9 ancestors, 10 number of events. Answers `filled`, `taken`, `replicas` or `lost`.
 */
export const FILL = script(`${MAKE_EMPTY}
if redis.call('HGET', KEYS[1], 'epoch') == ARGV[2] then return 'filled' end
if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 then return 'taken' end
if redis.call('EXISTS', KEYS[4]) > 0 then return 'replicas' end
if redis.call('HLEN', KEYS[6]) ~= tonumber(ARGV[8]) then return 'lost' end
if redis.call('XLEN', KEYS[5]) ~= tonumber(ARGV[10]) then return 'lost' end
if ARGV[10] ~= '0' then
  redis.call('RENAME', KEYS[5], KEYS[3])
  redis.call('PERSIST', KEYS[3])
end
makeEmpty(KEYS[3], ARGV[6])
local first = string.format('%.0f', tonumber(ARGV[4]) + 1)
redis.call('HSET', KEYS[1], 'format', ARGV[1], 'epoch', ARGV[2], 'run', ARGV[3], 'tip', ARGV[4], 'tipWrite', ARGV[5], 'firstSeq', first,
  'removed', first, 'lastEvent', ARGV[6], 'snapshot', ARGV[7], 'previousSnapshot', '', 'ancestors', ARGV[9])
return 'filled'
`);

interface RedisLocation {
  /** Contains a password: it is never shown. */
  readonly url: string;
  readonly keyPrefix: string;
}

/** Whether the location has a log. Changes nothing. @throws StoreError when the server cannot be asked. */
export async function holdsLog(location: RedisLocation): Promise<boolean> {
  const target = parseConnectionString(location.url);
  const keys = keysOf(location.keyPrefix);
  const session = await connect(target, keys);
  try {
    return Number(await session.command('EXISTS', keys.meta)) > 0;
  } catch (error) {
    throw asStoreError(target, error);
  } finally {
    session.drop('asked');
  }
}

/**
 * Begins to fill an empty location in a Redis with a history.
 * @param warn Is called with each reason why the server is unfit for a log.
 * @throws StoreError when the location has a log, or cannot be written.
 */
export async function stageInRedis(
  location: RedisLocation,
  history: StagedHistory,
  warn: (finding: string) => void,
): Promise<Staging> {
  const target = parseConnectionString(location.url);
  const keys = keysOf(location.keyPrefix);
  const session = await connect(target, keys);
  try {
    const report = await checkServer(session, target);
    for (const finding of report.findings) warn(finding);
    if (Number(await session.command('EXISTS', keys.meta, keys.log, keys.events)) > 0) throw notEmptyError(target);
    return new RedisStaging({ target, keys, session, report, history });
  } catch (error) {
    session.drop('not used');
    throw asStoreError(target, error);
  }
}

interface RedisStagingParts {
  readonly target: RedisTarget;
  readonly keys: Keys;
  readonly session: Session;
  readonly report: ServerReport;
  readonly history: StagedHistory;
}

class RedisStaging implements Staging {
  readonly #parts: RedisStagingParts;
  readonly #id = randomUUID();
  readonly #epoch = randomUUID();
  readonly #stagedEvents: string;
  #session: Session;
  #pointer: SnapshotPointer | null = null;
  #eventCount = 0;
  #isCommitted = false;

  constructor(parts: RedisStagingParts) {
    this.#parts = parts;
    this.#session = parts.session;
    this.#stagedEvents = parts.keys.pieces(`${this.#id}:events`);
  }

  putSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<void> {
    return this.#withStoreErrors(async ({ keys, history }) => {
      const content = await writePieces(this.#session, keys, this.#id, pieces, { token: '', leaseMs: 0 });
      this.#pointer = { id: this.#id, seq: history.seq, ...content };
    });
  }

  putEvents(events: readonly EventEntry[]): Promise<void> {
    return this.#withStoreErrors(async () => {
      let waitingArgs: Argument[] = [];
      let waitingBytes = 0;
      const flush = async () => {
        await this.#session.run(PUT_EVENTS, [this.#stagedEvents], [STAGED_FOR_MS, ...waitingArgs]);
        waitingArgs = [];
        waitingBytes = 0;
      };
      for (const { id, bytes } of events) {
        waitingArgs.push(id, bytes);
        waitingBytes += bytes.length;
        if (waitingBytes >= PUT_BYTES) await flush();
      }
      if (waitingArgs.length > 0) await flush();
      this.#eventCount += events.length;
    });
  }

  /** Does nothing: the data has no state that must be closed before the commit. */
  async seal(): Promise<void> {}

  readSnapshot(): AsyncIterable<Uint8Array> {
    if (!this.#pointer) throw new StoreError('there is no snapshot yet', 'not-appended');
    return readVerifiedPieces(async () => this.#session, this.#parts.keys, this.#pointer);
  }

  readEvents(): AsyncIterable<readonly EventEntry[]> {
    return inBatches((fromId, limit) =>
      this.#withStoreErrors(async () => {
        const reply = await this.#session.command('XRANGE', this.#stagedEvents, `${fromId}-0`, '+', 'COUNT', limit);
        return (reply as [Buffer, Reply[]][]).map(([id, fields]) => ({
          id: Number.parseInt(String(id), 10),
          bytes: fields[1] as Buffer,
        }));
      }),
    );
  }

  async commit(): Promise<string> {
    const { target } = this.#parts;
    const answer = await this.#withStoreErrors(() => this.#fill());
    if (answer === 'filled') {
      this.#isCommitted = true;
      return this.#epoch;
    }
    if (answer === 'taken') throw notEmptyError(target);
    const reason =
      answer === 'replicas'
        ? 'running replicas of Burgee are about to refill it (docs/move-in/moving.md)'
        : 'some of the staged data is missing';
    throw new StoreError(`${describeTarget(target)} was not filled: ${reason}`, 'not-appended');
  }

  /** Removes the staged data, unless it was committed. If the server cannot be reached, the events expire, and a service removes the rest. */
  async close(): Promise<void> {
    const { keys } = this.#parts;
    try {
      if (!this.#isCommitted) {
        await this.#session.command('UNLINK', this.#stagedEvents, keys.pieces(this.#id));
        await this.#session.command('SREM', keys.snapshots, this.#id);
      }
    } catch {
      // The server cannot be reached: see above.
    }
    this.#session.drop('done');
  }

  async #fill(): Promise<string> {
    try {
      return await this.#tryFill();
    } catch (error) {
      if (!(error instanceof LostAnswerError || error instanceof NotSentError)) throw error;
      // The location may have been filled or not. The script finds out, because it answers `filled` if the location already has this epoch.
      this.#session = await connect(this.#parts.target, this.#parts.keys);
      return this.#tryFill();
    }
  }

  async #tryFill(): Promise<string> {
    const { keys, report, history } = this.#parts;
    // Replicas that know the source up to this position compare this line with their own.
    const { epoch, seq, writeId, ancestors } = lineOf(history, this.#epoch, this.#id);
    const reply = await this.#session.run(
      FILL,
      [keys.meta, keys.log, keys.events, keys.election, this.#stagedEvents, keys.pieces(this.#id)],
      [
        STORE_FORMAT,
        epoch,
        report.runId,
        seq,
        writeId,
        history.lastEventId,
        JSON.stringify(this.#pointer),
        this.#pointer?.pieceCount ?? 0,
        JSON.stringify(ancestors),
        this.#eventCount,
      ],
    );
    return String(reply);
  }

  async #withStoreErrors<T>(work: (parts: RedisStagingParts) => Promise<T>): Promise<T> {
    try {
      return await work(this.#parts);
    } catch (error) {
      throw asStoreError(this.#parts.target, error);
    }
  }
}

async function connect(target: RedisTarget, keys: Keys): Promise<Session> {
  try {
    return await Session.open(target, await locateServer(target, keys.meta, TIMEOUTS), TIMEOUTS);
  } catch (error) {
    throw asStoreError(target, error);
  }
}

function notEmptyError(target: RedisTarget): StoreError {
  return new StoreError(
    `${describeTarget(target)} holds a log already; only an empty location is filled`,
    'not-appended',
  );
}

function asStoreError(target: RedisTarget, cause: unknown): unknown {
  const error = explained(cause, target);
  if (error instanceof StoreError || !(error instanceof Error)) return error;
  const message = `cannot use ${describeTarget(target)}: ${error.message || 'it does not answer'}`;
  return new StoreError(message, cause instanceof LostAnswerError ? 'unknown' : 'not-appended', { cause });
}
