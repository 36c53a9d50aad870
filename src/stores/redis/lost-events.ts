import { isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { EventsLoss } from '../shared-store.ts';
import type { EventEntry } from '../store.ts';
import { MAKE_EMPTY } from './append-scripts.ts';
import type { ConfirmedSession } from './confirmed-session.ts';
import type { Keys } from './keys.ts';
import { script } from './session.ts';

/**
 * Makes the key of the audit events again after it was deleted or evicted, with the events that the sender has in memory, and notes the loss. The
 * newest event keeps its id, so that no id is used twice. The size of the audit log is measured again.
 * KEYS meta, events, size of the audit log. ARGV format, epoch, run, number of events, then the events as id, bytes. Answers `stale`, `there`, or the noted loss.
 */
const RESTORE_EVENTS = script(`${MAKE_EMPTY}
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'lastEvent')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return 'stale' end
local lastEvent = tonumber(m[4])
if lastEvent < 1 or redis.call('TYPE', KEYS[2]).ok ~= 'none' then return 'there' end
local through, newest, restored = lastEvent, 0, 0
for i = 0, tonumber(ARGV[4]) - 1 do
  local id = tonumber(ARGV[5 + 2 * i])
  if id > newest and id <= lastEvent then
    redis.call('XADD', KEYS[2], ARGV[5 + 2 * i] .. '-0', 'd', ARGV[6 + 2 * i])
    if restored == 0 then through = id - 1 end
    newest, restored = id, restored + 1
  end
end
makeEmpty(KEYS[2], m[4])
local time = redis.call('TIME')
local loss = string.format('{"throughId":%.0f,"restored":%.0f,"atMs":%.0f}', through, restored, tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000))
redis.call('HSET', KEYS[3], 'epoch', '')
redis.call('HSET', KEYS[1], 'eventsLost', loss)
return loss
`);

/**
 * Puts the events into a server that lost its audit log and nothing else. The first of the replicas does it; the others find its note. Unlike a lost
 * log, it prevents nothing: flags and history are complete, and there is no other copy of the older events.
 * @throws RefusedError, NotSentError, LostAnswerError
 */
export async function restoreEvents(
  { session, guard }: ConfirmedSession,
  keys: Keys,
  events: readonly EventEntry[],
): Promise<void> {
  const args = [...guard, events.length, ...events.flatMap(({ id, bytes }) => [id, bytes])];
  await session.run(RESTORE_EVENTS, [keys.meta, keys.events, keys.auditLog], args);
}

/** Logs each loss once, by every replica. */
export class LostEvents {
  readonly #logger: Logger;
  #newest: EventsLoss | null = null;
  #evictedKeys: number | null = null;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** The last loss that was noted; null when there was none. */
  get newest(): EventsLoss | null {
    return this.#newest;
  }

  note(loss: EventsLoss | null): void {
    if (!loss || isSameJson(loss, this.#newest)) return;
    this.#newest = loss;
    const { throughId, restored, atMs } = loss;
    this.#logger.error(
      { throughId, restored, at: isoTime(atMs) },
      'Redis lost the audit log: somebody deleted its key, or Redis evicted it. The events up to `throughId` are lost; nothing else is',
    );
  }

  /** `evictedKeys`: the number since the server started. */
  noteEvicted(evictedKeys: number): void {
    const before = this.#evictedKeys;
    this.#evictedKeys = evictedKeys;
    if (before === null || evictedKeys <= before) return;
    this.#logger.error(
      { keys: evictedKeys - before },
      'Redis evicted keys because its memory is full, and some may be those of Burgee: set maxmemory-policy noeviction',
    );
  }
}
