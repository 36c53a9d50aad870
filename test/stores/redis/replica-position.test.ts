import { expect, it } from 'vitest';
import { begin, extend, ROOT } from '../../../src/stores/lineage.ts';
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

it('A position takes no entry that the followed line has in another epoch, or that no line is known to have', () => {
  const unknown = new ReplicaPosition(ROOT);
  expect(unknown.take('epoch', 1, 'early')).toBe(false);
  const before = extend(begin('before', ROOT), 2, 'second');
  const ownPosition = new ReplicaPosition(before);
  ownPosition.follow(begin('now', before));
  expect(ownPosition.take('before', 3, 'given up')).toBe(false);
  expect(ownPosition.take('now', 2, 'never there')).toBe(false);
  ownPosition.advance('before', 3, 'given up');
  expect([ownPosition.knownPosition, ownPosition.appliedPosition]).toEqual([before, before]);
  expect(ownPosition.take('now', 3, 'next')).toBe(true);
  expect(ownPosition.appliedPosition).toMatchObject({ epoch: 'now', seq: 3, writeId: 'next' });
});
