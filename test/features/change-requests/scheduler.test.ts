import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { unavailable } from '../../../src/base/rejection.ts';
import { Replica } from '../../../src/engine/replica.ts';
import { Writer } from '../../../src/engine/writer.ts';
import { Scheduler } from '../../../src/features/change-requests/scheduler.ts';
import { loadGuards } from '../../../src/features/guards.ts';
import { setMaintenance } from '../../../src/features/instance/maintenance/commands.ts';
import { systemCaller } from '../../../src/model/caller.ts';
import type { ChangeRequest } from '../../../src/model/change-request.ts';
import { ROLE_ID } from '../../../src/model/role.ts';
import type { Draft } from '../../../src/state/draft.ts';
import { State } from '../../../src/state/state.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { user } from '../../access/people.ts';
import { flag } from '../../support/admin.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const GUARDS = await loadGuards();

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;
const PATIENT = { timeout: 15_000 };
const START = Date.parse('2026-01-01T00:00:00.000Z');
const BY = systemCaller().author;
/** The user that schedules all change requests. */
const SCHEDULER = 7;

let schedulers: Scheduler[] = [];
afterEach(async () => {
  for (const scheduler of schedulers) await scheduler.close();
  schedulers = [];
});

async function prepare() {
  const clock = new ManualClock(START);
  const store = new MemoryStore();
  await store.open();
  const replica = new Replica(new State(), store);
  const writer = new Writer(replica, store, clock, silentLogger, { guards: GUARDS });
  const submitted: unknown[] = [];
  let isAway = false;
  const scheduler = new Scheduler({
    replica,
    clock,
    logger: silentLogger,
    writer: {
      submit: (command, input, by) => {
        submitted.push(input);
        return isAway ? Promise.resolve(unavailable('away', 1)) : writer.submit(command, input, by);
      },
    },
  });
  schedulers.push(scheduler);
  const put = (change: (draft: Draft) => void) =>
    writer.submit({ decide: ({ draft }) => change(draft) }, undefined, BY);
  await put((draft) => {
    const project = {
      id: 'default',
      name: 'default',
      description: null,
      mode: 'open' as const,
      featureLimit: null,
    };
    const times = { createdAt: '', updatedAt: '', archivedAt: null };
    draft.put('projects', { ...project, ...times, defaultStickiness: 'default', environments: ['production'] });
    draft.put('environments', {
      name: 'production',
      type: 'production',
      enabled: true,
      protected: false,
      sortOrder: 1,
    });
    draft.put('features', flag('flag'));
    draft.put('users', user(SCHEDULER, { rootRole: ROLE_ID.admin }));
  });
  /** Stores a change request that switches the flag on at `atMs`. */
  const schedule = (id: number, atMs: number) => put((draft) => draft.put('changeRequests', request(id, atMs)));
  const stateOf = (id: number) => replica.state.get('changeRequests', String(id))?.state;
  const isApplied = (id: number) => expect.poll(() => stateOf(id), PATIENT).toBe('Applied');
  /** Lets all pending promises run. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const leave = (away: boolean) => {
    isAway = away;
  };
  const maintain = (enabled: boolean) => writer.submit(setMaintenance, { enabled }, BY);
  return { clock, replica, scheduler, submitted, schedule, stateOf, isApplied, settle, leave, maintain };
}

function request(id: number, atMs: number): ChangeRequest {
  const location = { project: 'default', environment: 'production' };
  const input = { ...location, names: ['flag'], enabled: true, activateDisabledStrategies: false };
  const change = {
    id,
    action: 'updateEnabled' as const,
    feature: 'flag',
    segment: null,
    usesSegments: [],
    basis: null,
    command: 'switch-features',
    input,
    bytes: 100,
    createdBy: BY,
    createdAt: '',
  };
  const scheduledAt = new Date(atMs).toISOString();
  return {
    id,
    ...location,
    title: '',
    state: 'Scheduled',
    minApprovals: 1,
    changes: [change],
    approvals: [{ by: BY, at: '' }],
    rejections: [],
    comments: [],
    schedule: { scheduledAt, status: 'pending', reason: null, by: BY, user: String(SCHEDULER) },
    createdBy: BY,
    createdAt: '',
    closedAt: null,
  };
}

describe('the scheduler', () => {
  it('applies each change request at its time, and not before', async () => {
    const { clock, scheduler, schedule, stateOf, isApplied, settle, submitted } = await prepare();
    scheduler.start();
    await schedule(1, START + 2 * MINUTE_MS);
    await schedule(2, START + 5 * MINUTE_MS);
    await settle();
    clock.advance(2 * MINUTE_MS - 1);
    await settle();
    expect([stateOf(1), submitted]).toEqual(['Scheduled', []]);
    clock.advance(1);
    await isApplied(1);
    expect(stateOf(2)).toBe('Scheduled');
    clock.advance(3 * MINUTE_MS);
    await isApplied(2);
    expect(submitted).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it('wakes when the next change request changes', async () => {
    const { clock, scheduler, schedule, isApplied, settle } = await prepare();
    await schedule(1, START + YEAR_MS);
    scheduler.start();
    await settle();
    await schedule(1, START + 1_000);
    await settle();
    clock.advance(1_000);
    await isApplied(1);
  });

  it('applies change requests at once that were due before it was started', async () => {
    const { clock, scheduler, schedule, isApplied } = await prepare();
    await schedule(1, START + MINUTE_MS);
    clock.advance(YEAR_MS);
    scheduler.start();
    await isApplied(1);
  });

  it('notices soon that the clock jumps ahead, and applies nothing twice when it jumps back', async () => {
    const { clock, scheduler, schedule, isApplied, settle, submitted, replica, stateOf } = await prepare();
    let jumpMs = 0;
    const now = clock.nowMs.bind(clock);
    clock.nowMs = () => now() + jumpMs;
    await schedule(1, START + YEAR_MS);
    await schedule(2, START + YEAR_MS + MINUTE_MS);
    scheduler.start();
    await settle();
    jumpMs = YEAR_MS;
    await settle();
    expect(stateOf(1)).toBe('Scheduled');
    // No timer is longer than this.
    clock.advance(30_000);
    await isApplied(1);
    jumpMs = -YEAR_MS;
    const { seq } = replica.state;
    for (let looks = 0; looks < 5; looks++) {
      clock.advance(30_000);
      await settle();
    }
    expect([replica.state.seq, submitted, stateOf(2)]).toEqual([seq, [{ id: 1 }], 'Scheduled']);
  });

  it('retries a change request that cannot be written, until it can', async () => {
    const { clock, scheduler, schedule, isApplied, settle, leave, submitted, stateOf } = await prepare();
    leave(true);
    await schedule(1, START);
    scheduler.start();
    await expect.poll(() => submitted.length, PATIENT).toBe(1);
    for (let tries = 2; tries <= 4; tries++) {
      await settle();
      clock.advance(1_000);
      await expect.poll(() => submitted.length, PATIENT).toBe(tries);
    }
    expect(stateOf(1)).toBe('Scheduled');
    leave(false);
    await settle();
    clock.advance(1_000);
    await isApplied(1);
  });

  it('submits nothing in maintenance mode, and continues as soon as that ends', async () => {
    const { clock, scheduler, schedule, isApplied, settle, submitted, maintain } = await prepare();
    await schedule(1, START + MINUTE_MS);
    scheduler.start();
    await maintain(true);
    for (let looks = 0; looks < 5; looks++) {
      clock.advance(MINUTE_MS);
      await settle();
    }
    expect(submitted).toEqual([]);
    await maintain(false);
    await isApplied(1);
    expect(submitted).toEqual([{ id: 1 }]);
  });

  it('submits nothing when another scheduler was first', async () => {
    const { clock, replica, scheduler, schedule, isApplied, settle } = await prepare();
    await schedule(1, START + MINUTE_MS);
    const late: unknown[] = [];
    const store = new MemoryStore();
    await store.open();
    const writer = { submit: async () => ({ value: late.push(1), seq: 0 }) as never };
    const other = new Scheduler({ replica, writer, clock, logger: silentLogger });
    schedulers.push(other);
    scheduler.start();
    await settle();
    clock.advance(MINUTE_MS);
    await isApplied(1);
    const { seq } = replica.state;
    other.start();
    await settle();
    clock.advance(MINUTE_MS);
    await settle();
    expect([late, replica.state.seq]).toEqual([[], seq]);
  });
});
