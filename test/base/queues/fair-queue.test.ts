import { expect, it } from 'vitest';
import { FairQueue } from '../../../src/base/queues/fair-queue.ts';

it('in a full queue the holder with the most items loses one to a holder with fewer, and to no other', () => {
  const queue = new FairQueue<string>(3);
  expect(['a1', 'a2', 'a3'].map((item) => queue.add('a', item))).toEqual([undefined, undefined, undefined]);
  expect(queue.add('a', 'a4')).toBe('a4');
  expect(queue.add('b', 'b1')).toBe('a3');
  // Two and one: a replacement would not make it fairer.
  expect(queue.add('b', 'b2')).toBe('b2');
  expect(queue.add('c', 'c1')).toBe('a2');
  expect(queue.add('d', 'd1')).toBe('d1');
  expect(queue.size).toBe(3);
});

it('holders are served in rotation, each with its oldest item first', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['a1', 'a2', 'a3']) queue.add('a', item);
  for (const item of ['b1', 'b2']) queue.add('b', item);
  queue.add('c', 'c1');
  queue.delete('a', 'a2');
  queue.delete('a', 'not held');
  expect(Array.from({ length: 6 }, () => queue.take())).toEqual(['a1', 'b1', 'c1', 'a3', 'b2', undefined]);
  expect(queue.size).toBe(0);
});

it('an item that is put first is taken before the other items of its holder, when the holder is served', () => {
  const queue = new FairQueue<string>(10);
  for (const item of ['a1', 'a2']) queue.add('a', item);
  queue.add('b', 'b1');
  queue.add('a', 'a0', true);
  queue.add('c', 'c1', true);
  expect(Array.from({ length: 5 }, () => queue.take())).toEqual(['a0', 'b1', 'c1', 'a1', 'a2']);
});
