import { Mulberry32 } from '../mulberry32.ts';
import type { Steps } from '../yield-control.ts';

/** Number of items that are sorted or merged in one step. */
const STEP_ITEMS = 1_024;

/** Parts of columns with at most this many rows are sorted as a whole. */
const WHOLE_ROWS = 32;

/** Negative if `one` comes before `other`, positive if it comes after it. */
export type Order<Item> = (one: Item, other: Item) => number;

/** The order of names in lists: by UTF-16 code unit, so it does not depend on the locale of the machine. */
export const byText: Order<string> = (one, other) => (one === other ? 0 : one < other ? -1 : 1);

/** The names in the order of `byText`. */
export function sortedNames(names: Iterable<string>): Steps<string[]> {
  return sortedInSteps(names, byText);
}

/** The sorted items; equal items keep their order. Sorts runs and merges them, in steps. */
export function* sortedInSteps<Item>(items: Iterable<Item>, order: Order<Item>): Steps<Item[]> {
  let runs: Item[][] = [];
  let run: Item[] = [];
  for (const item of items) {
    run.push(item);
    if (run.length < STEP_ITEMS) continue;
    runs.push(run.sort(order));
    run = [];
    yield;
  }
  runs.push(run.sort(order));
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergeRuns(runs[index] as Item[], runs[index + 1] ?? [], order));
    }
    runs = merged;
  }
  return runs[0] as Item[];
}

/**
 * The first `count` items in this order, in steps; `count` is at least 1. An item after all of the first `count` items so far is skipped without being
 * sorted. In the worst order, every `count` items or more are sorted once, so the cost is that of sorting all.
 */
export function* firstInSteps<Item>(items: Iterable<Item>, order: Order<Item>, count: number): Steps<Item[]> {
  const candidatesMax = count + Math.max(count, STEP_ITEMS);
  let candidates: Item[] = [];
  /** The last of the first `count` items so far: an item after it is skipped. */
  let last: Item | undefined;
  let visitedCount = 0;
  for (const item of items) {
    if (++visitedCount % STEP_ITEMS === 0) yield;
    if (last !== undefined && order(item, last) >= 0) continue;
    candidates.push(item);
    if (candidates.length < candidatesMax) continue;
    candidates = (yield* sortedInSteps(candidates, order)).slice(0, count);
    last = candidates[count - 1];
  }
  return (yield* sortedInSteps(candidates, order)).slice(0, count);
}

function* mergeRuns<Item>(left: readonly Item[], right: readonly Item[], order: Order<Item>): Steps<Item[]> {
  const merged: Item[] = [];
  let leftIndex = 0;
  let rightIndex = 0;
  while (leftIndex < left.length || rightIndex < right.length) {
    const isLeftNext =
      leftIndex < left.length &&
      (rightIndex >= right.length || order(left[leftIndex] as Item, right[rightIndex] as Item) <= 0);
    merged.push((isLeftNext ? left[leftIndex++] : right[rightIndex++]) as Item);
    if (merged.length % STEP_ITEMS === 0) yield;
  }
  return merged;
}

/** Rows in columns. Their order is by key; rows with equal keys are ordered by rank. No two rows have the same rank. */
export interface Rows {
  readonly keys: Float64Array;
  readonly ranks: Int32Array;
  readonly length: number;
}

/** Numbers from 0 to below 1. */
type Draws = Pick<Mulberry32, 'next'>;

/**
 * Arranges the rows, in steps, so that the rows from `start` to `end` are those of the sorted rows, in order: a quicksort that leaves out the parts
 * outside of this range. Its pivots are drawn, so no order that occurs in practice is slow. The draws are the same each time, so an order can be made
 * that is: a part that was divided too often is sorted by `sortedInSteps`, which makes the worst case n log n.
 */
export function* arrangeInSteps(
  rows: Rows,
  start: number,
  end: number,
  draws: Draws = new Mulberry32(rows.length),
): Steps<void> {
  const divisionsMax = 2 * Math.ceil(Math.log2(rows.length + 1));
  const parts = [{ low: 0, high: rows.length - 1, divisions: 0 }];
  for (let part = parts.pop(); part; part = parts.pop()) {
    const { low, high, divisions } = part;
    if (low >= high || low >= end || high < start) continue;
    if (high - low < WHOLE_ROWS || divisions === divisionsMax) yield* sortPart(rows, low, high);
    else {
      const [left, right] = yield* divide(rows, low, high, middleOfThree(rows, low, high, draws));
      parts.push({ low, high: right, divisions: divisions + 1 }, { low: left, high, divisions: divisions + 1 });
    }
  }
}

function rowOrder({ keys, ranks }: Rows): Order<number> {
  return (one, other) => {
    const [key, otherKey] = [keys[one] as number, keys[other] as number];
    return key === otherKey ? (ranks[one] as number) - (ranks[other] as number) : key - otherKey;
  };
}

/** The middle one of three rows from `low` to `high` that are drawn. */
function middleOfThree(rows: Rows, low: number, high: number, draws: Draws): number {
  const drawn = Array.from({ length: 3 }, () => low + Math.floor(draws.next() * (high - low + 1)));
  return drawn.sort(rowOrder(rows))[1] as number;
}

function* sortPart(rows: Rows, low: number, high: number): Steps<void> {
  const { keys, ranks } = rows;
  const numbers = function* () {
    for (let row = low; row <= high; row++) yield row;
  };
  const sorted = yield* sortedInSteps(numbers(), rowOrder(rows));
  const sortedKeys = new Float64Array(sorted.length);
  const sortedRanks = new Int32Array(sorted.length);
  for (const [index, row] of sorted.entries()) {
    sortedKeys[index] = keys[row] as number;
    sortedRanks[index] = ranks[row] as number;
    if (index % STEP_ITEMS === 0) yield;
  }
  keys.set(sortedKeys, low);
  ranks.set(sortedRanks, low);
}

/**
 * Divides the rows from `low` to `high` by the row `pivot`, one of them. Afterwards no row up to the second returned number is after any row from the
 * first one on.
 */
function* divide(
  { keys, ranks }: Rows,
  low: number,
  high: number,
  pivot: number,
): Steps<[left: number, right: number]> {
  const [pivotKey, pivotRank] = [keys[pivot] as number, ranks[pivot] as number];
  let left = low;
  let right = high;
  let swaps = 0;
  while (left <= right) {
    for (; ; left++) {
      const key = keys[left] as number;
      if (key > pivotKey || (key === pivotKey && (ranks[left] as number) >= pivotRank)) break;
    }
    for (; ; right--) {
      const key = keys[right] as number;
      if (key < pivotKey || (key === pivotKey && (ranks[right] as number) <= pivotRank)) break;
    }
    if (left > right) break;
    const [key, rank] = [keys[left] as number, ranks[left] as number];
    keys[left] = keys[right] as number;
    ranks[left++] = ranks[right] as number;
    keys[right] = key;
    ranks[right--] = rank;
    if (++swaps % (8 * STEP_ITEMS) === 0) yield;
  }
  yield;
  return [left, right];
}

/** Index of the name in a list with this order, or `-1 - index` of its insertion point. `nameAt` returns the name at an index. */
export function searchName(length: number, nameAt: (index: number) => string, name: string): number {
  let low = 0;
  let high = length - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const candidate = nameAt(middle);
    if (candidate === name) return middle;
    if (candidate < name) low = middle + 1;
    else high = middle - 1;
  }
  return -1 - low;
}
