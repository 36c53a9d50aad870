import { same } from '../domain/same.ts';
import type { Tagged } from './client.ts';
import { Failure, unreachable } from './failure.ts';
import { Sending, type Writing } from './sending.ts';

/**
 * Saves what `choose` makes of what was read. Null: others saved in between. A refused read is a refusal of the whole. `choose` is not
 * asynchronous, because a promise of a save would carry it out.
 */
const afterReading = <V, T>(readNow: () => Promise<V>, choose: (now: V) => Writing<T> | null): Writing<T> =>
  new Sending(async (sender) => {
    try {
      const writing = choose(await readNow());
      if (writing) return await writing.by(sender);
      return { ok: false, failure: new Failure({ status: 412, code: 'Changed', message: '' }) };
    } catch (error) {
      return { ok: false, failure: error instanceof Failure ? error : unreachable() };
    }
  });

/**
 * For objects without a tag: saves on condition that the object, read again, is as it was when `base` was read. A change of others between this read
 * and the write is not noticed.
 */
export const ifSame = <V, T>(readNow: () => Promise<V>, base: V, save: () => Writing<T>): Writing<T> =>
  afterReading(readNow, (now) => (same(now, base) ? save() : null));

/** Saves on condition that the object, read again, is as it was, and by its tag also on condition that it stays so until the write. */
export const ifUnchanged = <V, T>(
  readNow: () => Promise<Tagged<V>>,
  isSame: (now: V) => boolean,
  save: (etag: string | null) => Writing<T>,
): Writing<T> => afterReading(readNow, ({ value, etag }) => (isSame(value) ? save(etag) : null));
