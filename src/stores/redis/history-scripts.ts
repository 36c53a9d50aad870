import { script } from './session.ts';

/**
 * What a replica asks after it connected, and every poll: is this still the history I know, and may it be gone on with?
 *
 * A server that was started again (another run) may have come back with less than it had acknowledged, or with nothing. So nobody appends
 * to a new run before replicas had a while to say how far they know the history. When nobody knows more than the server has, the run is
 * confirmed; else the replica that knows most is told to refill it, and the others to wait. The election expires, so that a replica that
 * was told and died does not hold the rest for good.
 *
 * KEYS meta, log, election, claims. ARGV 1 format, 2 run, 3 replica, 4 known epoch or '', 5 known seq, 6 known writeId or '', 7 grace in ms,
 * 8 epoch for a log that is created, 9 how long an election lasts in ms.
 * Answers {verdict, epoch, tip, tipWrite, firstSeq, ancestors, more…}, with false for what is not there:
 * `ok`, `wait ms`, `refill`, `await replica seq`, `epoch` (another one), `diverged`, `format number`.
 */
export const GREET = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'tip', 'tipWrite', 'firstSeq', 'ancestors', 'run')
local function answer(verdict, a, b) return {verdict, m[2], m[3], m[4], m[5], m[6], a or false, b or false} end
if m[1] and m[1] ~= ARGV[1] then return answer('format', m[1]) end
local known, tip = tonumber(ARGV[5]), tonumber(m[3] or '0')
if m[1] and ARGV[4] ~= '' and m[2] ~= ARGV[4] then return answer('epoch') end
if m[1] and known > 0 then
  if ARGV[6] ~= '' and known <= tip then
    local id = string.format('%.0f-0', known)
    local entry = redis.call('XRANGE', KEYS[2], id, id)[1]
    if known == tip and m[4] ~= '' and m[4] ~= ARGV[6] then return answer('diverged') end
    if entry and entry[2][2] ~= ARGV[6] then return answer('diverged') end
  end
end
if m[1] and known <= tip and m[7] == ARGV[2] then return answer('ok') end
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local about = ARGV[2] .. ' ' .. (m[2] or '') .. ' ' .. (m[3] or '')
local e = redis.call('HMGET', KEYS[3], 'about', 'started')
if e[1] ~= about then
  redis.call('DEL', KEYS[3], KEYS[4])
  redis.call('HSET', KEYS[3], 'about', about, 'started', string.format('%.0f', now))
  redis.call('PEXPIRE', KEYS[3], ARGV[9])
  e[2] = now
end
redis.call('ZADD', KEYS[4], known, ARGV[3])
local left = redis.call('PTTL', KEYS[3])
redis.call('PEXPIRE', KEYS[4], math.max(1, left))
local waited = now - tonumber(e[2])
if waited >= 0 and waited < tonumber(ARGV[7]) then return answer('wait', string.format('%.0f', tonumber(ARGV[7]) - waited)) end
local top = redis.call('ZREVRANGE', KEYS[4], 0, 0, 'WITHSCORES')
if tonumber(top[2]) > tip then
  if top[1] == ARGV[3] then return answer('refill') end
  return answer('await', top[1], top[2])
end
redis.call('DEL', KEYS[3], KEYS[4])
if m[1] then
  redis.call('HSET', KEYS[1], 'run', ARGV[2])
else
  m = {ARGV[1], ARGV[8], '0', '', '1', '[]'}
  redis.call('HSET', KEYS[1], 'format', ARGV[1], 'epoch', ARGV[8], 'run', ARGV[2], 'tip', '0', 'tipWrite', '', 'firstSeq', '1', 'cut', '1', 'lastEvent', '0', 'ancestors', '[]')
end
return answer('ok')
`);

/**
 * Puts a snapshot in the place of a log that lost entries, and begins a new epoch after it. Only for the replica the election chose, and only
 * while the log is as it was found: one replica wins, and nobody's later commits are overwritten.
 *
 * KEYS meta, log, events, election, claims, pieces. ARGV 1 format, 2 run, 3 replica, 4 found epoch or '', 5 found tip, 6 new epoch, 7 seq,
 * 8 writeId of that seq, 9 snapshot, 10 number of pieces, 11 ancestors, 12 channel, 13 number of events, 14 id of the newest event the state
 * knows of, then the events as id, bytes.
 */
export const REFILL = script(`
local m = redis.call('HMGET', KEYS[1], 'epoch', 'tip', 'lastEvent')
if (m[1] or '') ~= ARGV[4] or (m[2] or '0') ~= ARGV[5] then return 'changed' end
if redis.call('ZREVRANGE', KEYS[5], 0, 0)[1] ~= ARGV[3] then return 'beaten' end
if redis.call('HLEN', KEYS[6]) ~= tonumber(ARGV[10]) then return 'pieces' end
redis.call('UNLINK', KEYS[2])
local newest, lastEvent = tonumber(m[3] or '0'), tonumber(ARGV[14])
if newest > lastEvent then
  -- They tell of commits that are not part of the history any more.
  for _, event in ipairs(redis.call('XRANGE', KEYS[3], string.format('%.0f-0', lastEvent + 1), '+')) do redis.call('XDEL', KEYS[3], event[1]) end
  redis.call('XSETID', KEYS[3], string.format('%.0f-0', lastEvent))
end
for i = 0, tonumber(ARGV[13]) - 1 do
  local id = tonumber(ARGV[15 + 2 * i])
  if id > newest and id <= lastEvent then
    redis.call('XADD', KEYS[3], ARGV[15 + 2 * i] .. '-0', 'd', ARGV[16 + 2 * i])
    newest = id
  end
end
local first = string.format('%.0f', tonumber(ARGV[7]) + 1)
redis.call('HSET', KEYS[1], 'format', ARGV[1], 'epoch', ARGV[6], 'run', ARGV[2], 'tip', ARGV[7], 'tipWrite', ARGV[8], 'firstSeq', first,
  'cut', first, 'removed', first, 'lastEvent', string.format('%.0f', lastEvent), 'snapshot', ARGV[9], 'previousSnapshot', '', 'ancestors', ARGV[11])
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('PUBLISH', ARGV[12], ARGV[3] .. ' ' .. ARGV[6] .. ' ' .. ARGV[7] .. ' ' .. ARGV[8] .. '\\n')
return 'refilled'
`);
