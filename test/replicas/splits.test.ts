import { afterEach, describe, expect, it } from 'vitest';
import { TcpFaultProxy } from '../stores/tcp-fault-proxy.ts';
import { RedisServer } from '../support/redis.ts';
import { Fleet, type ReplicaProcess, until } from './fleet.ts';
import { surplusesIn, Witness } from './witness.ts';

/** 20 for the long run. */
const ROUNDS = Number(process.env.REPLICA_TEST_SPLITS ?? 2);

/** How a split ends: which server all go to, and whether that one is started again at the same time. */
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

  /** Two servers, the second a replica of the first, and replicas that each get to Redis in a way of their own. */
  const start = async (count: number) => {
    fleet = await Fleet.start(0);
    proxies = [];
    other = await RedisServer.start({ args: ['--replicaof', '127.0.0.1', String(fleet.redis.port)] });
    await untilInStep(other);
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

  const untilInStep = (server: RedisServer) =>
    until(() => server.cli('INFO', 'replication').includes('master_link_status:up'), 'the server is in step', 60_000);

  const move = (replica: ReplicaProcess, server: RedisServer) => {
    const proxy = proxies[fleet.replicas.indexOf(replica)] as TcpFaultProxy;
    proxy.aim(server.port);
    proxy.setFault('none');
    proxy.cut();
  };

  it(
    `lose no acknowledged write without telling, whichever server wins (${ROUNDS} rounds)`,
    async () => {
      const started = await start(3);
      let [old, promoted] = started.servers;
      let told = 0;
      let acknowledged = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const writers = started.witness.write(6, fleet.replicas, `round-${round}`, 60);
        const written = async (replicas: readonly ReplicaProcess[], count: number, what: string) => {
          const before = replicas.map((replica) => writers.countOf(replica));
          const isEnough = () =>
            replicas.every((replica, index) => writers.countOf(replica) >= (before[index] ?? 0) + count);
          await until(isEnough, `round ${round}: ${what}`, 60_000);
        };
        await written(fleet.replicas, 5, 'all of them write');
        // One of them, or two, get to the server that was a replica, and the others stay. Sometimes their connections hang before.
        const first = fleet.at(round);
        const moved = round % 3 === 2 ? [first, fleet.at(round + 1)] : [first];
        const stayed = fleet.replicas.filter((replica) => !moved.includes(replica));
        if (round % 2 === 1)
          for (const replica of moved) proxies[fleet.replicas.indexOf(replica)]?.setFault('black-hole');
        promoted.cli('REPLICAOF', 'NO', 'ONE');
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
        expect(verdict.told.length, 'one side was given up').toBeGreaterThan(told);
        told = verdict.told.length;
        acknowledged = verdict.acknowledged;
        lost.cli('REPLICAOF', '127.0.0.1', String(won.port));
        await untilInStep(lost);
        [old, promoted] = [won, lost];
      }
      for (const replica of fleet.replicas) {
        const { losses } = (await replica.ready()).json;
        const written = surplusesIn(replica.directory).reduce((sum, { commits }) => sum + commits, 0);
        expect(losses).toMatchObject({ current: null, givenUp: written });
      }
      if (process.env.REPLICA_TEST_SPLITS)
        console.log({ rounds: ROUNDS, acknowledged, lostAndTold: told, lostSilently: 0 });
    },
    30_000 + ROUNDS * 60_000,
  );
});
