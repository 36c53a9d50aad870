import { assert } from '../base/assert.ts';

/**
 * The port to what is counted: sums of many small amounts, each worth little, such as how often a flag was asked for in an hour. It lies beside
 * the log and never goes through it: adding is cheap, a crash may lose the newest additions, and the oldest sums go by themselves.
 *
 * What every adapter promises:
 * - **An addition is made once.** One that is sent again, because its answer was lost, is recognised by its flush id and adds nothing. Where the
 *   largest number stays nothing needs to be recognised: there an addition is the same however often it is made.
 * - **Additions commute**: of several processes, in whatever order, they make the same sums, or the same largest numbers (`Series.fold`).
 * - **Everything is bounded**, by what the series states: names and bytes a bucket, buckets a series. What does not fit is dropped, and counted.
 * - Sums stay exact up to `Number.MAX_SAFE_INTEGER`, and stay there beyond it.
 */
export interface Counters {
  /** Adds to a bucket, all of it or, with a StoreError, none: then the same addition may be sent again. At most DELTAS_MAX of them. */
  add(bucket: Bucket, deltas: ReadonlyMap<string, number>, flush: FlushId): Promise<Added>;
  /** The buckets that begin from `fromMs` on and before `toMs`, oldest first. Additions under way may be in it or not. */
  read(range: CounterRange): AsyncIterable<CounterBucket>;
}

/** Counters of one kind, and what bounds them. Stated once for each kind, the same in every process. */
export interface Series {
  /** Lower-case words with hyphens. */
  readonly name: string;
  /** What becomes of the numbers added to one name: their sum, or the largest of them, as of times. Their sum when it is not said. */
  readonly fold?: 'sum' | 'max';
  /** Each bucket gathers as much time. */
  readonly spanMs: number;
  /** The newest ones are kept. With Redis they also expire when nothing was added for as long as all of them span. */
  readonly bucketsMax: number;
  /** Names in one bucket, and the bytes of all of them together. */
  readonly namesMax: number;
  readonly nameBytesMax: number;
}

export interface Bucket {
  readonly series: Series;
  /** When its span begins, in milliseconds since the epoch. */
  readonly startMs: number;
}

/** Names an addition. Who adds, and which of his additions to any bucket it is: he counts them from 1 and sends them in that order. */
export interface FlushId {
  readonly recorder: string;
  readonly number: number;
}

export interface Added {
  /** False: it had been made already. */
  readonly isNew: boolean;
  /** Names that found no place; what they counted is not kept. */
  readonly dropped: number;
  /**
   * Whether the bucket held nothing of this recorder before: of a recorder that had added to it, the store has lost that. Only stores that can lose
   * what they held say so, and only of sums.
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
  /** How often a name found no place in it. */
  readonly dropped: number;
}

/** Names in one addition: it takes a store well under a millisecond. */
export const DELTAS_MAX = 256;

/** Bytes of one name, in UTF-8. */
export const NAME_BYTES_MAX = 500;

/** Recorders that may add to one bucket. Each process is one, so it takes as many starts in one span to have no place. */
export const RECORDERS_MAX = 1_024;

/** When the bucket began that the time belongs to. */
export function startOf({ spanMs }: Pick<Series, 'spanMs'>, timeMs: number): number {
  return Math.max(0, timeMs - (timeMs % spanMs));
}

/** So many of the newest buckets, the one that is being filled among them. */
export function newest(series: Series, nowMs: number, buckets: number): CounterRange {
  const startMs = startOf(series, nowMs);
  return { series, fromMs: Math.max(0, startMs - (buckets - 1) * series.spanMs), toMs: startMs + series.spanMs };
}

/** @throws InvariantError when the addition is not one that may be sent. */
export function checkAddition(
  { series, startMs }: Bucket,
  deltas: ReadonlyMap<string, number>,
  { recorder, number }: FlushId,
): void {
  assert(/^[a-z]+(-[a-z]+)*$/.test(series.name), `${series.name} is no name of a series`);
  assert(Number.isSafeInteger(startMs) && startMs >= 0, `${startMs} is no start of a bucket`);
  assert(/^[\x21-\x7e]{1,64}$/.test(recorder), 'a recorder has a short printable name');
  assert(Number.isSafeInteger(number) && number > 0, `${number} is no number of a flush`);
  assert(deltas.size <= DELTAS_MAX, `${deltas.size} names in one addition`);
  for (const [name, delta] of deltas) {
    assert(name !== '' && Buffer.byteLength(name) <= NAME_BYTES_MAX, 'a name is empty or too long');
    assert(Number.isSafeInteger(delta), `${delta} cannot be added`);
  }
}

/** What a name stands at after an addition. `count` is undefined when nothing was added to it before. */
export function foldOf({ fold }: Series, count: number | undefined, delta: number): number {
  if (fold === 'max') return count === undefined ? delta : Math.max(count, delta);
  return sumOf(count ?? 0, delta);
}

/** The sum, as exact as it can be kept. */
export function sumOf(count: number, delta: number): number {
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(Number.MAX_SAFE_INTEGER, count + delta));
}
