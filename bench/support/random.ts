import { Mulberry32 } from '../../src/base/mulberry32.ts';

/** The same seed gives the same flags on every machine. */
export class SeededRandom extends Mulberry32 {
  /** A whole number from 0 to `limit` − 1. */
  integer(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(items.length)] as T;
  }
}
