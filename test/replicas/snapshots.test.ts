import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Fleet, type ReplicaProcess, until } from './fleet.ts';

const EVERY_COMMITS = 40;
const ROUNDS = 5;
const ROUND_COMMITS = 30;

describe('The log in Redis is cut although no process lives for as many commits as a snapshot is due after', () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const logLength = () => Number(fleet.redis.cli('XLEN', '{burgee}:log'));

  const create = async (replica: ReplicaProcess, prefix: string, count: number) => {
    for (let index = 0; index < count; index += 1)
      expect((await replica.create(`${prefix}-${index}`)).status).toBe(201);
  };

  /** What is trimmed is removed with the next trim: two intervals stand in the log, and what comes in while a snapshot is taken. */
  const expectCut = async (replica: ReplicaProcess, before: () => void) => {
    for (let round = 0; round < ROUNDS; round += 1) {
      before();
      await replica.start();
      await create(replica, `round-${round}`, ROUND_COMMITS);
      await replica.end();
    }
    expect(logLength()).toBeLessThan(2.5 * EVERY_COMMITS);
  };

  it('with their local copies', async () => {
    fleet = await Fleet.start(0);
    await expectCut(await fleet.add({ SNAPSHOT_EVERY_COMMITS: String(EVERY_COMMITS) }), () => {});
  });

  it('and without', async () => {
    fleet = await Fleet.start(1, { SNAPSHOT_EVERY_COMMITS: String(EVERY_COMMITS) });
    const replica = fleet.at(0);
    await create(replica, 'first', EVERY_COMMITS);
    await until(() => fleet.redis.cli('HGET', '{burgee}:meta', 'snapshot').trim() !== '', 'there is a snapshot');
    await replica.end();
    await expectCut(replica, () => rmSync(join(replica.directory, 'replica.copy')));
  });
});
