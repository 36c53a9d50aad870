import type { History } from './history.ts';
import type { Keys } from './keys.ts';
import { script } from './session.ts';

/** The number of events per key of the index that older versions stored beside the events. */
const KEY_EVENTS = 4_096;

/** The number of keys that are removed at a time. */
const SLICE_KEYS = 512;

/** The size of the audit log includes these keys, so it is measured again. KEYS audit log, keys to remove. */
const REMOVE = script(`
local removed = redis.call('UNLINK', unpack(KEYS, 2))
if removed > 0 then redis.call('HDEL', KEYS[1], 'epoch') end
return removed
`);

/**
 * Removes the index of audit events that older versions stored. Older replicas that run beside this one build it again from the events; the next
 * start removes the keys that they store after this call. Returns the number of removed keys. @throws StoreError
 */
export async function removeOldIndex(history: History, keys: Keys): Promise<number> {
  const newest = await history.attempt('read the newest audit event', async ({ session }) =>
    Number(await session.command('HGET', keys.meta, 'lastEvent')),
  );
  let removed = 0;
  for (let page = 0; page * KEY_EVENTS <= newest; page += SLICE_KEYS) {
    const count = Math.min(SLICE_KEYS, Math.floor(newest / KEY_EVENTS) + 1 - page);
    const oldKeys = Array.from({ length: count }, (_, index) => keys.oldIndex(page + index));
    removed += await history.attempt('remove the index of an older version', async ({ session }) =>
      Number(await session.run(REMOVE, [keys.auditLog, ...oldKeys], [])),
    );
  }
  return removed;
}
