import { assert } from '../base/assert.ts';

/**
 * The port to counters: sums of many small amounts of little value each, such as how often a flag was requested in an hour. Counters are stored
 * beside the log and never go through it: adding is cheap, a crash may lose the newest additions, and the oldest sums are dropped.
 *
 * Every adapter promises:
 * - **An addition is made once.** An addition that is sent again, because its answer was lost, is recognised by its flush id and adds nothing. With
 *   `fold: 'max'`, a repeated addition is not recognised, but it changes nothing.
 * - **Additions commute**: the additions of several processes give the same sums, or the same largest numbers (`Series.fold`), in any order.
 * - **Everything is bounded** by the limits of the series: names and bytes per bucket, buckets per series. Names that do not fit are dropped, and the
 *   drops are counted.
 * - Sums are exact up to `Number.MAX_SAFE_INTEGER`, and do not grow beyond it.
 */
export interface Counters {
  /**
   * Adds all deltas (at most DELTAS_MAX) to a bucket. If this fails, no delta is added and it throws a StoreError: the same addition may be sent
   * again.
   */
  add(bucket: Bucket, deltas: ReadonlyMap<string, number>, flush: FlushId): Promise<AdditionResult>;
  /** The buckets that begin at `fromMs` or later and before `toMs`, oldest first. Additions under way may be included or not. */
  read(range: CounterRange): AsyncIterable<CounterBucket>;
}

/** Counters of one kind, with their limits. Defined once for each kind, the same in every process. */
export interface Series {
  /** Lower-case words with hyphens. */
  readonly name: string;
  /** How the numbers added to one name are combined: their sum (the default), or the largest of them, as for times. */
  readonly fold?: 'sum' | 'max';
  /** The time that one bucket covers. */
  readonly spanMs: number;
  /**
   * The number of newest buckets that are kept. With Redis, a bucket also expires if nothing was added to it for the time that all these buckets
   * cover.
   */
  readonly bucketsMax: number;
  /** The most names in one bucket, and the most bytes of all its names together. */
  readonly namesMax: number;
  readonly nameBytesMax: number;
}

export interface Bucket {
  readonly series: Series;
  /** When its span begins, in milliseconds since the epoch. */
  readonly startMs: number;
}

/** Identifies an addition: its recorder, and its number. A recorder numbers its additions to all buckets from 1 and sends them in that order. */
export interface FlushId {
  readonly recorder: string;
  readonly number: number;
}

export interface AdditionResult {
  /** False when the same addition was made before. */
  readonly isNew: boolean;
  /** Names that did not fit; their numbers are not kept. */
  readonly dropped: number;
  /**
   * Whether the bucket had no addition of this recorder before. If the recorder did add to it before, the store has lost those additions. Only stores
   * that can lose data set this, and only for sums.
   */
  readonly isFirst?: boolean;
}

export interface CounterRange {
  readonly series: Series;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface CounterBucket {
  readonly startMs: number;
  readonly counts: ReadonlyMap<string, number>;
  /** How often a name was dropped because it did not fit. */
  readonly dropped: number;
}

/** The most names in one addition. A store needs well under a millisecond for so many. */
export const DELTAS_MAX = 256;

/** The most bytes of one name, in UTF-8. */
export const NAME_BYTES_MAX = 500;

/** The most recorders that may add to one bucket. Each start of a process is one recorder, so the limit is reached by as many starts in one span. */
export const RECORDERS_MAX = 1_024;

/** The start of the bucket that `timeMs` is in. */
export function startOf({ spanMs }: Pick<Series, 'spanMs'>, timeMs: number): number {
  return Math.max(0, timeMs - (timeMs % spanMs));
}

/** The range of the newest buckets, including the current one. `buckets` is their number. */
export function newestBuckets(series: Series, nowMs: number, buckets: number): CounterRange {
  const startMs = startOf(series, nowMs);
  return { series, fromMs: Math.max(0, startMs - (buckets - 1) * series.spanMs), toMs: startMs + series.spanMs };
}

/** Checks an addition before it is sent. @throws InvariantError when it is not valid. */
export function checkAddition(
  { series, startMs }: Bucket,
  deltas: ReadonlyMap<string, number>,
  { recorder, number }: FlushId,
): void {
  assert(/^[a-z]+(-[a-z]+)*$/.test(series.name), `${series.name} is not a valid series name`);
  assert(Number.isSafeInteger(startMs) && startMs >= 0, `${startMs} is not a valid start of a bucket`);
  assert(/^[\x21-\x7e]{1,64}$/.test(recorder), 'a recorder has a short printable name');
  assert(Number.isSafeInteger(number) && number > 0, `${number} is not a valid flush number`);
  assert(deltas.size <= DELTAS_MAX, `${deltas.size} names in one addition`);
  for (const [name, delta] of deltas) {
    assert(name !== '' && Buffer.byteLength(name) <= NAME_BYTES_MAX, 'a name is empty or too long');
    assert(Number.isSafeInteger(delta), `${delta} cannot be added`);
  }
}

/** The number of a name after an addition. `count` is undefined when nothing was added to it before. */
export function foldOf({ fold }: Series, count: number | undefined, delta: number): number {
  if (fold === 'max') return count === undefined ? delta : Math.max(count, delta);
  return sumOf(count ?? 0, delta);
}

/** The sum, limited to the safe integers. */
export function sumOf(count: number, delta: number): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, count + delta));
}
