import type { Steps } from './yield-control.ts';

/** Number of items that are sorted or merged in one step. */
const STEP_ITEMS = 1_024;

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

/** The first `count` items in this order, in steps. Later items are skipped without being sorted. `count` is at least 1. */
export function* firstInSteps<Item>(items: Iterable<Item>, order: Order<Item>, count: number): Steps<Item[]> {
  if (count > STEP_ITEMS) return (yield* sortedInSteps(items, order)).slice(0, count);
  let candidates: Item[] = [];
  /** The last of the first `count` items so far: an item after it is skipped. */
  let last: Item | undefined;
  let visitedCount = 0;
  for (const item of items) {
    if (++visitedCount % STEP_ITEMS === 0) yield;
    if (last !== undefined && order(item, last) >= 0) continue;
    candidates.push(item);
    if (candidates.length < 2 * STEP_ITEMS) continue;
    candidates = candidates.sort(order).slice(0, count);
    last = candidates[count - 1];
    yield;
  }
  return candidates.sort(order).slice(0, count);
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
