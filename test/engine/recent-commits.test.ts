import { beforeEach, describe, expect, it } from 'vitest';
import { RecentCommits } from '../../src/engine/recent-commits.ts';
import { Replica } from '../../src/engine/replica.ts';
import { type Change, encodeCommit } from '../../src/state/commit.ts';
import { type AppliedCommit, State } from '../../src/state/state.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { flag } from '../support/admin.ts';
import { commitOf } from '../support/random-state.ts';

describe('the newest commits of a replica', () => {
  let replica: Replica;
  let recent: RecentCommits;
  /** The commits as they were applied. The bytes of their log entries are overwritten afterwards. */
  let applied: AppliedCommit[];

  beforeEach(() => {
    replica = new Replica(new State(), new MemoryStore());
    recent = new RecentCommits(replica);
    applied = [];
    replica.onApplied((one) => applied.push(one));
  });

  const change = (changes: readonly Change[]) => {
    const commit = commitOf(replica.state, changes);
    const bytes = Buffer.from(encodeCommit(commit));
    expect(replica.offer(commit, { seq: commit.seq, bytes })).toBe(true);
    bytes.fill(0xff);
  };

  const describeFlag = (description: string, name = 'described') =>
    change([{ collection: 'features', key: name, entity: { ...flag(name), description } }]);

  const archiveFlag = (name: string) => change([{ collection: 'features', key: name }]);

  const following = (seq: number) => {
    const commits = recent.after(seq);
    return commits && [...commits];
  };

  /** The number of commits that are kept. */
  const known = () => {
    const { seq } = replica.state;
    for (let from = 0; from < seq; from++) {
      const commits = following(from);
      if (commits) return commits.length;
    }
    return 0;
  };

  it('are kept in order, between 500 and 1,000 of them', () => {
    const counts: number[] = [];
    for (let count = 0; count < 2_500; count++) {
      describeFlag(String(count));
      if (count % 50 === 0) counts.push(known());
    }
    expect(counts[9]).toBe(451);
    expect(Math.min(...counts.slice(10))).toBeGreaterThanOrEqual(500);
    expect(Math.max(...counts)).toBeLessThanOrEqual(1_000);
    expect(following(2_498)?.map(({ commit }) => commit.seq)).toEqual([2_499, 2_500]);
    expect(following(2_500)).toBeNull();
    expect(following(3_000)).toBeNull();
  });

  it('are the applied commits, with the entities before and after them, from any seq on', () => {
    for (let count = 0; count < 1_300; count++) {
      const name = `flag-${(count * count) % 37}`;
      if (count % 5 === 4 && replica.state.get('features', name)) archiveFlag(name);
      else describeFlag(`as of ${count}`, name);
    }
    for (const seq of [505, 760, 999, 1_000, 1_001, 1_250, 1_299]) {
      expect(following(seq)).toEqual(applied.slice(seq));
    }
  });

  it('do not change after they were returned', () => {
    for (let count = 0; count < 600; count++) describeFlag(String(count));
    const commits = recent.after(100);
    for (let count = 0; count < 3_000; count++) describeFlag(`later ${count}`);
    expect([...(commits ?? [])]).toEqual(applied.slice(100, 600));
    expect([...(commits ?? [])]).toEqual(applied.slice(100, 600));
  });

  it('are none after a commit that came without its bytes', () => {
    describeFlag('first');
    replica.offer(commitOf(replica.state, [{ collection: 'features', key: 'described', entity: flag('described') }]));
    expect(known()).toBe(0);
    describeFlag('second');
    expect(known()).toBe(1);
  });

  it('are fewer if they are larger, so that their total size is bounded', () => {
    for (let count = 0; count < 200; count++) describeFlag(String(count % 90).repeat(50_000));
    // Four megabytes of commits with up to 100,000 characters are kept. Half of them are dropped when another one does not fit.
    expect(known()).toBeGreaterThan(18);
    expect(known()).toBeLessThan(45);
    describeFlag('x'.repeat(5_000_000));
    expect(known()).toBe(0);
    // The entity before this commit is as large.
    describeFlag('short again');
    expect(known()).toBe(0);
    for (let count = 0; count < 20; count++) describeFlag(String(count));
    expect(known()).toBe(20);
  });
});
