import { script } from './session.ts';

/**
 * Stores pieces and prolongs the lease, if the sender still has it.
 * KEYS lease, snapshots, pieces. ARGV token, lease in ms, snapshot id, then the pieces as number, bytes. With an empty token, no lease is checked.
 */
export const PUT_PIECES = script(`
if ARGV[1] ~= '' then
  if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
end
redis.call('SADD', KEYS[2], ARGV[3])
for i = 4, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
return 1
`);

/**
 * Makes a snapshot that was read back the current one, if the history is still the one of the snapshot.
 * KEYS meta, lease, pieces. ARGV format, epoch, run, token, seq, snapshot, number of pieces.
 * Answers `ok`, `stale`, `lease`, `pieces`, `older snapshot` (the current one is newer) or `ahead tip`.
 */
export const POINT = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'tip', 'snapshot')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
if redis.call('GET', KEYS[2]) ~= ARGV[4] then return {'lease'} end
if redis.call('HLEN', KEYS[3]) ~= tonumber(ARGV[7]) then return {'pieces'} end
if tonumber(ARGV[5]) > tonumber(m[4]) then return {'ahead', m[4]} end
if m[5] and cjson.decode(m[5]).seq > tonumber(ARGV[5]) then return {'older', m[5]} end
redis.call('HSET', KEYS[1], 'snapshot', ARGV[6], 'previousSnapshot', m[5] and cjson.decode(m[5]).id or '')
return {'ok'}
`);

/** KEYS lease. ARGV token. */
export const RELEASE = script(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

/**
 * One slice of trimming. Trimmed entries can no longer be read, but stay for as long as an append may last: until then, a writer whose answer was
 * lost still finds its batch by its writeId, however often the log is trimmed meanwhile. `cuts` lists the trims that wait for their removal, oldest
 * first. For each trim, it has the first entry that is kept and the time of the trim.
 * KEYS meta, log. ARGV format, epoch, run, through seq, entries per slice, how long entries stay in ms. Answers `more`, `done`, `stale` or
 * `uncovered`.
 */
export const TRIM = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'firstSeq', 'cuts', 'snapshot', 'removed')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return 'stale' end
local through, first = tonumber(ARGV[4]), tonumber(m[4])
local covered = m[6] and cjson.decode(m[6]).seq or 0
if through > covered then return 'uncovered' end
local removed = tonumber(m[7] or '1')
local time = redis.call('TIME')
local now, cut = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000), removed
local waiting = {}
for before, since in string.gmatch(m[5] or '', '(%d+):(%d+)') do
  -- The difference is absolute, so that a clock that was set back does not delay a removal for longer than entries stay.
  if math.abs(now - tonumber(since)) >= tonumber(ARGV[6]) then cut = math.max(cut, tonumber(before))
  else waiting[#waiting + 1] = before .. ':' .. since end
end
if through >= first then
  waiting[#waiting + 1] = string.format('%.0f:%.0f', through + 1, now)
  first = through + 1
  redis.call('HSET', KEYS[1], 'firstSeq', string.format('%.0f', first))
end
cut = math.min(cut, first)
if removed >= cut then
  redis.call('HSET', KEYS[1], 'cuts', table.concat(waiting, ' ', math.max(1, #waiting - 99)))
  return 'done'
end
local next = math.min(cut, removed + tonumber(ARGV[5]))
redis.call('XTRIM', KEYS[2], 'MINID', string.format('%.0f-0', next))
-- A trim whose entries are not all removed stays in the list. Its time is 0, because it does not wait any longer.
if next < cut then table.insert(waiting, 1, string.format('%.0f:0', cut)) end
redis.call('HSET', KEYS[1], 'removed', string.format('%.0f', next), 'cuts', table.concat(waiting, ' ', math.max(1, #waiting - 99)))
return next < cut and 'more' or 'done'
`);
