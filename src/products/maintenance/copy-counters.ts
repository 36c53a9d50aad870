import { randomUUID } from 'node:crypto';
import { type Counters, DELTAS_MAX } from '../../stores/counters.ts';
import { SERIES } from './counter-series.ts';
import type { Location } from './location.ts';
import { existingStore } from './source.ts';

/**
 * Copies all counters into the store of a location, which must have no counters yet. The numbers of names that buckets have dropped are not copied.
 */
export async function copyCounters(
  from: Counters,
  location: Exclude<Location, { kind: 'file' }>,
  keyPrefix: string,
): Promise<void> {
  const store = await existingStore(location, keyPrefix);
  try {
    await store.open();
    const recorder = `copy-${randomUUID()}`;
    let number = 0;
    for (const series of SERIES) {
      for await (const { startMs, counts } of from.read({ series, fromMs: 0, toMs: Number.MAX_SAFE_INTEGER })) {
        const entries = [...counts];
        for (let at = 0; at < entries.length; at += DELTAS_MAX) {
          number++;
          await store.counters.add({ series, startMs }, new Map(entries.slice(at, at + DELTAS_MAX)), {
            recorder,
            number,
          });
        }
      }
    }
  } finally {
    await store.close();
  }
}
