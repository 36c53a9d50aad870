import {
  type Added,
  type Bucket,
  type CounterBucket,
  type CounterRange,
  type Counters,
  checkAddition,
  type FlushId,
  foldOf,
  RECORDERS_MAX,
} from '../counters.ts';

interface Kept {
  readonly counts: Map<string, number>;
  /** Recorder → number of its newest addition. */
  readonly recorders: Map<string, number>;
  nameBytes: number;
  dropped: number;
}

/** The counters that several stores in memory share: series → start → bucket. */
export type KeptCounters = Map<string, Map<number, Kept>>;

/** Counters in memory, for tests and simulations. Keeps the promises of `Counters`. */
export class MemoryCounters implements Counters {
  readonly #kept: KeptCounters;
  readonly #beforeUse: () => void | Promise<void>;

  constructor(kept: KeptCounters, beforeUse: () => void | Promise<void>) {
    this.#kept = kept;
    this.#beforeUse = beforeUse;
  }

  async add(bucket: Bucket, deltas: ReadonlyMap<string, number>, flush: FlushId): Promise<Added> {
    checkAddition(bucket, deltas, flush);
    await this.#beforeUse();
    const { series } = bucket;
    const kept = this.#bucket(bucket);
    const isSummed = series.fold !== 'max';
    const last = isSummed ? kept.recorders.get(flush.recorder) : undefined;
    if (last !== undefined && last >= flush.number) return { isNew: false, dropped: 0 };
    let dropped = 0;
    if (isSummed && last === undefined && kept.recorders.size >= RECORDERS_MAX) dropped = deltas.size;
    else {
      if (isSummed) kept.recorders.set(flush.recorder, flush.number);
      for (const [name, delta] of deltas) {
        const count = kept.counts.get(name);
        const bytes = kept.nameBytes + Buffer.byteLength(name);
        if (count !== undefined) kept.counts.set(name, foldOf(series, count, delta));
        else if (kept.counts.size >= series.namesMax || bytes > series.nameBytesMax) dropped++;
        else {
          kept.counts.set(name, foldOf(series, undefined, delta));
          kept.nameBytes = bytes;
        }
      }
    }
    kept.dropped += dropped;
    return { isNew: true, dropped };
  }

  async *read({ series, fromMs, toMs }: CounterRange): AsyncGenerator<CounterBucket, void, void> {
    await this.#beforeUse();
    const buckets = this.#kept.get(series.name) ?? new Map<number, Kept>();
    for (const startMs of [...buckets.keys()].sort((left, right) => left - right)) {
      if (startMs < fromMs || startMs >= toMs) continue;
      const { counts, dropped } = buckets.get(startMs) as Kept;
      yield { startMs, counts: new Map(counts), dropped };
    }
  }

  #bucket({ series, startMs }: Bucket): Kept {
    let buckets = this.#kept.get(series.name);
    if (!buckets) {
      buckets = new Map();
      this.#kept.set(series.name, buckets);
    }
    const known = buckets.get(startMs);
    if (known) return known;
    const made: Kept = { counts: new Map(), recorders: new Map(), nameBytes: 0, dropped: 0 };
    buckets.set(startMs, made);
    const starts = [...buckets.keys()].sort((left, right) => right - left);
    for (const excess of starts.slice(series.bucketsMax)) buckets.delete(excess);
    return made;
  }
}
