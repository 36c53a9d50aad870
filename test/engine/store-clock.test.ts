import { afterAll, beforeAll, expect, it } from 'vitest';
import { DAY_MS, systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { storeClock } from '../../src/engine/store-clock.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import { TEST_TIMEOUTS } from '../stores/redis/redis-replica.ts';
import { RedisServer } from '../support/programs/redis.ts';

let server: RedisServer;
beforeAll(async () => {
  server = await RedisServer.start();
});
afterAll(() => server.dispose());

it.each([DAY_MS, 0, -DAY_MS])('a replica whose clock is off by %d ms uses the clock of Redis', async (offMs) => {
  const clock = { ...systemClock, nowMs: () => Date.now() + offMs };
  const timeouts = { ...TEST_TIMEOUTS, graceMs: 0 };
  const store = new RedisStore({ url: server.url, keyPrefix: `off ${offMs}`, logger: silentLogger, clock, timeouts });
  try {
    await store.open();
    // A busy machine adds delay: an hour is less than the offset of a day.
    const nowMs = storeClock(store, clock).nowMs();
    expect(nowMs).toBeGreaterThan(Date.now() - DAY_MS / 24);
    expect(nowMs).toBeLessThan(Date.now() + DAY_MS / 24);
  } finally {
    await store.close();
  }
});

it('a service with a store that is not shared uses its own clock', () => {
  const clock = { ...systemClock, nowMs: () => 42 };
  expect(storeClock(new MemoryStore(), clock)).toBe(clock);
});
