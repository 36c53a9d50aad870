import { MAKE_EMPTY, REMOVE_BEYOND } from './append-scripts.ts';
import { script } from './session.ts';

/**
 * The query of a replica after it connected, and at every poll. It returns the position of the server's history, and the positions that replicas
 * reported. It changes nothing and decides nothing: `recoveryActionOf` decides from the answer.
 *
 * KEYS meta, log, election, lines, events, pieces of the snapshot. ARGV 1 run, 2 known seq, 3 epoch that is followed or '', 4 the server's
 * replication id or '', 5 the snapshot that the pieces are of. Answers `replicated` when the replication id has changed: the data may be that of
 * another server. Else {confirmed?, format, epoch, tip, tipWrite, firstSeq, ancestors or false when the epoch is followed already, writeId of the
 * entry at the known seq, ms since the first reported position, version of the reported positions, a text about missing parts of the history, current
 * snapshot, the server's time in ms, `gone` if the audit log is lost or else its last noted loss, how many keys the server has evicted, reported
 * positions…}, with false for each value that does not exist. Only pieces of the snapshot in ARGV are checked.
 */
export const LOOK = script(`
if ARGV[4] ~= '' and string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)') ~= ARGV[4] then return {'replicated'} end
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'tip', 'tipWrite', 'firstSeq', 'ancestors', 'run', 'snapshot', 'lastEvent', 'eventsLost')
local known, there = tonumber(ARGV[2]), false
if m[1] and known > 0 then
  local id = string.format('%.0f-0', known)
  local entry = redis.call('XRANGE', KEYS[2], id, id)[1]
  if entry then there = entry[2][2] elseif m[3] == ARGV[2] then there = m[4] end
end
local function count(key, type, command)
  return redis.call('TYPE', key).ok == type and redis.call(command, key) or 0
end
local missing, snapshot = false, m[8] and m[8] ~= '' and cjson.decode(m[8]) or {seq = 0, pieceCount = 0}
if not m[1] then
  if redis.call('EXISTS', KEYS[2], KEYS[5]) > 0 then missing = 'the description of its log is missing' end
elseif count(KEYS[2], 'stream', 'XLEN') < tonumber(m[3]) - tonumber(m[5]) + 1 then missing = 'entries of its log are missing'
elseif tonumber(m[5]) > (snapshot.seq or 0) + 1 then missing = 'its snapshot is missing'
elseif snapshot.id == ARGV[5] and count(KEYS[6], 'hash', 'HLEN') < snapshot.pieceCount then missing = 'pieces of its snapshot are missing' end
local confirmed = m[1] and m[7] == ARGV[1]
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local audit = m[1] and tonumber(m[9] or '0') > 0 and redis.call('TYPE', KEYS[5]).ok == 'none' and 'gone' or m[10]
local evicted = string.match(redis.call('INFO', 'stats'), 'evicted_keys:(%d+)') or '0'
local facts = {confirmed and 1 or 0, m[1], m[2], m[3], m[4], m[5], m[6], there, false, false, missing, snapshot.id or false, string.format('%.0f', now), audit, evicted}
if confirmed then
  if m[2] == ARGV[3] then facts[7] = false end
  return facts
end
local e = redis.call('HMGET', KEYS[3], 'about', 'started', 'version')
if e[1] ~= ARGV[1] .. ' ' .. (m[2] or '') .. ' ' .. (m[3] or '0') then return facts end
facts[9] = string.format('%.0f', math.max(0, now - tonumber(e[2])))
facts[10] = e[3]
for _, claim in ipairs(redis.call('HVALS', KEYS[4])) do facts[#facts + 1] = claim end
return facts
`);

/**
 * Reports the position of a replica, if the server's history still ends where it was found. Withdraws the confirmation of a confirmed run: no replica
 * appends until the replicas have agreed once more. Reported positions expire, so that the position of a dead replica does not block the others for
 * ever.
 *
 * KEYS meta, election, lines. ARGV 1 run, 2 found epoch or '', 3 found tip, 4 replica, 5 its position, 6 how long reported positions last in ms.
 */
export const REPORT_POSITION = script(`
local m = redis.call('HMGET', KEYS[1], 'epoch', 'tip', 'run')
if (m[1] or '') ~= ARGV[2] or (m[2] or '0') ~= ARGV[3] then return 'changed' end
if m[1] and m[3] ~= '' then redis.call('HSET', KEYS[1], 'run', '') end
local about = ARGV[1] .. ' ' .. ARGV[2] .. ' ' .. ARGV[3]
if redis.call('HGET', KEYS[2], 'about') ~= about then
  redis.call('DEL', KEYS[2], KEYS[3])
  local time = redis.call('TIME')
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  redis.call('HSET', KEYS[2], 'about', about, 'started', string.format('%.0f', now), 'version', '0')
  redis.call('PEXPIRE', KEYS[2], ARGV[6])
end
if redis.call('HGET', KEYS[3], ARGV[4]) ~= ARGV[5] then
  redis.call('HSET', KEYS[3], ARGV[4], ARGV[5])
  redis.call('HINCRBY', KEYS[2], 'version', 1)
  redis.call('PEXPIRE', KEYS[3], math.max(1, redis.call('PTTL', KEYS[2])))
end
return 'claimed'
`);

/**
 * Begins a new epoch of the server's history as it is, or of an empty one, if the history and the reported positions are still those of the decision.
 *
 * KEYS meta, election, lines. ARGV 1 format, 2 run, 3 found epoch or '', 4 found tip, 5 version of the reported positions, 6 new epoch,
 * 7 ancestors, 8 channel, 9 replica.
 */
export const CONFIRM = script(`
local m = redis.call('HMGET', KEYS[1], 'epoch', 'tip', 'tipWrite')
if (m[1] or '') ~= ARGV[3] or (m[2] or '0') ~= ARGV[4] then return 'changed' end
local e = redis.call('HMGET', KEYS[2], 'about', 'version')
if e[1] ~= ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] or e[2] ~= ARGV[5] then return 'changed' end
if not m[1] then
  redis.call('HSET', KEYS[1], 'tip', '0', 'tipWrite', '', 'firstSeq', '1', 'lastEvent', '0')
end
redis.call('HSET', KEYS[1], 'format', ARGV[1], 'epoch', ARGV[6], 'run', ARGV[2], 'ancestors', ARGV[7])
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('PUBLISH', ARGV[8], ARGV[9] .. ' ' .. ARGV[6] .. ' ' .. (m[2] or '0') .. ' ' .. ((m[3] and m[3] ~= '') and m[3] or '-') .. '\\n')
return 'confirmed'
`);

/**
 * Replaces a log that lost entries by a snapshot, and begins a new epoch after it, if the log and the reported positions are still those of the
 * decision. One replica wins, and no later commits are overwritten. After it, the newest audit event is the newest one of the state, and the next
 * event follows it.
 *
 * KEYS meta, log, events, election, lines, pieces. ARGV 1 format, 2 run, 3 replica, 4 found epoch or '', 5 found tip, 6 new epoch, 7 seq, 8 writeId
 * of that seq, 9 snapshot, 10 number of pieces, 11 ancestors, 12 channel, 13 number of events, 14 id of the newest event of the state, 15 version of
 * the reported positions, then the events as id, bytes.
 */
export const REFILL = script(`${REMOVE_BEYOND}${MAKE_EMPTY}
local m = redis.call('HMGET', KEYS[1], 'epoch', 'tip', 'lastEvent')
if (m[1] or '') ~= ARGV[4] or (m[2] or '0') ~= ARGV[5] then return 'changed' end
local e = redis.call('HMGET', KEYS[4], 'about', 'version')
if e[1] ~= ARGV[2] .. ' ' .. ARGV[4] .. ' ' .. ARGV[5] or e[2] ~= ARGV[15] then return 'changed' end
if redis.call('HLEN', KEYS[6]) ~= tonumber(ARGV[10]) then return 'pieces' end
redis.call('UNLINK', KEYS[2])
local newest, lastEvent = tonumber(m[3] or '0'), tonumber(ARGV[14])
if not m[3] then
  local top = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
  newest = top and tonumber(string.match(top[1], '^%d+')) or 0
end
-- Later events belong to commits that are no longer part of the history, or to a refill that failed.
newest = math.min(newest, lastEvent)
-- The key is missing: every event was lost, so each one that is sent is put back.
if redis.call('TYPE', KEYS[3]).ok == 'none' then newest = 0 end
removeBeyond(KEYS[3], string.format('%.0f', newest))
for i = 0, tonumber(ARGV[13]) - 1 do
  local id = tonumber(ARGV[16 + 2 * i])
  if id > newest and id <= lastEvent then
    redis.call('XADD', KEYS[3], ARGV[16 + 2 * i] .. '-0', 'd', ARGV[17 + 2 * i])
    newest = id
  end
end
makeEmpty(KEYS[3], string.format('%.0f', lastEvent))
local first = string.format('%.0f', tonumber(ARGV[7]) + 1)
redis.call('HSET', KEYS[1], 'format', ARGV[1], 'epoch', ARGV[6], 'run', ARGV[2], 'tip', ARGV[7], 'tipWrite', ARGV[8], 'firstSeq', first,
  'cuts', '', 'removed', first, 'lastEvent', string.format('%.0f', lastEvent), 'snapshot', ARGV[9], 'previousSnapshot', '', 'ancestors', ARGV[11])
redis.call('DEL', KEYS[4], KEYS[5])
redis.call('PUBLISH', ARGV[12], ARGV[3] .. ' ' .. ARGV[6] .. ' ' .. ARGV[7] .. ' ' .. ARGV[8] .. '\\n')
return 'refilled'
`);
