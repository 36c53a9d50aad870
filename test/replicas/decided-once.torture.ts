import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { decodeEvent } from '../../src/state/commit.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import { Random } from '../evaluation/random.ts';
import { TcpFaultProxy } from '../stores/tcp-fault-proxy.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';
import { isUnknown } from './load.ts';

/** Number of updates to be acknowledged. */
const UPDATES = Number(process.env.DECIDED_UPDATES ?? 3_000);
const SEED = Number(process.env.BURGEE_SEED ?? Date.now() % 2 ** 31);
const FLAGS = 40;
const UPDATERS = 48;
const FLAG = '/api/admin/projects/default/features';

let fleet: Fleet | undefined;
let proxies: TcpFaultProxy[] = [];

afterEach(async () => {
  for (const proxy of proxies) proxy.setFault('none');
  await fleet?.dispose();
  for (const proxy of proxies) await proxy.close();
  proxies = [];
});

/** Three replicas, each with its own connection to Redis that can be cut. */
async function start(): Promise<Fleet> {
  const redis = await RedisServer.start();
  fleet = Fleet.of(redis);
  for (let index = 0; index < 3; index++) {
    const proxy = await TcpFaultProxy.start(redis.port);
    proxies.push(proxy);
    await fleet.add({ REDIS_URL: proxy.url, SNAPSHOT_EVERY_COMMITS: '120', REDIS_WRITE_TIMEOUT_MS: '3000' });
  }
  await Promise.all(fleet.replicas.map((replica) => replica.start()));
  for (let index = 0; index < FLAGS; index++) expect((await fleet.at(index).create(`flag-${index}`)).status).toBe(201);
  return fleet;
}

/** Callers that change descriptions. Each update has another text, and is never repeated. */
class Updaters {
  readonly acknowledged = new Set<string>();
  readonly refused = new Set<string>();
  readonly unknown = new Set<string>();
  readonly odd: string[] = [];
  #isOver = false;
  readonly #running: Promise<void>[];

  constructor(replicas: readonly ReplicaProcess[]) {
    this.#running = Array.from({ length: UPDATERS }, (_, index) => this.#update(replicas, index));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #update(replicas: readonly ReplicaProcess[], index: number): Promise<void> {
    for (let count = 0; !this.#isOver; count++) {
      const description = `update-${index}-${count}`;
      const replica = replicas[(index + count) % replicas.length] as ReplicaProcess;
      try {
        const path = `${FLAG}/flag-${(index * 7 + count) % FLAGS}`;
        const { status, headers, text } = await replica.call('PUT', path, { body: { description, type: 'release' } });
        const mayRepeat = headers.get('retry-after') !== null;
        if (status === 200) this.acknowledged.add(description);
        else if (status === 503 && isUnknown(text) && !mayRepeat) this.unknown.add(description);
        else if (status === 503 && !isUnknown(text) && mayRepeat) this.refused.add(description);
        else this.odd.push(`${description}: ${status} ${text}`);
        if (status !== 200) await sleep(20);
      } catch {
        this.unknown.add(description);
        await sleep(20);
      }
    }
  }
}

async function torment({ redis, replicas }: Fleet, random: Random, isOver: () => boolean) {
  let kills = 0;
  while (!isOver()) {
    const proxy = random.pick(proxies);
    const what = random.next();
    if (what < 0.15) proxy.cut();
    else if (what < 0.35) proxy.cutMidReply(random.below(200));
    else if (what < 0.6) proxy.strike('deaf');
    else if (what < 0.7) proxy.strike('black-hole');
    else if (what < 0.9) proxy.delayMs = random.pick([0, 0, 10, 40]);
    else if (what < 0.96) {
      const replica = random.pick(replicas);
      await replica.end('SIGKILL');
      await replica.spawn();
      kills++;
    } else {
      await redis.kill();
      await redis.start();
      kills++;
    }
    await sleep(random.below(1_500));
  }
  for (const proxy of proxies) {
    proxy.delayMs = 0;
    proxy.setFault('none');
    proxy.cut();
  }
  for (const replica of replicas) await replica.untilReady();
  return kills;
}

/** How often the audit log has each update. */
async function countUpdates(url: string): Promise<ReadonlyMap<string, number>> {
  const store = new RedisStore({ url, logger: silentLogger, clock: systemClock });
  const counts = new Map<string, number>();
  try {
    await store.open();
    for (let from = 1; ; ) {
      const entries = await store.readEventsForward(from, 1_000);
      for (const { bytes } of entries) {
        const { type, data } = decodeEvent(bytes);
        if (type !== 'feature-metadata-updated') continue;
        const { description } = data as { description: string };
        counts.set(description, (counts.get(description) ?? 0) + 1);
      }
      if (entries.length < 1_000) return counts;
      from = (entries.at(-1)?.id ?? 0) + 1;
    }
  } finally {
    await store.close();
  }
}

it(`Every acknowledged update has one audit event, despite kills, cuts, delays and a log trimmed every 120 commits: ${UPDATES} updates`, async () => {
  const running = await start();
  const updaters = new Updaters(running.replicas);
  const { acknowledged, refused, unknown, odd } = updaters;
  let isOver = false;
  const tormenting = torment(running, new Random(SEED), () => isOver);
  while (acknowledged.size < UPDATES && odd.length === 0) await sleep(50);
  isOver = true;
  const kills = await tormenting;
  await updaters.stop();
  await running.expectAgreement();
  const eventCounts = await countUpdates(running.redis.url);
  const counts = { acknowledged: acknowledged.size, refused: refused.size, unknown: unknown.size, kills };
  console.info(`decided once: BURGEE_SEED=${SEED}`, { ...counts, events: eventCounts.size });
  const sent = [acknowledged, refused, unknown];
  expect(odd).toEqual([]);
  expect([...eventCounts].filter(([, count]) => count !== 1)).toEqual([]);
  expect([...acknowledged].filter((update) => !eventCounts.has(update))).toEqual([]);
  expect([...refused].filter((update) => eventCounts.has(update))).toEqual([]);
  expect([...eventCounts.keys()].filter((update) => !sent.some((some) => some.has(update)))).toEqual([]);
}, 3_600_000);
