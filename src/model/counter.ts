import { keyedCollection } from './collection.ts';

/** A number that only grows, so an id is never used twice, not even after the last entity was deleted. */
export interface Counter {
  readonly value: number;
}

export const counters = keyedCollection<Counter>({ schema: 1 });

declare module './collection.ts' {
  interface CollectionTable {
    readonly counters: typeof counters;
  }
}
