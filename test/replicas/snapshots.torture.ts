import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { until, untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

const EVERY_COMMITS = 40;
/** Trimmed entries stay for twice as long as an append may last. */
const ENVIRONMENT = {
  SNAPSHOT_EVERY_COMMITS: String(EVERY_COMMITS),
  REDIS_WRITE_TIMEOUT_MS: '250',
  REDIS_COMMAND_TIMEOUT_MS: '250',
};
const ROUNDS = 10;
const ROUND_COMMITS = 30;

describe('The log in Redis is trimmed although every process ends before a snapshot is due,', () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const logLength = async () => Number(await fleet.redis.command('XLEN', '{burgee}:log'));

  const create = async (replica: ReplicaProcess, prefix: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const ask = async () => (await replica.create(`${prefix}-${index}`)).status;
      // On a busy machine an append may last longer than it may: it is refused, and may be stored all the same.
      const status = await until(ask, (answered) => answered !== 503);
      expect([201, 409]).toContain(status);
    }
  };

  /**
   * The first trim after the maximum time of an append removes trimmed entries. So the log has the entries of two intervals, and those written
   * while a snapshot is saved, which a process that ends leaves to the next one. That is half of ten rounds.
   */
  const expectCut = async (replica: ReplicaProcess, before: () => void) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      before();
      await replica.start();
      await create(replica, `round-${round}`, ROUND_COMMITS);
      await replica.end();
    }
    expect(await logLength()).toBeLessThan(4 * EVERY_COMMITS);
  };

  it('with local copies', async () => {
    fleet = await Fleet.start(0);
    await expectCut(await fleet.add(ENVIRONMENT), () => {});
  });

  it('without local copies', async () => {
    fleet = await Fleet.start(1, ENVIRONMENT);
    const replica = fleet.at(0);
    await create(replica, 'first', EVERY_COMMITS);
    await untilTrue(
      async () => (await fleet.redis.command('HGET', '{burgee}:meta', 'snapshot')).trim() !== '',
      'there is a snapshot',
    );
    await replica.end();
    await expectCut(replica, () => rmSync(join(replica.directory, 'replica.copy')));
  });
});
