import { beforeEach, describe, expect, it } from 'vitest';
import { Replica } from '../../src/actors/replica.ts';
import { RecentCommits } from '../../src/actors/surplus.ts';
import { State } from '../../src/state/state.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { flag } from '../support/admin.ts';
import { commitOf } from '../support/random-state.ts';

describe('the newest commits of a replica', () => {
  let replica: Replica;
  let recent: RecentCommits;

  beforeEach(() => {
    replica = new Replica(new State(), new MemoryStore());
    recent = new RecentCommits(replica);
  });

  const describeFlag = (description: string) => {
    const entity = { ...flag('described'), description };
    replica.offer(commitOf(replica.state, [{ collection: 'features', key: 'described', entity }]));
  };

  /** How many of them are known one by one. */
  const known = () => {
    const { seq } = replica.state;
    for (let after = 0; after < seq; after++) {
      const commits = recent.after(after);
      if (commits) return commits.length;
    }
    return 0;
  };

  it('are known, the last thousand of them, in order', () => {
    for (let count = 0; count < 2_500; count++) describeFlag(String(count));
    expect(known()).toBe(1_000);
    expect(recent.after(2_498)?.map(({ commit }) => commit.seq)).toEqual([2_499, 2_500]);
    expect(recent.after(2_500)).toBeNull();
  });

  it('are fewer the larger they are, so that what is kept stays the same', () => {
    for (let count = 0; count < 100; count++) describeFlag(String(count).repeat(50_000));
    // Each keeps what stood there before it, of up to 100,000 characters; four megabytes are kept.
    expect(known()).toBeGreaterThan(20);
    expect(known()).toBeLessThan(45);
    // What it put there stands in the state: nothing is kept for it.
    describeFlag('x'.repeat(5_000_000));
    expect(known()).toBeGreaterThan(20);
    describeFlag('short again');
    expect(known()).toBe(0);
    for (let count = 0; count < 20; count++) describeFlag(String(count));
    expect(known()).toBe(20);
  });
});
