import { randomUUID } from 'node:crypto';
import { SERIES } from '../../features/usage/series.ts';
import { type Counters, DELTAS_MAX } from '../../stores/counters.ts';
import type { Location } from './location.ts';
import { openStore } from './source.ts';

/**
 * Copies all counters into the store of a location. That store must have no counters: it was filled just before. The `dropped` number of a bucket
 * is not copied.
 */
export async function copyCounts(
  from: Counters,
  location: Exclude<Location, { kind: 'file' }>,
  keyPrefix: string,
): Promise<void> {
  const store = await openStore(location, keyPrefix);
  try {
    await store.open();
    const recorder = `copy-${randomUUID()}`;
    let number = 0;
    for (const series of SERIES) {
      for await (const { startMs, counts } of from.read({ series, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })) {
        const all = [...counts];
        for (let at = 0; at < all.length; at += DELTAS_MAX) {
          number++;
          await store.counters.add({ series, startMs }, new Map(all.slice(at, at + DELTAS_MAX)), { recorder, number });
        }
      }
    }
  } finally {
    await store.close();
  }
}
