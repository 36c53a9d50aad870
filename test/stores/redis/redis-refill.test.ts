import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import type { LogLoss } from '../../../src/stores/shared-store.ts';
import type { StoreStatus } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { until, untilTrue } from '../../support/until.ts';
import { TEST_TIMEOUTS } from './redis-replica.ts';

const bytes = (content: string): Uint8Array => Buffer.from(content);

describe('a refill that does not succeed', () => {
  let server: RedisServer;
  let store: RedisStore;
  let warnings: string[];

  beforeEach(async () => {
    server = await RedisServer.start();
    warnings = [];
    const logger = { ...silentLogger, warn: (_: unknown, message: string) => warnings.push(message) } as never;
    const known = { epoch: 'known', seq: 5, writeId: 'known.5', ancestors: [] };
    const timeouts = { ...TEST_TIMEOUTS, openMs: 60_000 };
    store = new RedisStore({ url: server.url, logger, clock: systemClock, timeouts, known });
    void store.open().catch(() => {});
    await untilTrue(() => store.loss?.mayRefill === true, 'it is chosen');
  });

  afterEach(async () => {
    await store.close();
    await server.dispose();
  });

  const refill = (pieces: AsyncIterable<Uint8Array>, seq = 5) =>
    store.refill({ seq, lastEventId: 0, pieces, events: [] });

  async function* piecesThen(work: () => Promise<unknown>): AsyncGenerator<Uint8Array> {
    yield bytes('state');
    await work();
  }

  /** Refills as a service does, which tries again. Returns the number of stored snapshots. */
  const succeeds = async () => {
    const once = () => refill(piecesThen(async () => {})).catch(() => 'failed');
    await until(once, (outcome) => outcome === 'refilled');
    expect((await server.command('HGET', '{burgee}:meta', 'tip')).trim()).toBe('5');
    return Number(await server.command('SCARD', '{burgee}:snapshots'));
  };

  it('is one of a state that is not the known one: the store reports what was applied, and writes nothing', async () => {
    await expect(
      refill(
        piecesThen(async () => {}),
        6,
      ),
    ).rejects.toThrow('the state is at 6, but the known position is only 5');
    expect(
      await refill(
        piecesThen(async () => {}),
        4,
      ),
    ).toBe('not-refilled');
    expect(warnings).toContain(
      'this replica did not apply all entries that it read: it now reports only the applied ones',
    );
    expect((await server.command('EXISTS', '{burgee}:meta', '{burgee}:snapshots')).trim()).toBe('0');
    expect(await succeeds()).toBe(1);
  });

  it('finds another history in place of none, and removes its pieces', async () => {
    const heard: (LogLoss | null)[] = [];
    const stop = store.onLoss((loss) => heard.push(loss));
    const other = ['format', '2', 'epoch', 'other', 'run', 'other', 'tip', '2', 'tipWrite', 'w', 'firstSeq', '1'];
    const isRefilled = await refill(
      piecesThen(() => server.command('HSET', '{burgee}:meta', ...other, 'ancestors', '[]')),
    );
    expect(isRefilled).toBe('not-refilled');
    expect((await server.command('KEYS', '{burgee}:snapshot*')).trim()).toBe('');
    expect((await server.command('HGET', '{burgee}:meta', 'epoch')).trim()).toBe('other');
    await untilTrue(() => heard.at(-1)?.kind === 'foreign', 'it has noticed');
    stop();
    const { length } = heard;
    await server.command('DEL', '{burgee}:meta');
    expect(await succeeds()).toBe(1);
    expect(heard).toHaveLength(length);
  });

  it('has an unknown outcome if the server does not answer', async () => {
    const refilling = refill(piecesThen(async () => server.signal('SIGSTOP')));
    await expect(refilling).rejects.toMatchObject({
      message: expect.stringMatching(/^it is not known whether Redis was refilled: /),
      outcome: 'unknown',
    });
    server.signal('SIGCONT');
    await succeeds();
  });

  it('is certainly not done if the connection ended before its end', async () => {
    const refilling = refill(
      piecesThen(async () => {
        await server.kill();
        await untilTrue(() => refusalOf(store.status()) === 'unreachable', 'it has noticed');
      }),
    );
    await expect(refilling).rejects.toMatchObject({
      message: expect.stringMatching(/^cannot refill Redis: /),
      outcome: 'not-appended',
    });
    await server.start();
    await succeeds();
  });
});

const refusalOf = (status: StoreStatus) => (status.reachable ? undefined : status.refusal);
