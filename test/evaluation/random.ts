import { Mulberry32 } from '../../src/base/mulberry32.ts';

/** A seeded random generator: the same seed makes the same world on every machine. */
export class Random extends Mulberry32 {
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Between `least` and `most` items, made one by one. */
  list<T>(least: number, most: number, make: (index: number) => T): T[] {
    return Array.from({ length: least + this.below(most - least + 1) }, (_, index) => make(index));
  }
}
