import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';
import { Witness } from './witness.ts';

/** Number of cases to try: 18, which are all, for the long run. */
const CASES = Number(process.env.REPLICA_TEST_RESTORES ?? 3);

const AGES = ['before the first refill', 'between two refills', 'after the last refill'] as const;

/** Two replicas with the same state, and an older file that replaces the data of Redis. */
interface Scene {
  readonly first: ReplicaProcess;
  readonly second: ReplicaProcess;
  readonly restore: () => Promise<void>;
  /** Writes at least `count` flags on one of them, and resolves with their names. */
  readonly write: (replica: ReplicaProcess, count: number) => Promise<readonly string[]>;
}

const AHEAD = 'both were stopped, and the one with fewer commits is started first';

/** Which replicas run while the file is restored, and how the others start again. */
const PRESENCES: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'both run': ({ restore }) => restore(),

  'one was killed, and is started afterwards': async ({ first, second, restore, write }) => {
    await first.end('SIGKILL');
    await restore();
    await write(second, 3);
    await first.start();
  },

  'both were stopped, the first is started first': async ({ first, second, restore }) => {
    await Promise.all([first.end(), second.end()]);
    await restore();
    await first.start();
    await second.start();
  },

  'both were stopped, the second is started first': async ({ first, second, restore }) => {
    await Promise.all([first.end(), second.end()]);
    await restore();
    await second.start();
    await first.start();
  },

  'both were killed, and are started at once': async ({ first, second, restore, write }) => {
    const newest = await write(first, 1);
    await untilTrue(() => [first, second].every((replica) => isSaved(replica, newest)), 'both have saved their copies');
    await Promise.all([first.end('SIGKILL'), second.end('SIGKILL')]);
    await restore();
    await Promise.all([first.start(), second.start()]);
  },

  [AHEAD]: async ({ first, second, restore, write }) => {
    await second.end();
    await write(first, 3);
    await first.end();
    await restore();
    await second.start();
    await write(second, 3);
    await first.start();
  },
};

/** Every age with every presence, in an order in which the first three have all ages. */
const PAIRS = Array.from({ length: 18 }, (_, index) => {
  const age = AGES[index % 3] as string;
  const presence = Object.keys(PRESENCES).at((5 - 2 * (index % 3) + Math.floor(index / 3)) % 6) as string;
  return { age, presence };
});

describe('an append-only file of Redis that was restored', () => {
  let fleet: Fleet;
  let witness: Witness;

  afterEach(async () => {
    await witness?.close();
    await fleet.dispose();
  });

  const write = async (replicas: readonly ReplicaProcess[], count: number) => {
    const writers = witness.write(2, replicas, `at-${witness.acknowledged}`, 5);
    await untilTrue(() => writers.acknowledged.size >= count, 'writes are accepted');
    await writers.stop();
    return [...writers.acknowledged.keys()];
  };

  /** Backups from before, between and after refills, each followed by commits that it lacks. */
  const backUpAges = async () => {
    for (const age of AGES) {
      await write(fleet.replicas, 6);
      await fleet.expectAgreement();
      fleet.redis.backUp(age);
      await write(fleet.replicas, 6);
      const tip = (await fleet.expectAgreement()).revision;
      if (age === AGES.at(-1)) return;
      await fleet.redis.command('FLUSHALL');
      const isRefilled = async () => (await fleet.redis.command('HGET', '{burgee}:meta', 'tip')).trim() === String(tip);
      await untilTrue(isRefilled, 'it is refilled');
    }
  };

  it(
    `loses nothing that a replica or its copy has, whatever its age and whichever replicas ran (${CASES} cases)`,
    async () => {
      fleet = await Fleet.start(2, { LOCAL_COPY_EVERY_MS: '200' });
      witness = new Witness(fleet);
      await backUpAges();
      let reported = 0;
      for (const { age, presence } of PAIRS.slice(0, CASES)) {
        const [first, second] = [fleet.at(0), fleet.at(1)];
        await write(fleet.replicas, 4);
        await fleet.expectAgreement();
        const restore = () => fleet.redis.restore(age);
        await PRESENCES[presence]?.({ first, second, restore, write: (replica, count) => write([replica], count) });
        await write(fleet.replicas, 4);
        const verdict = await witness.judge();
        expect(verdict.missing.length > reported, `${age}, ${presence}`).toBe(presence === AHEAD);
        reported = verdict.missing.length;
        const ready = await Promise.all(fleet.replicas.map((replica) => replica.ready()));
        expect(
          ready.map(({ json }) => json.losses.current),
          `${age}, ${presence}`,
        ).toEqual([null, null]);
      }
    },
    30_000 + CASES * 40_000,
  );
});

/** Returns whether the copy on the replica's disk has these flags. */
function isSaved({ directory }: ReplicaProcess, names: readonly string[]): boolean {
  const copy = readFileSync(join(directory, 'replica.copy'), 'latin1');
  return names.every((name) => copy.includes(name));
}
