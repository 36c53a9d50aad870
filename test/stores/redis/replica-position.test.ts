import { expect, it } from 'vitest';
import { begin, ROOT } from '../../../src/stores/lineage.ts';
import { ReplicaPosition } from '../../../src/stores/redis/replica-position.ts';

it('The position of a replica does not go back when its own append is reported after it took a later commit', () => {
  const ownPosition = new ReplicaPosition(ROOT);
  ownPosition.follow(begin('epoch', ROOT));
  expect(ownPosition.take('epoch', 1, 'own')).toBe(true);
  expect(ownPosition.take('epoch', 2, 'of another')).toBe(true);
  ownPosition.advance('epoch', 1, 'own');
  expect(ownPosition.knownPosition).toEqual({ epoch: 'epoch', seq: 2, writeId: 'of another', ancestors: [] });
  ownPosition.advance('epoch', 3, 'next');
  expect([ownPosition.knownPosition.seq, ownPosition.appliedPosition.seq]).toEqual([3, 2]);
});
