/** Distinct values; undefined if there are none, so that an empty set allocates nothing. */
export type SmallSet<T> = T[] | Set<T> | undefined;

/** Maximum number of values in an array; more values are in a set. A small array is searched faster than a small set is built. */
const LISTED_MAX = 16;

const NONE: readonly never[] = [];

/** The set with this value. Changes the set that it gets. */
export function withValue<T>(values: SmallSet<T>, value: T): SmallSet<T> {
  if (!values) return [value];
  if (!Array.isArray(values)) return values.add(value);
  if (values.includes(value)) return values;
  if (values.length === LISTED_MAX) return new Set(values).add(value);
  values.push(value);
  return values;
}

export function valuesOf<T>(values: SmallSet<T>): readonly T[] {
  if (!values) return NONE;
  return Array.isArray(values) ? values : [...values];
}
