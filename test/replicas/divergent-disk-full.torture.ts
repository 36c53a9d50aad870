import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';
import { divergentFilesOf, Witness } from './witness.ts';

describe('a replica whose disk is full while it gives up commits', () => {
  let fleet: Fleet;
  let witness: Witness;

  afterEach(async () => {
    await witness?.close();
    await fleet.dispose();
  });

  /** Limits the size of all files that the replica writes: to its process, this looks like a full disk. */
  const limitFiles = ({ pid }: ReplicaProcess, bytes: string) => {
    const { status, stderr } = spawnSync('prlimit', [`--pid=${pid}`, `--fsize=${bytes}:unlimited`], {
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
  };

  const write = async (replica: ReplicaProcess, prefix: string) => {
    const writers = witness.write(2, [replica], prefix, 5);
    await untilTrue(() => writers.acknowledged.size >= 10, `${prefix}: writes are accepted`);
    await writers.stop();
    return [...writers.acknowledged.keys()];
  };

  it('continues with the others, reports that it could not write them to a file, and writes them when there is space', async () => {
    fleet = await Fleet.start(2);
    witness = new Witness(fleet);
    const [a, b] = [fleet.at(0), fleet.at(1)];
    await write(a, 'both');
    await fleet.expectAgreement();
    await b.end();
    fleet.redis.backUp('early');
    const lost = await write(a, 'lost');
    limitFiles(a, '512');
    a.signal('SIGSTOP');
    await fleet.redis.restore('early');
    await b.start();
    await write(b, 'kept');
    a.signal('SIGCONT');
    const losses = async () => (await a.ready()).json.losses;
    await untilTrue(async () => (await losses()).givenUp > 0, 'it gives them up');
    await untilTrue(async () => (await a.ready()).json.store === 'reachable', 'it continues');
    expect(await losses()).toMatchObject({ current: null, givenUp: lost.length, divergentFile: null });
    expect(a.log).toContain('the divergent commits could not be written to a file');
    await write(a, 'after');
    limitFiles(a, 'unlimited');
    await untilTrue(async () => (await losses()).divergentFile !== null, 'they are written to a file');
    expect((await witness.judge()).missing).toEqual(lost);
    expect(divergentFilesOf(a.directory).map(({ commits }) => commits)).toEqual([lost.length]);
  });
});
