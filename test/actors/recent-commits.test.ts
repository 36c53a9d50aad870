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
  /** As they were applied, with what the log holds of them being used for something else afterwards. */
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

  /** How many of them are known one by one. */
  const known = () => {
    const { seq } = replica.state;
    for (let from = 0; from < seq; from++) {
      const commits = following(from);
      if (commits) return commits.length;
    }
    return 0;
  };

  it('are known, from five hundred to a thousand of them, in order', () => {
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

  it('are what was applied, with what stood there before and after, wherever they are asked for from', () => {
    for (let count = 0; count < 1_300; count++) {
      const name = `flag-${(count * count) % 37}`;
      if (count % 5 === 4 && replica.state.get('features', name)) archiveFlag(name);
      else describeFlag(`as of ${count}`, name);
    }
    for (const seq of [505, 760, 999, 1_000, 1_001, 1_250, 1_299]) {
      expect(following(seq)).toEqual(applied.slice(seq));
    }
  });

  it('stay as they were when they were asked for', () => {
    for (let count = 0; count < 600; count++) describeFlag(String(count));
    const commits = recent.after(100);
    for (let count = 0; count < 3_000; count++) describeFlag(`later ${count}`);
    expect([...(commits ?? [])]).toEqual(applied.slice(100, 600));
    expect([...(commits ?? [])]).toEqual(applied.slice(100, 600));
  });

  it('are none after a commit that came without its bytes, or when another state took the place of this one', () => {
    describeFlag('first');
    replica.offer(commitOf(replica.state, [{ collection: 'features', key: 'described', entity: flag('described') }]));
    expect(known()).toBe(0);
    describeFlag('second');
    expect(known()).toBe(1);
  });

  it('are fewer the larger they are, so that what is kept stays the same', () => {
    for (let count = 0; count < 200; count++) describeFlag(String(count % 90).repeat(50_000));
    // Four megabytes of up to 100,000 characters are kept, half of them when there was no room for one more.
    expect(known()).toBeGreaterThan(18);
    expect(known()).toBeLessThan(45);
    describeFlag('x'.repeat(5_000_000));
    expect(known()).toBe(0);
    // What stood there before it is as large.
    describeFlag('short again');
    expect(known()).toBe(0);
    for (let count = 0; count < 20; count++) describeFlag(String(count));
    expect(known()).toBe(20);
  });
});
