import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from './fleet.ts';
import { expectKept, Poller, readLog, Writers } from './load.ts';

const KILLS = 30;

describe('replicas and Redis, killed at random', () => {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(3, { SNAPSHOT_EVERY_COMMITS: '1000000' });
  });
  afterAll(() => fleet.dispose());

  /** Half of all kills are of one replica; some of them before it has started. */
  const killReplica = async (index: number) => {
    const replica = fleet.at(index);
    for (let kill = 0; kill < KILLS / 2; kill++) {
      await replica.end('SIGKILL');
      await replica.spawn();
      await Promise.race([replica.untilReady(), sleep(500 + Math.random() * 2_000)]);
    }
    await replica.untilReady();
  };

  const killRedis = async (isOver: () => boolean) => {
    let kills = 0;
    for (; kills < KILLS || !isOver(); kills++) {
      await fleet.redis.kill();
      await fleet.redis.start();
      await sleep(300 + Math.random() * 800);
    }
    return kills;
  };

  it('keep every acknowledged write, and the one that is not killed answers every read', async () => {
    const poller = new Poller(fleet.at(0));
    const writers = new Writers(8, fleet.replicas, 'kept', 25);
    let isOver = false;
    const killingRedis = killRedis(() => isOver);
    await Promise.all([killReplica(1), killReplica(2)]);
    isOver = true;
    expect(await killingRedis).toBeGreaterThanOrEqual(KILLS);
    await sleep(1_500);
    await writers.stop();
    await poller.stop();
    const { names } = await fleet.expectAgreement();
    const { created } = await readLog(fleet.redis.url);
    expect(new Set(created).size).toBe(created.length);
    expectKept(names, writers);
    expect(writers.acknowledged.size).toBeGreaterThan(100);
  });
});
