import { expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Replica, recover } from '../../src/engine/replica.ts';
import { Snapshotter } from '../../src/engine/snapshotter.ts';
import { Writer } from '../../src/engine/writer.ts';
import { loadGuards } from '../../src/features/guards.ts';
import { systemCaller } from '../../src/model/caller.ts';
import type { ChangeRequest } from '../../src/model/change-request.ts';
import { APPLIED_AT_ONCE_MAX, State } from '../../src/state/state.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { SharedMemoryStore } from './shared-memory-store.ts';

const GUARDS = await loadGuards();

const BY = systemCaller().author;

/** A change request whose only change has this number of bytes. */
function request(bytes: number): ChangeRequest {
  const change = {
    id: 1,
    action: 'archiveFeature' as const,
    feature: 'flag',
    segment: null,
    usesSegments: [],
    basis: null,
    command: 'archive-features',
    input: {},
    bytes,
    createdBy: BY,
    createdAt: '',
  };
  return {
    id: 1,
    title: '',
    project: 'default',
    environment: 'production',
    state: 'Draft',
    minApprovals: 1,
    changes: [change],
    approvals: [],
    rejections: [],
    comments: [],
    schedule: null,
    createdBy: BY,
    createdAt: '',
    closedAt: null,
  };
}

it('A snapshot is taken when change requests have added many bytes to the log, in however few commits', async () => {
  const store = new MemoryStore();
  await store.open();
  const replica = new Replica(new State(), store);
  const writer = new Writer(replica, store, systemClock, silentLogger, { guards: GUARDS });
  const snapshotter = new Snapshotter(replica, store, silentLogger, 0, { everyCommits: 1_000_000 });
  const write = (bytes: number) =>
    writer.submit({ decide: ({ draft }) => draft.put('changeRequests', request(bytes)) }, undefined, BY);
  for (const bytes of [100_000_000, 100_000_000, 1_000]) await write(bytes);
  const taken = async () => (await store.loadSnapshot())?.info.seq;
  expect(await taken()).toBeUndefined();
  await write(60_000_000);
  await expect.poll(taken, { timeout: 30_000 }).toBe(4);
  // Commits in the snapshot no longer count.
  await write(100_000_000);
  await snapshotter.close();
  expect(await taken()).toBe(4);
});

it('A snapshot is taken when large commits have added many entities to the log', async () => {
  const store = new MemoryStore();
  await store.open();
  const replica = new Replica(new State(), store);
  const writer = new Writer(replica, store, systemClock, silentLogger, { guards: GUARDS });
  const snapshotter = new Snapshotter(replica, store, silentLogger, 0, { everyCommits: 1_000_000 });
  const write = (count: number) =>
    writer.submit(
      {
        decide: ({ draft }) => {
          for (let id = 0; id < count; id++) {
            const constraint = { contextName: 'userId', operator: 'IN' as const, values: [String(Math.random())] };
            const details = { description: null, project: null, createdBy: '', createdAt: '' };
            draft.put('segments', { id, name: String(id), constraints: [constraint], ...details });
          }
        },
      },
      undefined,
      BY,
    );
  const taken = async () => (await store.loadSnapshot())?.info.seq;
  await write(5_000);
  // Small commits count by their number only.
  for (let index = 0; index < 60; index++) await write(APPLIED_AT_ONCE_MAX);
  expect(await taken()).toBeUndefined();
  await write(5_000);
  // Commits during a snapshot are not in it: they are checked again after it.
  await write(10_000);
  await expect.poll(taken, { timeout: 30_000 }).toBe(63);
  await snapshotter.close();
});

it('The log of a killed process counts for the next process, which had to read it, and takes a snapshot', async () => {
  const store = new MemoryStore();
  const opening = await store.open();
  const killed = new Writer(new Replica(new State(), store), store, systemClock, silentLogger, { guards: GUARDS });
  for (let commit = 0; commit < 2; commit++) {
    await killed.submit(
      {
        decide: ({ draft }) => {
          for (let id = 0; id < 6_000; id++) draft.put('counters', { value: commit }, String(id));
        },
      },
      undefined,
      BY,
    );
  }
  const replica = await recover(store, opening, new State(), silentLogger);
  const snapshotter = new Snapshotter(replica, store, silentLogger, 0, { everyCommits: 1_000_000 });
  snapshotter.start();
  await snapshotter.close();
  expect((await store.loadSnapshot())?.info.seq).toBe(2);
  // The next process reads that snapshot, and needs no other one.
  const after = await recover(store, opening, new State(), silentLogger);
  expect(after.logWeight.isSnapshotDue).toBe(false);
});

/** A replica with a state of `seq` commits, and the shared store of it and other replicas. The test gives the answers about the newest snapshot. */
async function sharing(seq: number, everyCommits: number) {
  const store = new SharedMemoryStore();
  await store.open();
  const state = new State();
  state.seq = seq;
  const replica = new Replica(state, store);
  const answers: ((newestSeq: number) => void)[] = [];
  vi.spyOn(store, 'snapshotSeq').mockImplementation(() => new Promise((resolve) => answers.push(resolve)));
  return { store, state, answers, snapshotter: new Snapshotter(replica, store, silentLogger, 0, { everyCommits }) };
}

it('The commits after the newest snapshot of a shared store count, whichever replica took it', async () => {
  const { store, snapshotter, answers } = await sharing(9, 10);
  expect(snapshotter.commitsAfterSnapshot).toBe(9);
  snapshotter.start();
  answers[0]?.(7);
  await expect.poll(() => snapshotter.commitsAfterSnapshot).toBe(2);
  await snapshotter.close();
  await store.close();
});

it('The answer of a shared store does not count if a newer snapshot was taken, or another state loaded, meanwhile', async () => {
  const { store, state, snapshotter, answers } = await sharing(9, 10);
  snapshotter.start();
  expect((await snapshotter.snapshot())?.seq).toBe(9);
  answers[0]?.(7);
  await new Promise(setImmediate);
  expect(snapshotter.commitsAfterSnapshot).toBe(0);
  // Both histories have nine commits.
  snapshotter.start();
  const other = new State();
  other.seq = 9;
  state.replaceWith(other);
  answers[1]?.(3);
  await new Promise(setImmediate);
  expect(snapshotter.commitsAfterSnapshot).toBe(0);
  await snapshotter.close();
  await store.close();
});

it('A failed snapshot is retried without another commit, each time after twice the delay', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const store = new MemoryStore();
    await store.open();
    const replica = new Replica(new State(), store);
    const save = store.saveSnapshot.bind(store);
    let failing = true;
    const attempts = vi.spyOn(store, 'saveSnapshot').mockImplementation(async (seq, pieces) => {
      if (failing) throw new Error('the disk is full');
      return save(seq, pieces);
    });
    const snapshotter = new Snapshotter(replica, store, silentLogger, 0, { everyCommits: 1_000_000 });
    expect(await snapshotter.snapshot()).toBeUndefined();
    for (const waitMs of [5_000, 10_000, 20_000]) {
      const before = attempts.mock.calls.length;
      await vi.advanceTimersByTimeAsync(waitMs - 1);
      expect(attempts).toHaveBeenCalledTimes(before);
      await vi.advanceTimersByTimeAsync(1);
      expect(attempts).toHaveBeenCalledTimes(before + 1);
    }
    failing = false;
    await vi.advanceTimersByTimeAsync(40_000);
    await snapshotter.snapshot();
    const taken = attempts.mock.calls.length;
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(attempts).toHaveBeenCalledTimes(taken);
    // A closed snapshotter does not retry.
    failing = true;
    await snapshotter.snapshot();
    await snapshotter.close();
    await vi.advanceTimersByTimeAsync(24 * 3_600_000);
    expect(attempts).toHaveBeenCalledTimes(taken + 1);
  } finally {
    vi.useRealTimers();
  }
});
