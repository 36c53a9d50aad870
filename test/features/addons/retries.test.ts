import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/base/clock.ts';
import { pauseAfter } from '../../../src/features/addons/delivery/pauses.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { accepted } from '../../support/admin.ts';
import { ACCEPTS, ADDON_ENV, type Receiver, refuses, startReceiver, webhookTo } from '../../support/http/receiver.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

describe('the pause after a failure', () => {
  const middle = { random: 0.5, retryAfterMs: 0 };

  it('doubles up to an hour, and varies by half', () => {
    const pauses = Array.from({ length: 14 }, (_, index) => pauseAfter(index + 1, 0, middle));
    expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(pauses.slice(-2)).toEqual([HOUR_MS, HOUR_MS]);
    expect(pauseAfter(3, 0, { ...middle, random: 0 })).toBe(2_000);
    expect(pauseAfter(3, 0, { ...middle, random: 0.999_999 })).toBeGreaterThan(5_999);
    expect(pauseAfter(1_000_000, 0, middle)).toBe(HOUR_MS);
  });

  it('is as long as the destination asks, and ends with the day', () => {
    expect(pauseAfter(1, 0, { random: 0.5, retryAfterMs: 90_000 })).toBe(90_000);
    expect(pauseAfter(1, 0, { random: 0.5, retryAfterMs: 9 * HOUR_MS })).toBe(HOUR_MS);
    expect(pauseAfter(20, DAY_MS - 5, middle)).toBe(5);
    expect(pauseAfter(20, DAY_MS, middle)).toBeNull();
  });
});

describe('an add-on whose deliveries cannot be stored', () => {
  it('sends no more than one batch until the store accepts writes, and repeats nothing', async () => {
    const clock = new ManualClock();
    let [isAway, refused] = [false, 0];
    const beforeAppend = async () => {
      if (!isAway) return;
      refused++;
      throw new StoreError('away', 'not-appended');
    };
    const held: (() => void)[] = [];
    const receiver = await startReceiver((_received, response) => void held.push(() => response.end('ok')));
    const service = await startTestService({
      env: ADDON_ENV,
      clock,
      store: new MemoryStore({ faults: { beforeAppend } }),
    });
    try {
      const wait = <T>(ask: () => T, isSo: (answer: T) => boolean) =>
        until(() => {
          clock.advance(20);
          return ask();
        }, isSo);
      await accepted(service, 'createAddon', { body: webhookTo(receiver.url) });
      const names = Array.from({ length: 40 }, (_, index) => `flag-${index}`);
      for (const name of names)
        await accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
      await wait(
        () => held.length,
        (length) => length === 1,
      );
      isAway = true;
      receiver.answer = ACCEPTS;
      held[0]?.();
      await wait(
        () => refused,
        (count) => count >= 3,
      );
      expect(receiver.received.length).toBeLessThanOrEqual(16);
      isAway = false;
      await wait(
        () => receiver.received.length,
        (length) => length >= 40,
      );
      expect(receiver.received.map(({ body }) => JSON.parse(body).featureName)).toEqual(names);
    } finally {
      await service.close();
      await receiver.close();
    }
  });
});

describe('an add-on whose destination fails', () => {
  const clock = new ManualClock();
  let service: TestService;
  let receiver: Receiver;

  beforeAll(async () => {
    service = await startTestService({ env: ADDON_ENV, clock, random: () => 0.5 });
  });

  afterAll(() => service.close());

  beforeEach(async () => {
    receiver = await startReceiver();
  });

  afterEach(() => receiver.close());

  const createFlag = (name: string) =>
    accepted(service, 'createFeature', { params: { projectId: 'default' }, body: { name } });
  const read = async (id: number) => (await accepted(service, 'getAddon', { params: { id } })).body;
  const gauges = async () => (await service.call('getGauges', { token: null })).text;
  /** Lets time pass until the receiver got this number of requests, and their result is stored. */
  const untilRequests = (id: number, count: number) =>
    until(
      async () => {
        const { nextAttemptAt } = (await read(id)).delivery;
        const waitMs = nextAttemptAt === null ? 20 : Date.parse(nextAttemptAt) - clock.nowMs();
        if (receiver.received.length < count) clock.advance(Math.max(20, waitMs));
        const recorded = service.running.services.state.get('addonDeliveries', String(id))?.recorded ?? 0;
        return Math.min(receiver.received.length, recorded);
      },
      (done) => done >= count,
    );

  it('is parked after a day without losing an event, and continues with it when it is changed', async () => {
    receiver.answer = refuses(503);
    const { id } = (await accepted(service, 'createAddon', { body: webhookTo(receiver.url) })).body;
    const startedMs = clock.nowMs();
    for (const name of ['first', 'second']) await createFlag(name);
    await until(
      async () => {
        const { nextAttemptAt, state } = (await read(id)).delivery;
        if (state === 'parked') return true;
        clock.advance(nextAttemptAt === null ? 20 : Math.max(0, Date.parse(nextAttemptAt) - clock.nowMs()));
        return false;
      },
      (isParked) => isParked,
    );
    expect(clock.nowMs() - startedMs).toBeGreaterThanOrEqual(DAY_MS);
    expect(clock.nowMs() - startedMs).toBeLessThan(DAY_MS + HOUR_MS);
    const tries = receiver.received.length;
    expect(tries).toBeGreaterThan(30);
    expect(tries).toBeLessThan(40);
    expect(new Set(receiver.received.map(({ body }) => JSON.parse(body).featureName))).toEqual(new Set(['first']));
    expect(await gauges()).toContain(`burgee_addon_parked{addon="${id}",provider="webhook"} 1`);
    clock.advance(2 * DAY_MS);
    await createFlag('third');
    receiver.answer = ACCEPTS;
    expect((await read(id)).delivery).toMatchObject({ state: 'parked', nextAttemptAt: null });
    expect(receiver.received).toHaveLength(tries);

    await accepted(service, 'updateAddon', { params: { id }, body: webhookTo('*****') });
    await untilRequests(id, tries + 3);
    const resumed = receiver.received.slice(tries).map(({ body }) => JSON.parse(body).featureName);
    expect(resumed).toEqual(['first', 'second', 'third']);
    expect((await read(id)).delivery).toMatchObject({ state: 'delivering', failingSince: null });
    expect(await gauges()).toContain(`burgee_addon_parked{addon="${id}",provider="webhook"} 0`);
    expect(await gauges()).toMatch(/burgee_addon_attempts_total\{state="failed"\} 3\d\n/);
    await accepted(service, 'deleteAddon', { params: { id } });
  });

  it('delays no other add-on and no request, even if it never answers', async () => {
    const slow = await startReceiver(() => {});
    try {
      const create = async (url: string) => (await accepted(service, 'createAddon', { body: webhookTo(url) })).body.id;
      const [slowId, fastId] = [await create(slow.url), await create(receiver.url)];
      for (const name of ['a', 'b', 'c']) await createFlag(name);
      await untilRequests(fastId, 3);
      expect(receiver.received.map(({ body }) => JSON.parse(body).featureName)).toEqual(['a', 'b', 'c']);
      // The first event still waits for its answer; no other one was sent.
      await until(
        () => slow.received.length,
        (length) => length > 0,
      );
      expect(slow.received).toHaveLength(1);
      for (const id of [slowId, fastId]) await accepted(service, 'deleteAddon', { params: { id } });
    } finally {
      await slow.close();
    }
  });
});
