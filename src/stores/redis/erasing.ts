import { randomUUID } from 'node:crypto';
import { STALE } from './confirmed-session.ts';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import type { Reply } from './session.ts';
import { script } from './session.ts';
import { toPointer } from './snapshot-pieces.ts';

/** The number of log entries that one script copies. It blocks the server for about a millisecond. */
const SLICE_ENTRIES = 64;
/** The lifetime of an abandoned copy, in milliseconds. */
const ABANDONED_MS = 60_000;

/**
 * One slice of writing the log again. A stream keeps the bytes of removed and trimmed entries until a whole node of it is removed, and its dumps
 * contain them. So the remaining entries are copied into a new stream, which replaces the log in the last slice. Of trimmed entries that wait for
 * their removal, only the writeId is copied: by it, a writer whose answer was lost finds its batch.
 * KEYS meta, log, copy. ARGV format, epoch, run, entries per slice, lifetime in ms. Answers `more`, `done` or `stale`.
 */
const COPY_LOG = script(`
local m = redis.call('HMGET', KEYS[1], 'format', 'epoch', 'run', 'firstSeq', 'tip')
if m[1] ~= ARGV[1] or m[2] ~= ARGV[2] or m[3] ~= ARGV[3] then return 'stale' end
local first, most = tonumber(m[4]), tonumber(ARGV[4])
local last = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1)[1]
local entries = redis.call('XRANGE', KEYS[2], last and '(' .. last[1] or '-', m[5] .. '-0', 'COUNT', most)
for _, entry in ipairs(entries) do
  local seq = tonumber(string.match(entry[1], '^%d+'))
  redis.call('XADD', KEYS[3], entry[1], 'w', entry[2][2], 'd', seq < first and '' or entry[2][4])
end
if #entries == most then
  redis.call('PEXPIRE', KEYS[3], ARGV[5])
  return 'more'
end
if redis.call('EXISTS', KEYS[3]) == 1 then
  redis.call('RENAME', KEYS[3], KEYS[2])
  redis.call('PERSIST', KEYS[2])
else
  redis.call('DEL', KEYS[2])
end
return 'done'
`);

/** Erases trimmed entries, and the snapshot before the current one, from the data and the dumps of Redis. @throws StoreError */
export async function eraseTrimmed(history: History, keys: Keys): Promise<void> {
  const id = randomUUID();
  for (let answer = 'more'; answer !== 'done'; ) {
    answer = await history.attempt('erase the trimmed entries', async ({ session, guard }) => {
      // A copy belongs to one history in one run of the server. In another run, a new copy is begun, and the previous copy expires.
      const copy = keys.erasing(`${id}:${guard.join(':')}`);
      const args = [...guard, SLICE_ENTRIES, ABANDONED_MS];
      const reply = String(await session.run(COPY_LOG, [keys.meta, keys.log, copy], args));
      return reply === 'stale' ? STALE : reply;
    });
  }
  await history.attempt('erase the previous snapshot', async ({ session }) => {
    const [previous, json] = (await session.command('HMGET', keys.meta, 'previousSnapshot', 'snapshot')) as Reply[];
    const previousId = String(previous ?? '');
    if (previousId === '' || previousId === toPointer(json === null ? null : String(json))?.id) return;
    await session.command('UNLINK', keys.pieces(previousId));
    await session.command('SREM', keys.snapshots, previousId);
  });
}
