import { script } from './session.ts';

/**
 * Compare-and-append: the batch is appended whole, if history, server run and tip are those the writer knows. A batch whose answer got
 * lost is recognised by its writeId when it is sent again. Every check comes before the first write, because a script is not rolled back.
 * Redis writes its append-only file before it sends answers and messages, so neither tells of anything that is not durable yet.
 *
 * KEYS meta, log, events, pages of facts. ARGV 1 format, 2 epoch, 3 run, 4 expected tip, 5 writeId of that tip or '', 6 writeId, 7 sender, 8 '1' when replicas
 * are waited for, 9 channel, 10 most bytes that ride along, 11 number of entries, 12 number of events, then the entries' bytes, then the
 * events as id, bytes, then their facts as number of the page's key, start, bytes. Answers `appended`, `conflict tip seen?`, `stale` (look at the history again) or `events newest`.
 */
export const APPEND = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'tip', 'tipWrite', 'lastEvent')
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
local entries, events = tonumber(ARGV[11]), tonumber(ARGV[12])
local firstEvent = 13 + entries
if events > 0 and tonumber(ARGV[firstEvent]) <= tonumber(m[6]) then return {'events', m[6]} end
local bytes, lengths = 0, {}
for i = 1, entries do
  local content = ARGV[12 + i]
  redis.call('XADD', KEYS[2], string.format('%.0f-0', expected + i), 'w', ARGV[6], 'd', content)
  bytes = bytes + #content
  lengths[i] = #content
end
local lastEvent = m[6]
for i = 0, events - 1 do
  lastEvent = ARGV[firstEvent + 2 * i]
  redis.call('XADD', KEYS[3], lastEvent .. '-0', 'd', ARGV[firstEvent + 2 * i + 1])
end
for i = firstEvent + 2 * events, #ARGV, 3 do redis.call('SETRANGE', KEYS[3 + ARGV[i]], ARGV[i + 1], ARGV[i + 2]) end
local newTip = string.format('%.0f', expected + entries)
redis.call('HSET', KEYS[1], 'tip', newTip, 'tipWrite', ARGV[6], 'lastEvent', lastEvent)
local head = ARGV[7] .. ' ' .. ARGV[2] .. ' ' .. newTip .. ' ' .. ARGV[6]
if bytes <= tonumber(ARGV[10]) then
  redis.call('PUBLISH', ARGV[9], head .. ' ' .. table.concat(lengths, ',') .. '\\n' .. table.concat(ARGV, '', 13, 12 + entries))
else
  redis.call('PUBLISH', ARGV[9], head .. '\\n')
end
return {'appended'}
`);

/**
 * A range of the log or of the events, if the history is still the reader's.
 * KEYS meta, stream. ARGV format, epoch, run, from, to, most, '1' for newest first. Answers `ok tip firstSeq tipWrite range` or `stale`.
 */
export const READ = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'tip', 'firstSeq', 'tipWrite')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return {'stale'} end
local range
if ARGV[7] == '1' then range = redis.call('XREVRANGE', KEYS[2], ARGV[5], ARGV[4], 'COUNT', ARGV[6])
else range = redis.call('XRANGE', KEYS[2], ARGV[4], ARGV[5], 'COUNT', ARGV[6]) end
return {'ok', m[4], m[5], m[6], range}
`);
