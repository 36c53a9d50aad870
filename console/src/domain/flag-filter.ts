import { type FlagRow, isOnIn, isPotentiallyStale } from './flag-row.ts';

type FlagState = 'active' | 'stale' | 'potentially-stale';

/** What the list shows: every part must match, and one value of a part is enough. Empty parts match everything. */
export interface FlagFilter {
  readonly text: string;
  readonly projects: readonly string[];
  readonly types: readonly string[];
  readonly tags: readonly string[];
  readonly states: readonly string[];
  /** `environment:enabled` or `environment:disabled`, as the search of the API takes it. */
  readonly status: readonly string[];
  readonly favorites: boolean;
}

export const stateOf = (row: FlagRow): FlagState =>
  row.stale ? 'stale' : isPotentiallyStale(row) ? 'potentially-stale' : 'active';

/** All words must occur, in any order. */
function matcherOf(text: string): ((row: FlagRow) => boolean) | null {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return null;
  return ({ text: ofRow }) => {
    for (const word of words) if (!ofRow.includes(word)) return false;
    return true;
  };
}

const oneOf = (values: readonly string[], of: (row: FlagRow) => string) => {
  if (values.length === 0) return null;
  const set = new Set(values);
  return (row: FlagRow) => set.has(of(row));
};

/** A potentially stale flag is active, too. */
function stateMatcher(states: readonly string[]): ((row: FlagRow) => boolean) | null {
  if (states.length === 0) return null;
  const set = new Set(states);
  return (row) => {
    const state = stateOf(row);
    return set.has(state) || (state === 'potentially-stale' && set.has('active'));
  };
}

/** A flag is off where its project does not have the environment. */
function statusMatcher(status: readonly string[]): ((row: FlagRow) => boolean) | null {
  if (status.length === 0) return null;
  const asked = status.map((one) => {
    const at = one.lastIndexOf(':');
    return [one.slice(0, at), one.slice(at + 1) === 'enabled'] as const;
  });
  return (row) => asked.some(([name, enabled]) => (isOnIn(row, name) ?? false) === enabled);
}

export function filterRows(rows: readonly FlagRow[], filter: FlagFilter): readonly FlagRow[] {
  const tests = [
    oneOf(filter.projects, ({ project }) => project),
    oneOf(filter.types, ({ type }) => type),
    stateMatcher(filter.states),
    filter.tags.length === 0 ? null : (row: FlagRow) => filter.tags.some((tag) => row.tags.includes(tag)),
    statusMatcher(filter.status),
    filter.favorites ? ({ favorite }: FlagRow) => favorite : null,
    matcherOf(filter.text),
  ].filter((test) => test !== null);
  return tests.reduce((left, test) => left.filter(test), rows);
}

/** Filters the same rows again and again. A text that goes on with the last one is searched in what that one found: most keys are such. */
export function typedFilter(): typeof filterRows {
  let last: {
    readonly all: readonly FlagRow[];
    readonly filter: FlagFilter;
    readonly found: readonly FlagRow[];
  } | null = null;
  return (all, filter) => {
    const goesOn = last?.all === all && narrows(filter, last.filter);
    const found = filterRows(goesOn && last ? last.found : all, filter);
    last = { all, filter, found };
    return found;
  };
}

/** Whether it matches only rows that the other one matches: what is typed last goes on, and all else is the same. */
function narrows({ text, ...rest }: FlagFilter, { text: before, ...others }: FlagFilter): boolean {
  return text.startsWith(before) && JSON.stringify(rest) === JSON.stringify(others);
}

export const SORTS = ['name', 'project', 'type', 'createdAt', 'lastSeenAt'] as const;
export type Sort = (typeof SORTS)[number];

/** Rows come sorted by name, so equal values stay in the order of the names. `lastUse`: the flags that are not in it come first. */
export function sortRows(
  rows: readonly FlagRow[],
  by: Sort,
  isDescending: boolean,
  lastUse: ReadonlyMap<string, number>,
): readonly FlagRow[] {
  if (by === 'name') return isDescending ? [...rows].reverse() : rows;
  const direction = isDescending ? -1 : 1;
  const keyOf = (row: FlagRow) =>
    by === 'lastSeenAt' ? (lastUse.get(row.name) ?? -1) : by === 'createdAt' ? row.createdMs : row[by];
  return [...rows].sort((a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return left === right ? 0 : left < right ? -direction : direction;
  });
}
