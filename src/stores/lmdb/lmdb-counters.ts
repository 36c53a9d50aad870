import { SERVICE } from '../../base/asking/asker.ts';
import { assert } from '../../base/assert.ts';
import { Slicer } from '../../base/yield-control.ts';
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
  type Series,
} from '../counters.ts';
import type { LmdbTableParts, LmdbTables } from './lmdb-environment.ts';

type CounterTable = LmdbTables['counters'];

/** The number of keys that one transaction removes. */
const REMOVAL_SLICE_KEYS = 256;
/** The bytes of a record's key and node header. */
const RECORD_OVERHEAD_BYTES = 64;

/** The last byte of a key's head: the kind of the record. The summary of a bucket is its first record. */
const SUMMARY = 0;
const RECORDER = 1;
const COUNT = 2;
const START_BYTES = 8;

interface Summary {
  names: number;
  nameBytes: number;
  recorders: number;
  dropped: number;
}

/**
 * Counters in a table of the environment. A key is the series, a zero byte, the start of the bucket, the kind of the record, and a name. So a bucket
 * is one range of keys, and an addition changes only the pages of its names.
 */
export class LmdbCounters implements Counters {
  readonly #parts: LmdbTableParts;

  constructor(parts: LmdbTableParts) {
    this.#parts = parts;
  }

  async add(bucket: Bucket, deltas: ReadonlyMap<string, number>, flush: FlushId): Promise<AdditionResult> {
    checkAddition(bucket, deltas, flush);
    let contentBytes = 4 * RECORD_OVERHEAD_BYTES;
    for (const name of deltas.keys()) contentBytes += 3 * name.length + RECORD_OVERHEAD_BYTES;
    let addition: AdditionResult & { readonly isNewBucket: boolean } = { isNew: false, dropped: 0, isNewBucket: false };
    await this.#parts.write({ contentBytes }, ({ counters }) => {
      addition = addTo(counters, bucket, deltas, flush);
    });
    if (addition.isNewBucket) await this.#dropExcess(bucket.series);
    return { isNew: addition.isNew, dropped: addition.dropped };
  }

  async *read({ series, fromMs, toMs }: CounterRange): AsyncGenerator<CounterBucket, void, void> {
    // One slicer for all buckets: many small buckets block the event loop for as long as a large one.
    const slicer = Slicer.of(SERVICE);
    for (const startMs of await this.#starts(series)) {
      if (startMs < fromMs || startMs >= toMs) continue;
      if (slicer.spent) await slicer.pause();
      yield await this.#readBucket(series, startMs, slicer);
    }
  }

  #readBucket(series: Series, startMs: number, slicer: Slicer): Promise<CounterBucket> {
    return this.#parts.read(async ({ counters: table }) => {
      const { dropped } = summaryOf(table.get(keyOf(series, startMs, SUMMARY))) ?? { dropped: 0 };
      const counts = new Map<string, number>();
      const head = keyOf(series, startMs, COUNT);
      const end = keyOf(series, startMs, COUNT + 1);
      for (let start: Buffer | null = head; start; ) {
        let next: Buffer | null = null;
        for (const { key, value } of table.getRange({ start, end })) {
          counts.set(key.toString('utf8', head.length), value.readDoubleLE(0));
          if (!slicer.spent) continue;
          next = Buffer.concat([key, Buffer.of(0)]);
          break;
        }
        start = next;
        if (start) await slicer.pause();
      }
      return { startMs, counts, dropped };
    });
  }

  /** The start times of all buckets of a series, ascending. */
  #starts(series: Series): Promise<number[]> {
    return this.#parts.read(async ({ counters: table }) => {
      const starts: number[] = [];
      const end = endOf(series);
      for (let from = 0; ; from = (starts.at(-1) ?? 0) + 1) {
        const [key] = table.getKeys({ start: keyOf(series, from, SUMMARY), end, limit: 1 });
        if (!key) return starts;
        starts.push(Number(key.readBigUInt64BE(series.name.length + 1)));
      }
    });
  }

  async #dropExcess(series: Series): Promise<void> {
    const starts = await this.#starts(series);
    for (const startMs of starts.slice(0, -series.bucketsMax)) {
      for (let hasMore = true; hasMore; ) {
        const range = { start: keyOf(series, startMs, SUMMARY), end: keyOf(series, startMs + 1, SUMMARY) };
        const keys = await this.#parts.read(async ({ counters: table }) => [
          ...table.getKeys({ ...range, limit: REMOVAL_SLICE_KEYS }),
        ]);
        hasMore = keys.length === REMOVAL_SLICE_KEYS;
        // The first key is the summary. It is removed last: then a bucket that is half removed after a crash is still found, and the next call
        // removes the rest.
        const [firstKey, ...otherKeys] = keys;
        const keysToRemove = hasMore || !firstKey ? otherKeys : [firstKey, ...otherKeys];
        await this.#parts.write({}, ({ counters }) => {
          for (const key of keysToRemove) counters.remove(key);
        });
      }
    }
  }
}

/** Adds within a transaction. Reads return the values from before the transaction, so each key is read before it is put. */
function addTo(
  table: CounterTable,
  { series, startMs }: Bucket,
  deltas: ReadonlyMap<string, number>,
  { recorder, number }: FlushId,
): AdditionResult & { readonly isNewBucket: boolean } {
  const storedSummary = table.get(keyOf(series, startMs, SUMMARY));
  const summary = summaryOf(storedSummary) ?? { names: 0, nameBytes: 0, recorders: 0, dropped: 0 };
  const recorderKey = keyOf(series, startMs, RECORDER, recorder);
  const isSummed = series.fold !== 'max';
  const last = isSummed ? table.get(recorderKey)?.readDoubleLE(0) : undefined;
  if (last !== undefined && last >= number) return { isNew: false, dropped: 0, isNewBucket: false };
  let dropped = 0;
  if (isSummed && last === undefined && summary.recorders >= RECORDERS_MAX) dropped = deltas.size;
  else {
    if (isSummed) {
      if (last === undefined) summary.recorders++;
      table.put(recorderKey, doubleBytes(number));
    }
    for (const [name, delta] of deltas) {
      const key = keyOf(series, startMs, COUNT, name);
      const count = table.get(key)?.readDoubleLE(0);
      const nameBytes = key.length - series.name.length - START_BYTES - 2;
      if (count === undefined) {
        if (summary.names >= series.namesMax || summary.nameBytes + nameBytes > series.nameBytesMax) {
          dropped++;
          continue;
        }
        summary.names++;
        summary.nameBytes += nameBytes;
      }
      table.put(key, doubleBytes(foldOf(series, count, delta)));
    }
  }
  summary.dropped += dropped;
  table.put(keyOf(series, startMs, SUMMARY), Buffer.from(JSON.stringify(summary)));
  return { isNew: true, dropped, isNewBucket: storedSummary === undefined };
}

function summaryOf(storedSummary: Buffer | undefined): Summary | undefined {
  return storedSummary && (JSON.parse(storedSummary.toString('utf8')) as Summary);
}

function keyOf({ name: series }: Series, startMs: number, kind: number, name = ''): Buffer {
  const nameAt = series.length + 1 + START_BYTES + 1;
  const key = Buffer.alloc(nameAt + Buffer.byteLength(name));
  key.write(series, 'latin1');
  key.writeBigUInt64BE(BigInt(startMs), series.length + 1);
  key[nameAt - 1] = kind;
  key.write(name, nameAt, 'utf8');
  return key;
}

/** The first key after the keys of the series. */
function endOf({ name }: Series): Buffer {
  assert(name !== '', 'a series has a name');
  return Buffer.concat([Buffer.from(name, 'latin1'), Buffer.of(1)]);
}

function doubleBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
}
