import { keyedCollection } from './collection.ts';

/** A number that only grows, so that ids are never given twice, not even after the last entity was removed. */
export interface Counter {
  readonly value: number;
}

export const counters = keyedCollection<Counter>({ schema: 1 });

declare module './collection.ts' {
  interface CollectionTable {
    readonly counters: typeof counters;
  }
}
