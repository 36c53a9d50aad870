import { type KeysOf, NO_KEYS } from '../model/collection.ts';
import type { Entity } from './collections.ts';
import { EntityKeys } from './entity-keys.ts';

type ReadonlyEntityKeys = Iterable<string> & Pick<EntityKeys, 'size' | 'asNow'>;

/** Whether the keys are equal. After nearly every change of an entity they are, so this check comes first. */
export function areSame(left: readonly string[], right: readonly string[]): boolean {
  if (left === right) return true;
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at++) if (left[at] !== right[at]) return false;
  return true;
}

/** Each key once: an entity that has a key twice is one entity under it. */
export function distinct(keys: readonly string[]): Iterable<string> {
  return keys.length < 2 ? keys : new Set(keys);
}

/** One secondary index: for each index key, the keys of the entities. */
export class Index {
  readonly #keysOf: KeysOf<Entity>;
  readonly #entityKeys = new Map<string, EntityKeys>();

  constructor(keysOf: KeysOf<Entity>) {
    this.#keysOf = keysOf;
  }

  /** The keys of the entities under `key`. This is the live set, so do not store it. */
  entityKeys(key: string): ReadonlyEntityKeys | undefined {
    return this.#entityKeys.get(key);
  }

  replace(entityKey: string, before: Entity | undefined, after: Entity | undefined): void {
    this.replaceKeys(entityKey, before ? this.#keysOf(before) : NO_KEYS, after ? this.#keysOf(after) : NO_KEYS);
  }

  /** Same as `replace`, with the keys of both entities. */
  replaceKeys(entityKey: string, before: readonly string[], after: readonly string[]): void {
    if (areSame(before, after)) return;
    for (const key of before) if (!after.includes(key)) this.#remove(key, entityKey);
    for (const key of after) if (!before.includes(key)) this.#add(key, entityKey);
  }

  #add(key: string, entityKey: string): void {
    let entityKeys = this.#entityKeys.get(key);
    if (!entityKeys) {
      entityKeys = new EntityKeys();
      this.#entityKeys.set(key, entityKeys);
    }
    entityKeys.add(entityKey);
  }

  #remove(key: string, entityKey: string): void {
    const entityKeys = this.#entityKeys.get(key);
    if (!entityKeys) return;
    entityKeys.remove(entityKey);
    if (entityKeys.size === 0) this.#entityKeys.delete(key);
  }
}

/** Total weight of the entities under each key of one index. Integers, so the sum does not depend on the order of additions. */
export class Sums {
  readonly #keysOf: KeysOf<Entity>;
  readonly #weigh: (entity: Entity) => number;
  readonly #sums = new Map<string, number>();

  constructor(keysOf: KeysOf<Entity>, weigh: (entity: Entity) => number) {
    this.#keysOf = keysOf;
    this.#weigh = weigh;
  }

  of(key: string): number {
    return this.#sums.get(key) ?? 0;
  }

  replace(before: Entity | undefined, after: Entity | undefined): void {
    if (before) this.#add(before, -1);
    if (after) this.#add(after, 1);
  }

  #add(entity: Entity, sign: 1 | -1): void {
    const weight = this.#weigh(entity) * sign;
    for (const key of distinct(this.#keysOf(entity))) {
      const sum = this.of(key) + weight;
      if (sum === 0) this.#sums.delete(key);
      else this.#sums.set(key, sum);
    }
  }
}
