import type { Steps } from './yield-control.ts';

/** Names that are sorted, or merged, in one step. */
const STEP_NAMES = 1_024;

/** The names in the order of lists: by UTF-16 code unit, the same on every machine whatever its locale. Sorted in steps: merging runs. */
export function* sortedNames(names: Iterable<string>): Steps<string[]> {
  let runs: string[][] = [];
  let run: string[] = [];
  for (const name of names) {
    run.push(name);
    if (run.length < STEP_NAMES) continue;
    runs.push(run.sort());
    run = [];
    yield;
  }
  runs.push(run.sort());
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergedRuns(runs[index] as string[], runs[index + 1] ?? []));
    }
    runs = merged;
  }
  return runs[0] as string[];
}

function* mergedRuns(left: readonly string[], right: readonly string[]): Steps<string[]> {
  const merged: string[] = [];
  let at = 0;
  let other = 0;
  while (at < left.length || other < right.length) {
    const [one, two] = [left[at], right[other]];
    if (two === undefined || (one !== undefined && one <= two)) {
      merged.push(one as string);
      at++;
    } else {
      merged.push(two);
      other++;
    }
    if (merged.length % STEP_NAMES === 0) yield;
  }
  return merged;
}

/** Where the name stands in a list sorted like this, or, as `-1 - index`, would stand. `nameAt` tells the name at an index. */
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
