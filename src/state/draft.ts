import { assert } from '../base/assert.ts';
import type { Feature } from '../model/feature.ts';
import {
  type CollectionName,
  type Collections,
  type Entity,
  INDEXES,
  type IndexName,
  type StateReader,
} from './collections.ts';
import type { Change } from './commit.ts';

/**
 * An overlay that reads through to what lies beneath and keeps its own changes to itself. The writer stacks one draft a command on one
 * draft a batch: a rejected command's draft is dropped and nothing of it remains; a batch that could not be made durable likewise.
 */
export class Draft implements StateReader {
  readonly #beneath: StateReader;
  /** collection → key → entity, or undefined for a removal. */
  readonly #overlay = new Map<CollectionName, Map<string, Entity | undefined>>();

  constructor(beneath: StateReader) {
    this.#beneath = beneath;
  }

  get<C extends CollectionName>(collection: C, key: string): Collections[C] | undefined {
    const overlay = this.#overlay.get(collection);
    if (overlay?.has(key)) return overlay.get(key) as Collections[C] | undefined;
    return this.#beneath.get(collection, key);
  }

  *values<C extends CollectionName>(collection: C): IterableIterator<Collections[C]> {
    const overlay = this.#overlay.get(collection);
    if (!overlay) return yield* this.#beneath.values(collection);
    for (const entity of this.#beneath.values(collection)) if (!overlay.has(keyOf(collection, entity))) yield entity;
    for (const entity of overlay.values()) if (entity !== undefined) yield entity as Collections[C];
  }

  *lookup(index: IndexName, key: string): IterableIterator<Feature> {
    const overlay = this.#overlay.get('features');
    for (const feature of this.#beneath.lookup(index, key)) if (!overlay?.has(feature.name)) yield feature;
    const { keysOf } = INDEXES[index];
    for (const entity of overlay?.values() ?? []) {
      if (entity !== undefined && keysOf(entity as Feature).includes(key)) yield entity as Feature;
    }
  }

  put<C extends CollectionName>(collection: C, entity: Collections[C], key = keyOf(collection, entity)): void {
    this.#layer(collection).set(key, entity);
  }

  remove(collection: CollectionName, key: string): void {
    assert(this.get(collection, key) !== undefined, `cannot remove ${collection}/${key}: it does not exist`);
    this.#layer(collection).set(key, undefined);
  }

  /** The next number of the counter, which is hereby used up. */
  next(counter: string): number {
    const value = (this.get('counters', counter)?.value ?? 0) + 1;
    this.put('counters', { value }, counter);
    return value;
  }

  /** What this draft would change, each entity once. */
  changes(): Change[] {
    const changes: Change[] = [];
    for (const [collection, entries] of this.#overlay) {
      for (const [key, entity] of entries) changes.push({ collection, key, entity } as Change);
    }
    return changes;
  }

  /** Takes over the changes of a draft that lies on this one. */
  absorb(changes: readonly Change[]): void {
    for (const { collection, key, entity } of changes) this.#layer(collection).set(key, entity);
  }

  #layer(collection: CollectionName): Map<string, Entity | undefined> {
    let layer = this.#overlay.get(collection);
    if (!layer) {
      layer = new Map();
      this.#overlay.set(collection, layer);
    }
    return layer;
  }
}

/** How each collection is keyed. Counters have no name of their own and are put with their key. */
function keyOf<C extends CollectionName>(collection: C, entity: Collections[C]): string {
  switch (collection) {
    case 'projects':
    case 'segments':
      return String((entity as Collections['projects'] | Collections['segments']).id);
    case 'apiTokens':
      return (entity as Collections['apiTokens']).secret;
    case 'counters':
      throw new Error('counters are put with their key');
    default:
      return (entity as { name: string }).name;
  }
}
