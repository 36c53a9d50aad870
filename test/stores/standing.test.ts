import { expect, it } from 'vitest';
import { begin, ROOT } from '../../src/stores/lineage.ts';
import { Standing } from '../../src/stores/redis/standing.ts';

it('Where a replica stands does not go back when it hears late that it appended what it has taken, and more, already', () => {
  const standing = new Standing(ROOT);
  standing.follow(begin('epoch', ROOT));
  expect(standing.take('epoch', 1, 'own')).toBe(true);
  expect(standing.take('epoch', 2, 'of another')).toBe(true);
  standing.advance('epoch', 1, 'own');
  expect(standing.known).toEqual({ epoch: 'epoch', seq: 2, writeId: 'of another', ancestors: [] });
  standing.advance('epoch', 3, 'next');
  expect([standing.known.seq, standing.applied.seq]).toEqual([3, 2]);
});
