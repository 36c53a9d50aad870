import type { Steps } from '../domain/steps.ts';

interface Named {
  readonly name: string;
}

const byName = (a: Named, b: Named) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Where the row with the name is in a list sorted by name, or -1. */
export function indexOfName(sorted: readonly Named[], name: string): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] as Named).name < name) from = middle + 1;
    else to = middle;
  }
  return sorted[from]?.name === name ? from : -1;
}

/** Two sorted lists without a common name, as one. */
function merged<Row extends Named>(left: readonly Row[], right: readonly Row[]): readonly Row[] {
  const [last, first] = [left.at(-1), right[0]];
  if (!last || !first || last.name < first.name) return left.concat(right);
  const rows: Row[] = [];
  let at = 0;
  for (const row of right) {
    for (let next = left[at]; next && next.name < row.name; next = left[at]) {
      rows.push(next);
      at++;
    }
    rows.push(row);
  }
  return rows.concat(left.slice(at));
}

/** Lists without a common name as one sorted list, a pause after each list. */
export function* mergedAll<Row extends Named>(lists: readonly Row[][]): Steps<readonly Row[]> {
  let left: readonly (readonly Row[])[] = lists;
  for (const list of lists) {
    list.sort(byName);
    yield;
  }
  while (left.length > 1) {
    const pairs: (readonly Row[])[] = [];
    for (let at = 0; at < left.length; at += 2) {
      pairs.push(merged(left[at] ?? [], left[at + 1] ?? []));
      yield;
    }
    left = pairs;
  }
  return left[0] ?? [];
}

/** A new list with rows replaced, added or (null) removed, sorted by name as before. Only what is added is sorted, not the whole list. */
export function withChanges<Row extends Named>(
  sorted: readonly Row[],
  changes: ReadonlyMap<string, Row | null>,
): readonly Row[] {
  const rows = [...sorted];
  const added: Row[] = [];
  const removed = new Set<Row>();
  for (const [name, row] of changes) {
    const at = indexOfName(sorted, name);
    if (at === -1) {
      if (row) added.push(row);
    } else if (row) rows[at] = row;
    else removed.add(rows[at] as Row);
  }
  const kept = removed.size === 0 ? rows : rows.filter((row) => !removed.has(row));
  return added.length === 0 ? kept : merged(kept, added.sort(byName));
}
