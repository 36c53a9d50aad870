import { randomUUID } from 'node:crypto';
import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import { STALE } from './line.ts';
import type { Reply } from './session.ts';
import { script } from './session.ts';
import { toPointer } from './snapshot-pieces.ts';

/** Log entries a script copies: it holds the server for about a millisecond. */
const SLICE_ENTRIES = 64;
/** How long the copy stays when nobody goes on with it. */
const ABANDONED_MS = 60_000;

/**
 * One slice of writing the log again. A stream keeps the bytes of entries that were removed, or trimmed, in its nodes until all of a node is
 * gone, and a dump of it holds them. So what is left is copied into a new stream, which takes the log's place in the last slice. Of entries
 * that were trimmed and wait for their removal, the writeId stays, by which a writer whose answer got lost finds its batch.
 * KEYS meta, log, copy. ARGV format, epoch, run, entries a slice, lifetime in ms. Answers `more`, `done` or `stale`.
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

/** Leaves nothing of trimmed entries, and of the snapshot before the current one, in what Redis holds and dumps. @throws StoreError */
export async function eraseTrimmed(history: History, keys: Keys): Promise<void> {
  const id = randomUUID();
  for (let answer = 'more'; answer !== 'done'; ) {
    answer = await history.attempt('erase what was trimmed', async ({ session, guard }) => {
      // A copy is of one history in one run of the server. In another one it is begun anew, and this one expires.
      const copy = keys.erasing(`${id}:${guard.join(':')}`);
      const args = [...guard, SLICE_ENTRIES, ABANDONED_MS];
      const reply = String(await session.run(COPY_LOG, [keys.meta, keys.log, copy], args));
      return reply === 'stale' ? STALE : reply;
    });
  }
  await history.attempt('erase the snapshot before', async ({ session }) => {
    const [previous, json] = (await session.command('HMGET', keys.meta, 'previousSnapshot', 'snapshot')) as Reply[];
    const before = String(previous ?? '');
    if (before === '' || before === toPointer(json === null ? null : String(json))?.id) return;
    await session.command('UNLINK', keys.pieces(before));
    await session.command('SREM', keys.snapshots, before);
  });
}
