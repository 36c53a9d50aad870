import {
  type AdditionResult,
  type Bucket,
  type CounterBucket,
  type CounterRange,
  type Counters,
  checkAddition,
  type FlushId,
  foldOf,
  RECORDERS_MAX,
} from '../counters.ts';

interface StoredBucket {
  readonly counts: Map<string, number>;
  /** Recorder → number of its newest addition. */
  readonly recorders: Map<string, number>;
  nameBytes: number;
  dropped: number;
}

/** The counters that several stores in memory share: series → start → bucket. */
export type StoredCounters = Map<string, Map<number, StoredBucket>>;

/** Counters in memory, for tests and simulations. Keeps the promises of `Counters`. */
export class MemoryCounters implements Counters {
  readonly #stored: StoredCounters;
  readonly #beforeUse: () => void | Promise<void>;

  constructor(stored: StoredCounters, beforeUse: () => void | Promise<void>) {
    this.#stored = stored;
    this.#beforeUse = beforeUse;
  }

  async add(bucket: Bucket, deltas: ReadonlyMap<string, number>, flush: FlushId): Promise<AdditionResult> {
    checkAddition(bucket, deltas, flush);
    await this.#beforeUse();
    const { series } = bucket;
    const stored = this.#bucket(bucket);
    const isSummed = series.fold !== 'max';
    const last = isSummed ? stored.recorders.get(flush.recorder) : undefined;
    if (last !== undefined && last >= flush.number) return { isNew: false, dropped: 0 };
    let dropped = 0;
    if (isSummed && last === undefined && stored.recorders.size >= RECORDERS_MAX) dropped = deltas.size;
    else {
      if (isSummed) stored.recorders.set(flush.recorder, flush.number);
      for (const [name, delta] of deltas) {
        const count = stored.counts.get(name);
        const bytes = stored.nameBytes + Buffer.byteLength(name);
        if (count !== undefined) stored.counts.set(name, foldOf(series, count, delta));
        else if (stored.counts.size >= series.namesMax || bytes > series.nameBytesMax) dropped++;
        else {
          stored.counts.set(name, foldOf(series, undefined, delta));
          stored.nameBytes = bytes;
        }
      }
    }
    stored.dropped += dropped;
    return { isNew: true, dropped };
  }

  async *read({ series, fromMs, toMs }: CounterRange): AsyncGenerator<CounterBucket, void, void> {
    await this.#beforeUse();
    const buckets = this.#stored.get(series.name) ?? new Map<number, StoredBucket>();
    for (const startMs of [...buckets.keys()].sort((left, right) => left - right)) {
      if (startMs < fromMs || startMs >= toMs) continue;
      const { counts, dropped } = buckets.get(startMs) as StoredBucket;
      yield { startMs, counts: new Map(counts), dropped };
    }
  }

  #bucket({ series, startMs }: Bucket): StoredBucket {
    let buckets = this.#stored.get(series.name);
    if (!buckets) {
      buckets = new Map();
      this.#stored.set(series.name, buckets);
    }
    const existing = buckets.get(startMs);
    if (existing) return existing;
    const created: StoredBucket = { counts: new Map(), recorders: new Map(), nameBytes: 0, dropped: 0 };
    buckets.set(startMs, created);
    const starts = [...buckets.keys()].sort((left, right) => right - left);
    for (const excess of starts.slice(series.bucketsMax)) buckets.delete(excess);
    return created;
  }
}
