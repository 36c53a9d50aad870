import { script } from './session.ts';

/**
 * `removeBeyond(key, newest)` removes everything after the id `newest` from a stream, so that the next id can be added again. The removed records
 * were added by a script that failed, and never became part of the history.
 */
export const REMOVE_BEYOND = `
local function removeBeyond(key, newest)
  local beyond = redis.call('XRANGE', key, '(' .. newest .. '-0', '+')
  for _, entry in ipairs(beyond) do redis.call('XDEL', key, entry[1]) end
  if redis.call('XLEN', key) == 0 then
    redis.call('DEL', key)
    return
  end
  local set = redis.pcall('XSETID', key, newest .. '-0')
  if set.err and string.find(set.err, 'max_deleted_entry_id', 1, true) then
    -- Since Redis 7.2, a stream cannot go back to an id before a removed one. These two steps reset what it knows of removed ids.
    redis.call('XSETID', key, '9007199254740991-0', 'ENTRIESADDED', redis.call('XLEN', key), 'MAXDELETEDID', '0-1')
    set = redis.pcall('XSETID', key, newest .. '-0')
  end
  if set.err then error(set.err) end
end
`;

/**
 * `makeEmpty(key, newest)` makes an empty stream whose next id is after `newest`, if there is no such key. While there are ids of audit events, their
 * key always exists, even if all of them were dropped: a missing key means that the audit log was lost (lost-events.ts).
 */
export const MAKE_EMPTY = `
local function makeEmpty(key, newest)
  if tonumber(newest) < 1 or redis.call('TYPE', key).ok ~= 'none' then return end
  redis.call('XADD', key, 'MAXLEN', '0', newest .. '-0', 'd', '')
end
`;

/**
 * Compare-and-append: the batch is appended whole, if the history, the server run and the tip are the ones that the writer knows. A batch whose
 * answer was lost is recognised by its writeId when it is sent again. A script is not rolled back, and any command in it may be refused, so one write
 * decides: the HSET that moves the tip. Entries and events beyond the tip are not valid, and the next append removes them. After that write nothing
 * can fail: an error means that nothing was appended. Redis writes its append-only file before it sends answers and messages, so neither reports
 * anything that is not durable yet.
 *
 * KEYS meta, log, events. ARGV 1 format, 2 epoch, 3 run, 4 expected tip, 5 writeId of that tip or '', 6 writeId, 7 sender, 8 '1' when the append
 * waits for replicas, 9 channel, 10 most bytes of entries in a hint, 11 number of entries, 12 number of events, then the entries' bytes, then the
 * events as id, bytes. Answers `appended`, `conflict tip seen?`, `stale` (check the history again) or `events newest`.
 */
export const APPEND = script(`${REMOVE_BEYOND}${MAKE_EMPTY}
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'tip', 'tipWrite', 'lastEvent', 'firstSeq')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
local tip, expected = tonumber(m[4]), tonumber(ARGV[4])
if tip > expected then
  local id = string.format('%.0f-0', expected + 1)
  local earlier = redis.call('XRANGE', KEYS[2], id, id)[1]
  if earlier and earlier[2][2] == ARGV[6] then
    if ARGV[8] == '1' then redis.call('HSET', KEYS[1], 'touched', ARGV[6]) end
    return {'appended'}
  end
  return {'conflict', m[4], earlier and 'seen' or 'gone'}
end
if tip ~= expected then return {'conflict', m[4], 'seen'} end
if ARGV[5] ~= '' and m[5] ~= '' and m[5] ~= ARGV[5] then return {'stale'} end
-- A log that lost entries must not be continued as if it began here.
if redis.call('XLEN', KEYS[2]) < expected - tonumber(m[7]) + 1 then return {'stale'} end
-- An audit log that was lost must not be continued as if it began here.
if tonumber(m[6]) > 0 and redis.call('TYPE', KEYS[3]).ok == 'none' then return {'stale'} end
local entries, events = tonumber(ARGV[11]), tonumber(ARGV[12])
local firstEvent = 13 + entries
if events > 0 and tonumber(ARGV[firstEvent]) <= tonumber(m[6]) then return {'events', m[6]} end
local bytes, lengths = 0, {}
for i = 1, entries do
  local content = ARGV[12 + i]
  local id = string.format('%.0f-0', expected + i)
  local added = redis.pcall('XADD', KEYS[2], id, 'w', ARGV[6], 'd', content)
  if i == 1 and added.err and string.find(added.err, 'equal or smaller', 1, true) then
    -- Events first: as long as the log has entries beyond the tip, the next append gets here again.
    removeBeyond(KEYS[3], m[6])
    if events == 0 then makeEmpty(KEYS[3], m[6]) end
    removeBeyond(KEYS[2], ARGV[4])
    added = redis.pcall('XADD', KEYS[2], id, 'w', ARGV[6], 'd', content)
  end
  if added.err then return added end
  bytes = bytes + #content
  lengths[i] = #content
end
local lastEvent = m[6]
for i = 0, events - 1 do
  lastEvent = ARGV[firstEvent + 2 * i]
  redis.call('XADD', KEYS[3], lastEvent .. '-0', 'd', ARGV[firstEvent + 2 * i + 1])
end
local newTip = string.format('%.0f', expected + entries)
local hint = ARGV[7] .. ' ' .. ARGV[2] .. ' ' .. newTip .. ' ' .. ARGV[6]
if bytes <= tonumber(ARGV[10]) then
  hint = hint .. ' ' .. table.concat(lengths, ',') .. '\\n' .. table.concat(ARGV, '', 13, 12 + entries)
else
  hint = hint .. '\\n'
end
redis.call('HSET', KEYS[1], 'tip', newTip, 'tipWrite', ARGV[6], 'lastEvent', lastEvent)
redis.pcall('PUBLISH', ARGV[9], hint)
return {'appended'}
`);

/**
 * A range of the log or of the events, without the records after the history's end, if the history is still the one that the reader follows.
 * KEYS meta, stream. ARGV format, epoch, run, first id, last id or '+', most, '1' for newest first, field of the newest id. Answers `ok tip firstSeq
 * tipWrite range` or `stale`.
 */
export const READ = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'tip', 'firstSeq', 'tipWrite', ARGV[8])
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
local last = ARGV[5]
if last == '+' or tonumber(last) > tonumber(m[7]) then last = m[7] end
last = last .. '-0'
local range
if ARGV[7] == '1' then range = redis.call('XREVRANGE', KEYS[2], last, ARGV[4] .. '-0', 'COUNT', ARGV[6])
else range = redis.call('XRANGE', KEYS[2], ARGV[4] .. '-0', last, 'COUNT', ARGV[6]) end
return {'ok', m[4], m[5], m[6], range}
`);

/**
 * Whether an append would be accepted: the server accepts writes, the keys that an append writes have the right types, and this user may use every
 * command that it needs. The rights to remove are checked only when a failed append left entries beyond the tip, which the next append must remove.
 * Changes nothing, except before Redis 7: there, rights cannot be queried, so a key is written and removed.
 * KEYS meta, log, events, probe. Answers `ok` or why an append would be refused.
 */
export const PROBE = script(`
local function refusal(commands)
  for _, command in ipairs(commands) do
    if not redis.acl_check_cmd(unpack(command)) then return 'NOPERM this user may not ' .. command[1] .. ' ' .. command[2] end
  end
end
-- First, because an error of a script does not say which command is not allowed.
local refused = redis.acl_check_cmd and refusal({
  {'HMGET', KEYS[1], 'tip'}, {'HSET', KEYS[1], 'tip', '0'},
  {'XLEN', KEYS[2]}, {'XRANGE', KEYS[2], '-', '+'}, {'XADD', KEYS[2], '1-0', 'd', ''}, {'XADD', KEYS[3], '1-0', 'd', ''},
})
if refused then return refused end
redis.call('XADD', KEYS[4], 'NOMKSTREAM', '1-0', 'd', '')
for i, type in ipairs({'hash', 'stream', 'stream'}) do
  local found = redis.call('TYPE', KEYS[i]).ok
  if found ~= type and found ~= 'none' then return 'WRONGTYPE ' .. KEYS[i] .. ' is a ' .. found .. ', and should be a ' .. type end
end
if not redis.acl_check_cmd then
  redis.call('HSET', KEYS[4], 'tip', '')
  redis.call('DEL', KEYS[4])
  return 'ok'
end
local tip = redis.call('HMGET', KEYS[1], 'tip')[1] or '0'
if #redis.call('XRANGE', KEYS[2], '(' .. tip .. '-0', '+', 'COUNT', 1) == 0 then return 'ok' end
local removals = {}
for i = 2, 3 do
  for _, command in ipairs({{'XRANGE', KEYS[i], '-', '+'}, {'XLEN', KEYS[i]}, {'XDEL', KEYS[i], '1-0'}, {'XSETID', KEYS[i], '1-0'}, {'DEL', KEYS[i]}}) do
    removals[#removals + 1] = command
  end
end
return refusal(removals) or 'ok'
`);
