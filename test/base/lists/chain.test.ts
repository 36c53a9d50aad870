import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Chain, Link } from '../../../src/base/lists/chain.ts';

class Thing extends Link {
  readonly number: number;

  constructor(number: number) {
    super();
    this.number = number;
  }
}

const numbersOf = (things: Iterable<Thing>) => [...things].map(({ number }) => number);

it('A chain has the same items as a set, in the same order, after any additions and removals', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20))), (leaving) => {
      const chain = new Chain<Thing>();
      const set = new Set<Thing>();
      for (const [number, left] of leaving.entries()) {
        if (left === null) {
          const thing = new Thing(number);
          chain.add(thing);
          set.add(thing);
        } else if (set.size > 0) {
          const thing = [...set][left % set.size] as Thing;
          chain.delete(thing);
          set.delete(thing);
        }
        expect(numbersOf(chain)).toEqual(numbersOf(set));
        expect(chain.size).toBe(set.size);
      }
    }),
  );
});

it('The current item can be removed, and others can be added, while a chain is iterated', () => {
  const chain = new Chain<Thing>();
  for (let number = 0; number < 4; number++) chain.add(new Thing(number));
  const reached: number[] = [];
  for (const thing of chain) {
    reached.push(thing.number);
    chain.delete(thing);
    if (thing.number === 1) chain.add(new Thing(4));
  }
  expect(reached).toEqual([0, 1, 2, 3, 4]);
  expect(chain.size).toBe(0);
});

it('An iteration ends when its next item was removed, and a removed item has no references to others', () => {
  const chain = new Chain<Thing>();
  const things = [0, 1, 2].map((number) => new Thing(number));
  for (const thing of things) chain.add(thing);
  const reached: number[] = [];
  for (const { number } of chain) {
    reached.push(number);
    if (number === 0) chain.delete(things[1] as Thing);
  }
  expect(reached).toEqual([0]);
  expect([things[1]?.before, things[1]?.after]).toEqual([things[1], things[1]]);
  expect(numbersOf(chain)).toEqual([0, 2]);
});
