import { same } from '../domain/same.ts';
import type { Written } from './client.ts';
import { Failure, unreachable } from './failure.ts';

/**
 * For objects without a tag: saves on condition that the object, read again, is as it was when `base` was read. A change of others between this read
 * and the write is not noticed.
 */
export async function ifSame<V, T>(
  readNow: () => Promise<V>,
  base: V,
  save: () => Promise<Written<T>>,
): Promise<Written<T>> {
  try {
    const now = await readNow();
    if (same(now, base)) return await save();
    return { ok: false, failure: new Failure({ status: 412, code: 'Changed', message: '' }) };
  } catch (error) {
    return { ok: false, failure: error instanceof Failure ? error : unreachable() };
  }
}
