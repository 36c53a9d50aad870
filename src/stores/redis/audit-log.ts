import { assert } from '../../base/assert.ts';
import {
  AUDIT_SLICE_EVENTS,
  type AuditLog,
  EVENT_OVERHEAD_BYTES,
  EVENTS_READ_MAX,
  type EventEntry,
  eventSizeBytes,
} from '../store.ts';
import { STALE } from './confirmed-session.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import { type Reply, script } from './session.ts';

/** The bytes of events that one slice of measuring reads within the server. This takes half a millisecond. */
const MEASURE_BYTES = 128 * 1024;
/** The number of events that one XRANGE of the measurement reads. */
const MEASURE_STEP_EVENTS = 16;

/**
 * The size of the audit log. Redis cannot report the size of a stream without reading all of it, so each event is measured once, and each call
 * measures one slice. A hash stores the id of the last measured event, and the size up to that event. An append does not update it. In another
 * epoch, events may have been removed or put back, so all events are measured again.
 *
 * KEYS meta, events, size of the audit log. ARGV format, epoch, run, bytes per slice (0: only returns where the audit log begins), events per step,
 * overhead of an event in bytes.
 * Answers `ok, id of the oldest event or '', number of events, their size, whether all are measured` or `stale`.
 */
const MEASURE = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'lastEvent')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
first = first and string.match(first[1], '^%d+') or ''
local most = tonumber(ARGV[4])
if most == 0 then return {'ok', first} end
local t = redis.call('HMGET', KEYS[3], 'epoch', 'through', 'bytes')
local through, bytes = '0', 0
if t[1] == m[2] then through, bytes = t[2], tonumber(t[3]) end
local read, before = 0, through
while through ~= m[4] and read < most do
  local events = redis.call('XRANGE', KEYS[2], '(' .. through .. '-0', m[4] .. '-0', 'COUNT', ARGV[5])
  if #events == 0 then through = m[4] break end
  for _, event in ipairs(events) do read = read + #event[2][2] + math.floor(#event[2][2] / 8) + ARGV[6] end
  through = string.match(events[#events][1], '^%d+')
end
bytes = bytes + read
if t[1] ~= m[2] or through ~= before then
  -- With full memory, Redis lets a script add data only after another write: HDEL is that write. Without it, a full server could not be measured,
  -- and no event could be dropped.
  redis.call('HDEL', KEYS[3], t[1] ~= m[2] and 'page' or '')
  redis.call('HSET', KEYS[3], 'epoch', m[2], 'through', through, 'bytes', string.format('%.0f', bytes))
end
return {'ok', first, redis.call('XLEN', KEYS[2]), string.format('%.0f', bytes), through == m[4] and 1 or 0}
`);

/**
 * Drops the oldest events, if the audit log still begins with them. When two replicas drop the same events, the second one finds another beginning.
 * KEYS meta, events, size of the audit log. ARGV format, epoch, run, id of the first event, id of the last event, their size. Answers
 * `dropped`, `moved` or `stale`.
 */
const TRIM = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return 'stale' end
local first = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
if not first or first[1] ~= ARGV[4] .. '-0' then return 'moved' end
local last = tonumber(ARGV[5])
redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f-0', last + 1))
local t = redis.call('HMGET', KEYS[3], 'epoch', 'through', 'bytes')
if t[1] == m[2] then
  if last < tonumber(t[2]) then redis.call('HINCRBY', KEYS[3], 'bytes', '-' .. ARGV[6])
  else redis.call('HSET', KEYS[3], 'through', ARGV[5], 'bytes', '0') end
end
return 'dropped'
`);

/**
 * Events by their ids, if the history is still the one that the reader follows. KEYS meta, events. ARGV format, epoch, run, ids. Answers `ok`, then
 * id and bytes of each event that exists, or `stale`.
 */
const READ_BY_ID = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
local found = {'ok'}
for i = 4, #ARGV do
  local id = ARGV[i] .. '-0'
  local event = redis.call('XRANGE', KEYS[2], id, id)[1]
  if event then
    found[#found + 1] = ARGV[i]
    found[#found + 1] = event[2][2]
  end
end
return found
`);

/** See `Store.readEventsById`. @throws StoreError */
export async function readEventsById(history: History, keys: Keys, ids: readonly number[]): Promise<EventEntry[]> {
  assert(ids.length <= EVENTS_READ_MAX, `at most ${EVENTS_READ_MAX} events are read at a time`);
  if (ids.length === 0) return [];
  const idsAndBytes = await history.attempt('read the events', async ({ session, guard }) => {
    const [status, ...events] = (await session.run(
      READ_BY_ID,
      [keys.meta, keys.events],
      [...guard, ...ids],
    )) as Reply[];
    return String(status) === 'stale' ? STALE : events;
  });
  const entries: EventEntry[] = [];
  for (let at = 0; at < idsAndBytes.length; at += 2) {
    entries.push({ id: Number(String(idsAndBytes[at])), bytes: idsAndBytes[at + 1] as Buffer });
  }
  return entries;
}

export async function firstEventId(history: History, keys: Keys): Promise<number | null> {
  const [first = ''] = await measure(history, keys, 0);
  return first === '' ? null : Number(first);
}

export async function measureAuditLog(history: History, keys: Keys): Promise<AuditLog> {
  const [first = '', count, bytes, isMeasured, epoch = ''] = await measure(history, keys, MEASURE_BYTES);
  return {
    firstId: first === '' ? null : Number(first),
    count: Number(count),
    sizeBytes: isMeasured === '1' ? Number(bytes) : null,
    epoch,
  };
}

function measure(history: History, keys: Keys, most: number): Promise<string[]> {
  return history.attempt('read the extent of the audit log', async ({ session, guard, epoch }) => {
    const args = [...guard, most, MEASURE_STEP_EVENTS, EVENT_OVERHEAD_BYTES];
    const reply = (await session.run(MEASURE, [keys.meta, keys.events, keys.auditLog], args)) as Reply[];
    const [status, ...values] = reply.map(String);
    return status === 'stale' ? STALE : [...values, epoch];
  });
}

/** See `Store.trimAuditLog`. @throws StoreError */
export async function trimAuditLog(
  history: History,
  keys: Keys,
  { epoch: measuredEpoch, firstId }: AuditLog,
  oldest: readonly EventEntry[],
): Promise<boolean> {
  assert(oldest.length <= AUDIT_SLICE_EVENTS, 'events are dropped in slices');
  const [first, last] = [oldest[0], oldest.at(-1)];
  if (!first || !last || first.id !== firstId) return false;
  const sizeBytes = oldest.reduce((sum, event) => sum + eventSizeBytes(event), 0);
  const answer = await history.attempt('drop the oldest audit events', async ({ session, guard, epoch }) => {
    // The decision was made for another history. In this one, other events may be the oldest.
    if (epoch !== measuredEpoch) return 'moved';
    const args = [...guard, first.id, last.id, sizeBytes];
    const reply = String(await session.run(TRIM, [keys.meta, keys.events, keys.auditLog], args));
    return reply === 'stale' ? STALE : reply;
  });
  return answer === 'dropped';
}
