import { afterEach, describe, expect, it } from 'vitest';
import { TcpFaultProxy } from '../stores/tcp-fault-proxy.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';
import { divergentFilesOf, Witness } from './witness.ts';

/** 20 for the long run. */
const ROUNDS = Number(process.env.REPLICA_TEST_SPLITS ?? 2);

/** How a split ends: which server all replicas use then, and whether it is restarted at the same time. */
const HEALINGS = [
  { winner: 'old', isRestarted: false },
  { winner: 'new', isRestarted: false },
  { winner: 'old', isRestarted: true },
  { winner: 'new', isRestarted: true },
] as const;

describe('replicas whose Redis is split in two, and becomes one again', () => {
  let fleet: Fleet;
  let witness: Witness | undefined;
  let proxies: TcpFaultProxy[];
  let other: RedisServer;

  /** Two servers, the second a replica of the first, and replicas that each reach Redis through their own proxy. */
  const start = async (count: number) => {
    fleet = await Fleet.start(0);
    proxies = [];
    other = await RedisServer.start();
    await replicate(other, fleet.redis);
    for (let index = 0; index < count; index++) {
      const proxy = await TcpFaultProxy.start(fleet.redis.port);
      proxies.push(proxy);
      await fleet.add({ REDIS_URL: proxy.url });
    }
    await Promise.all(fleet.replicas.map((replica) => replica.start()));
    witness = new Witness(fleet);
    return { witness, servers: [fleet.redis, other] as const };
  };

  afterEach(async () => {
    await witness?.close();
    await fleet.dispose();
    await other.dispose();
    for (const proxy of proxies) await proxy.close();
    witness = undefined;
  });

  /** Makes `server` a replica by a command, not in its configuration: after a restart it is a primary again. */
  const replicate = async (server: RedisServer, primary: RedisServer) => {
    await server.command('REPLICAOF', '127.0.0.1', String(primary.port));
    const isInStep = async () => (await server.command('INFO', 'replication')).includes('master_link_status:up');
    await untilTrue(isInStep, 'the server is in step');
  };

  const move = (replica: ReplicaProcess, server: RedisServer, hints?: RedisServer) => {
    const proxy = proxies[fleet.replicas.indexOf(replica)] as TcpFaultProxy;
    proxy.aim(server.port, hints?.port);
    proxy.setFault('none');
    proxy.cut();
  };

  /** Blocks all traffic with Redis, on connections that stay open, until the replica has noticed. */
  const hang = async (replica: ReplicaProcess) => {
    proxies[fleet.replicas.indexOf(replica)]?.setFault('black-hole');
    await untilTrue(async () => (await replica.ready()).json.store !== 'reachable', 'it has noticed');
  };

  it(
    `lose no acknowledged write without reporting it, whichever server wins (${ROUNDS} rounds)`,
    async () => {
      const started = await start(3);
      let [old, promoted] = started.servers;
      let reported = 0;
      let acknowledged = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const writers = started.witness.write(6, fleet.replicas, `round-${round}`, 25);
        const written = async (replicas: readonly ReplicaProcess[], count: number, what: string) => {
          const before = replicas.map((replica) => writers.countOf(replica));
          const isEnough = () =>
            replicas.every((replica, index) => writers.countOf(replica) >= (before[index] ?? 0) + count);
          await untilTrue(isEnough, `round ${round}: ${what}`);
        };
        await written(fleet.replicas, 5, 'all of them write');
        // One or two of them move to the server that was a replica, and the others stay. In every second round their connections hang before.
        const first = fleet.at(round);
        const moved = round % 3 === 2 ? [first, fleet.at(round + 1)] : [first];
        const stayed = fleet.replicas.filter((replica) => !moved.includes(replica));
        if (round % 2 === 1) await Promise.all(moved.map((replica) => hang(replica)));
        await promoted.command('REPLICAOF', 'NO', 'ONE');
        for (const replica of moved) move(replica, promoted);
        await written(moved, 3 + (round % 5) * 3, 'those that moved write');
        await written(stayed, 3 + ((round + 2) % 5) * 3, 'those that stayed write');
        const { winner, isRestarted } = HEALINGS[round % HEALINGS.length] as (typeof HEALINGS)[number];
        const [won, lost] = winner === 'old' ? [old, promoted] : [promoted, old];
        for (const replica of winner === 'old' ? moved : stayed) move(replica, won);
        if (isRestarted) {
          await won.kill();
          await won.start();
        }
        await written(fleet.replicas, 5, 'all of them write again');
        await writers.stop();
        const verdict = await started.witness.judge(won);
        expect(verdict.missing.length, 'one side was given up').toBeGreaterThan(reported);
        reported = verdict.missing.length;
        acknowledged = verdict.acknowledged;
        await replicate(lost, won);
        [old, promoted] = [won, lost];
      }
      for (const replica of fleet.replicas) {
        const { losses } = (await replica.ready()).json;
        const written = divergentFilesOf(replica.directory).reduce((sum, { commits }) => sum + commits, 0);
        expect(losses).toMatchObject({ current: null, givenUp: written });
      }
      if (process.env.REPLICA_TEST_SPLITS)
        console.log({ rounds: ROUNDS, acknowledged, lostAndReported: reported, lostSilently: 0 });
    },
    30_000 + ROUNDS * 60_000,
  );

  it.each(['old', 'new'])(
    'take no commit from the other server when they write to one and get hints from the other, and report what they lose to the %s one',
    async (winner) => {
      const {
        witness: seen,
        servers: [old, promoted],
      } = await start(2);
      const [a, b] = [fleet.at(0), fleet.at(1)];
      move(a, old, promoted);
      await untilTrue(
        async () => (await promoted.command('PUBSUB', 'NUMSUB', '{burgee}:hints')).includes('1'),
        'hints come from the replica',
      );
      const before = seen.write(2, [b], 'before', 20);
      await untilTrue(async () => (await namesOf(a)).some((name) => before.acknowledged.has(name)), 'they arrive');
      await before.stop();
      await promoted.command('REPLICAOF', 'NO', 'ONE');
      move(b, promoted);
      const [kept, heard] = [seen.write(3, [a], 'kept', 30), seen.write(3, [b], 'heard', 30)];
      await untilTrue(
        () => kept.acknowledged.size > 20 && heard.acknowledged.size > 30,
        'both servers accept writes',
        60_000,
      );
      expect((await namesOf(a)).filter((name) => name.startsWith('heard'))).toEqual([]);
      expect((await namesOf(b)).filter((name) => name.startsWith('kept'))).toEqual([]);
      await Promise.all([kept.stop(), heard.stop()]);
      for (const replica of fleet.replicas) {
        expect((await replica.ready()).json).toMatchObject({ store: 'reachable', losses: { current: null, found: 0 } });
      }
      const won = winner === 'old' ? old : promoted;
      for (const replica of fleet.replicas) move(replica, won);
      const { missing } = await seen.judge(won);
      expect(missing).toHaveLength(winner === 'old' ? heard.acknowledged.size : kept.acknowledged.size);
    },
    120_000,
  );

  const namesOf = async (replica: ReplicaProcess): Promise<readonly string[]> =>
    (await replica.poll()).json.features.map(({ name }: { name: string }) => name);
});
