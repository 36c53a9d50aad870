import { describe, expect, it } from 'vitest';
import { Semaphore } from '../../../src/base/queues/semaphore.ts';

/** Takes units, notes the name when they are given, and returns a function that gives them back. */
function taker(semaphore: Semaphore) {
  const begun: string[] = [];
  const take = (name: string, units?: number, holder?: string) => {
    const taken = semaphore.take(units, holder).then((give) => {
      begun.push(name);
      return give;
    });
    return async () => (await taken)();
  };
  /** After all promises that are resolved now. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { begun, take, settled };
}

describe('a semaphore', () => {
  it('lets as many tasks run as it has units, and the others in order of arrival', async () => {
    const { begun, take, settled } = taker(new Semaphore(2));
    const [endA, endB] = [take('a'), take('b')];
    take('c');
    take('d');
    await settled();
    expect(begun).toEqual(['a', 'b']);
    await endB();
    await endB();
    await settled();
    expect(begun).toEqual(['a', 'b', 'c']);
    await endA();
    await settled();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('counts units: a large task waits for enough of them, and smaller ones do not pass it', async () => {
    const { begun, take, settled } = taker(new Semaphore(10));
    const endSmall = take('small', 4);
    const endLarge = take('large', 8);
    take('later', 1);
    await settled();
    expect(begun).toEqual(['small']);
    await endSmall();
    await settled();
    expect(begun).toEqual(['small', 'large', 'later']);
    await endLarge();
    await expect(new Semaphore(10).take(11)).rejects.toThrow('more units than exist');
  });

  it('serves holders in turns', async () => {
    const { begun, take, settled } = taker(new Semaphore(1));
    const ends = new Map([['first', take('first')]]);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) ends.set(name, take(name, 1, name[0]));
    for (let index = 0; index < ends.size; index++) {
      await settled();
      await ends.get(begun[index] ?? '')?.();
    }
    expect(begun).toEqual(['first', 'a1', 'a2', 'b1', 'c1', 'a3']);
  });
});
