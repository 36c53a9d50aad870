import { afterEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../../src/base/asking/asker.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { Replica } from '../../../src/engine/replica.ts';
import { EventIndex } from '../../../src/features/events/event-index.ts';
import { AuditLogRetention } from '../../../src/features/events/retention.ts';
import type { RetentionBounds } from '../../../src/features/events/retention-bounds.ts';
import { encodeCommit, encodeEvent } from '../../../src/state/commit.ts';
import { State } from '../../../src/state/state.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const EVERY_MS = 60_000;
const DAY_MS = 24 * 3_600_000;
/** On a busy machine. */
const PATIENT = { timeout: 15_000 };
const BY = { id: 1, name: 'somebody' };

let keepers: AuditLogRetention[] = [];
afterEach(async () => {
  for (const keeper of keepers) await keeper.close();
  keepers = [];
});

async function prepare(bounds: Partial<RetentionBounds>) {
  const clock = new ManualClock();
  const store = new MemoryStore();
  await store.open();
  const replica = new Replica(new State(), store);
  const index = new EventIndex(replica, store, silentLogger);
  const all = { eventsMax: 0, ageMaxMs: 0, bytesMax: 0, ...bounds };
  const parts = { replica, store, index, clock, logger: silentLogger, everyMs: EVERY_MS };
  const keeper = new AuditLogRetention({ ...parts, bounds: all });
  keepers.push(keeper);
  /** Writes one commit with `count` events, at the current time. */
  const write = async (count: number, data: unknown = null) => {
    const { seq, lastEventId } = replica.state;
    const at = new Date(clock.nowMs()).toISOString();
    const events = Array.from({ length: count }, (_, offset) => {
      const nothing = { environment: null, project: 'default', featureName: null, preData: null, tags: null };
      const fields = {
        type: 'setting-updated' as const,
        createdAt: at,
        createdBy: BY.name,
        createdByUserId: BY.id,
        data,
      };
      const event = { id: lastEventId + 1 + offset, ...fields, ...nothing };
      return { id: event.id, bytes: encodeEvent(event) };
    });
    const range = { firstId: lastEventId + 1, count };
    const commit = { seq: seq + 1, writeId: `w${seq}`, at, by: BY, changes: [], touched: [], events: range };
    const entries = [{ seq: seq + 1, bytes: encodeCommit(commit) }];
    await store.append({ expectedTip: seq, writeId: commit.writeId, entries, events });
    replica.offer(commit);
  };
  const begins = (firstId: number) => expect.poll(() => keeper.status?.firstId, PATIENT).toBe(firstId);
  return { clock, store, replica, index, keeper, write, begins };
}

describe('the audit log retention', () => {
  it('checks the audit log at intervals, and earlier after many new events', async () => {
    const { clock, keeper, write, begins, store, index } = await prepare({ eventsMax: 100 });
    let looks = 0;
    const measure = store.measureAuditLog.bind(store);
    store.measureAuditLog = () => {
      looks++;
      return measure();
    };
    await write(150);
    keeper.start();
    await begins(51);
    await write(200);
    // There was no check: a few more events are not urgent.
    const before = looks;
    await new Promise((resolve) => setImmediate(resolve));
    expect(looks).toBe(before);
    await expect
      .poll(() => {
        clock.advance(EVERY_MS);
        return keeper.status?.firstId;
      }, PATIENT)
      .toBe(251);
    await write(1_024);
    await begins(1_275);
    expect(keeper.status).toMatchObject({ count: 100, since: new Date(clock.nowMs()).toISOString() });
    await index.search({ project: 'default', readable: null }, { fromId: 2_000, limit: 10 }, SERVICE);
    expect(index.size).toBe(100);
  });

  it('reads few events at a time if they are large', async () => {
    const { keeper, write, begins, store } = await prepare({ eventsMax: 10 });
    const read = store.readEventsForward.bind(store);
    let most = 0;
    store.readEventsForward = async (fromId, limit) => {
      const events = await read(fromId, limit);
      most = Math.max(
        most,
        events.reduce((sum, { bytes }) => sum + bytes.length, 0),
      );
      return events;
    };
    await write(100, 'x'.repeat(100_000));
    await write(2_000);
    await write(100, 'x'.repeat(100_000));
    await write(10);
    keeper.start();
    await begins(2_201);
    // Once, 64 small events may be followed by 64 large ones.
    expect(most).toBeLessThan(64 * 101_000);
  });

  it('retries after an interval if the store was unreachable, and not at every commit', async () => {
    const { clock, keeper, write, begins, store } = await prepare({ eventsMax: 5 });
    let asked = 0;
    store.faults.beforeRead = () => {
      asked++;
      throw new StoreError('away', 'not-appended');
    };
    await write(10);
    keeper.start();
    await expect.poll(() => asked, PATIENT).toBe(1);
    for (let count = 0; count < 5; count++) await write(2_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toBe(1);
    expect(keeper.status).toBeNull();
    store.faults.beforeRead = undefined;
    await expect
      .poll(() => {
        clock.advance(EVERY_MS);
        return keeper.status?.firstId;
      }, PATIENT)
      .toBe(10_006);
    await begins(10_006);
  });

  it('reports the bytes of a year after it has run for a day', async () => {
    const { clock, keeper, write } = await prepare({});
    await write(10);
    keeper.start();
    await expect.poll(() => keeper.status?.count, PATIENT).toBe(10);
    expect(keeper.status?.yearBytes).toBeNull();
    await expect
      .poll(() => {
        clock.advance(DAY_MS);
        return keeper.status?.yearBytes;
      }, PATIENT)
      .not.toBeNull();
    const { sizeBytes = null, yearBytes = null, since = '' } = keeper.status ?? {};
    const days = (clock.nowMs() - Date.parse(since ?? '')) / DAY_MS;
    expect(yearBytes).toBeLessThanOrEqual((sizeBytes ?? 0) * 365);
    expect(yearBytes).toBeGreaterThanOrEqual(((sizeBytes ?? 0) * 365) / days - 1);
  });

  it('stops early if it is closed while there are many events to drop', async () => {
    const { keeper, write, store } = await prepare({ eventsMax: 1 });
    await write(20_000);
    keeper.start();
    await expect.poll(() => keeper.status?.firstId ?? 0, PATIENT).toBeGreaterThan(1);
    await keeper.close();
    expect(await store.firstEventId()).toBeLessThan(20_000);
  });
});
