import { expect, it } from 'vitest';
import { Replica } from '../../src/actors/replica.ts';
import { Snapshotter } from '../../src/actors/snapshotter.ts';
import { Writer } from '../../src/actors/writer.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { systemCaller } from '../../src/model/caller.ts';
import type { ChangeRequest } from '../../src/model/change-request.ts';
import { APPLIED_AT_ONCE_MAX, State } from '../../src/state/state.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';

const BY = systemCaller().author;

/** One that says of its only change that it has so many bytes. */
function request(bytes: number): ChangeRequest {
  const change = {
    ...{ id: 1, action: 'archiveFeature' as const, feature: 'flag', segment: null, usesSegments: [], basis: null },
    ...{ command: 'archive-features', input: {}, bytes, createdBy: BY, createdAt: '' },
  };
  return {
    ...{ id: 1, title: '', project: 'default', environment: 'production', state: 'Draft', minApprovals: 1 },
    ...{ changes: [change], approvals: [], rejections: [], comments: [], schedule: null, createdBy: BY, createdAt: '' },
    closedAt: null,
  };
}

it('A snapshot is taken when change requests have put much into the log, however few commits that took', async () => {
  const store = new MemoryStore();
  await store.open();
  const replica = new Replica(new State(), store);
  const writer = new Writer(replica, store, systemClock, silentLogger);
  const snapshotter = new Snapshotter(replica, store, silentLogger, 0, { everyCommits: 1_000_000 });
  const write = (bytes: number) =>
    writer.submit({ decide: ({ draft }) => draft.put('changeRequests', request(bytes)) }, undefined, BY);
  for (const bytes of [100_000_000, 100_000_000, 1_000]) await write(bytes);
  const taken = async () => (await store.loadSnapshot())?.info.seq;
  expect(await taken()).toBeUndefined();
  await write(60_000_000);
  await expect.poll(taken, { timeout: 30_000 }).toBe(4);
  // What is in the snapshot counts no more.
  await write(100_000_000);
  await snapshotter.close();
  expect(await taken()).toBe(4);
});

it('and when large commits have put many entities into it', async () => {
  const store = new MemoryStore();
  await store.open();
  const replica = new Replica(new State(), store);
  const writer = new Writer(replica, store, systemClock, silentLogger);
  const snapshotter = new Snapshotter(replica, store, silentLogger, 0, { everyCommits: 1_000_000 });
  const write = (count: number) =>
    writer.submit(
      {
        decide: ({ draft }) => {
          for (let id = 0; id < count; id++) {
            const constraint = { contextName: 'userId', operator: 'IN' as const, values: [String(Math.random())] };
            const facts = { description: null, project: null, createdBy: '', createdAt: '' };
            draft.put('segments', { id, name: String(id), constraints: [constraint], ...facts });
          }
        },
      },
      undefined,
      BY,
    );
  const taken = async () => (await store.loadSnapshot())?.info.seq;
  await write(5_000);
  // Small ones are bounded by their number alone.
  for (let index = 0; index < 60; index++) await write(APPLIED_AT_ONCE_MAX);
  expect(await taken()).toBeUndefined();
  await write(5_000);
  // What comes while one is taken is in none: it is looked at again when that one is there.
  await write(10_000);
  await expect.poll(taken, { timeout: 30_000 }).toBe(63);
  await snapshotter.close();
});
