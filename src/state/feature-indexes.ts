import type { Feature } from '../model/feature.ts';
import { INDEXES, type IndexName } from './collections.ts';

/** Keeps the secondary indexes over features in step with the collection. */
export class FeatureIndexes {
  readonly #indexes = new Map<IndexName, Map<string, Set<string>>>();

  constructor() {
    for (const name of Object.keys(INDEXES) as IndexName[]) this.#indexes.set(name, new Map());
  }

  /** Names of the features under `key`; the live set: do not keep it. */
  names(index: IndexName, key: string): ReadonlySet<string> | undefined {
    return this.#indexes.get(index)?.get(key);
  }

  replace(before: Feature | undefined, after: Feature | undefined): void {
    for (const [name, entries] of this.#indexes) {
      const { keysOf } = INDEXES[name];
      const keysBefore = before ? keysOf(before) : [];
      const keysAfter = after ? keysOf(after) : [];
      if (before) for (const key of keysBefore) if (!keysAfter.includes(key)) remove(entries, key, before.name);
      if (after) for (const key of keysAfter) if (!keysBefore.includes(key)) add(entries, key, after.name);
    }
  }
}

function add(entries: Map<string, Set<string>>, key: string, name: string): void {
  const names = entries.get(key);
  if (names) names.add(name);
  else entries.set(key, new Set([name]));
}

function remove(entries: Map<string, Set<string>>, key: string, name: string): void {
  const names = entries.get(key);
  if (!names) return;
  names.delete(name);
  if (names.size === 0) entries.delete(key);
}
