import { afterAll, beforeAll } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import { RedisServer } from '../support/redis.ts';
import { describeStoreContract } from './store-contract.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.dispose());

let places = 0;

describeStoreContract('RedisStore', () => {
  places += 1;
  const keyPrefix = `place ${places}`;
  const create = () =>
    new RedisStore({ url: server.url, keyPrefix, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 0 } });
  return { create, createSecond: create, dispose: async () => {} };
});
