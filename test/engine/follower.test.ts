import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLogger } from '../../src/base/logger.ts';
import { Follower } from '../../src/engine/follower.ts';
import { Replica } from '../../src/engine/replica.ts';
import { type Commit, encodeCommit } from '../../src/state/commit.ts';
import { encodeSnapshot } from '../../src/state/snapshot.ts';
import { State } from '../../src/state/state.ts';
import { RedisStore } from '../../src/stores/redis/redis-store.ts';
import { TEST_TIMEOUTS } from '../stores/redis/redis-replica.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { untilTrue } from '../support/until.ts';

function commitOf(seq: number, name: string): Commit {
  const entity = { name, description: null, icon: null, color: null };
  return {
    seq,
    writeId: `write-${name.replaceAll(' ', '-')}`,
    at: '2026-01-01T00:00:00.000Z',
    by: { id: 1, name: 'test' },
    changes: [{ collection: 'tagTypes', key: name, entity }],
    touched: [],
    events: { firstId: 0, count: 0 },
  };
}

function batchOf(...commits: Commit[]) {
  const [first] = commits;
  if (!first) throw new Error('a batch has at least one commit');
  const entries = commits.map((commit) => ({ seq: commit.seq, bytes: encodeCommit(commit) }));
  return { expectedTip: first.seq - 1, writeId: first.writeId, entries, events: [] };
}

describe('the follower of a log in Redis', () => {
  let server: RedisServer;
  let publisher: Redis;
  let store: RedisStore;
  let replica: Replica;
  let follower: Follower;

  beforeEach(async () => {
    server = await RedisServer.start();
    publisher = new Redis(server.url);
    const options = { url: server.url, logger: silentLogger, clock: systemClock, timeouts: TEST_TIMEOUTS };
    store = new RedisStore(options);
    await store.open();
    replica = new Replica(new State(), store);
    follower = new Follower(replica, store, systemClock, silentLogger);
    await follower.join();
    // Hints arrive once the second connection is open.
    await untilTrue(
      async () => (await server.command('PUBSUB', 'NUMSUB', '{burgee}:hints')).includes('1'),
      'hints arrive',
    );
  });

  afterEach(async () => {
    expect(follower.defect).toBeNull();
    await follower.close();
    await store.close();
    publisher.disconnect();
    await server.dispose();
  });

  const names = () => [...replica.state.values('tagTypes')].map(({ name }) => name);

  /** Publishes what the append script would publish for the commits. */
  const hint = async (...commits: readonly Commit[]) => {
    const { seq, writeId } = commits.at(-1) as Commit;
    const bytes = commits.map(encodeCommit);
    const head = `somebody ${store.epoch} ${seq} ${writeId} ${bytes.map(({ length }) => length)}\n`;
    await publisher.publish('{burgee}:hints', Buffer.concat([Buffer.from(head), ...bytes]));
  };

  const append = async (commit: Commit) => {
    const batch = batchOf(commit);
    expect(await store.append(batch)).toMatchObject({ status: 'appended' });
    const origin = { epoch: store.epoch, writeId: commit.writeId };
    expect(batch.entries.map((entry) => replica.offer(commit, { ...entry, origin }))).toEqual([true]);
  };

  it('drops buffered commits of another epoch, because another commit may get their seq', async () => {
    await append(commitOf(1, 'kept'));
    let isReceived = false;
    const end = store.onTip((tip) => {
      isReceived ||= tip === 3;
    });
    await hint(commitOf(3, 'of the epoch before'));
    await untilTrue(() => isReceived, 'the hint arrived');
    end();
    await server.command('FLUSHALL');
    await untilTrue(() => store.loss?.mayRefill === true, 'the loss is noticed');
    expect(
      await store.refill({ seq: 1, lastEventId: 0, pieces: encodeSnapshot(replica.state, SERVICE), events: [] }),
    ).toBe('refilled');
    await untilTrue(() => store.status().reachable, 'the new epoch is followed');
    expect(follower.lag.commits).toBe(0);
    await append(commitOf(2, 'two'));
    // Another hint brings the replica up to date: a buffered commit would be applied after it.
    await hint(commitOf(2, 'two'));
    await append(commitOf(3, 'three'));
    expect(names()).toEqual(['kept', 'two', 'three']);
  });

  it('has room for the commits of a new epoch, however many of the epoch before still waited', async () => {
    await append(commitOf(1, 'kept'));
    // As many as may wait; the replica never gets their predecessor.
    const old = Array.from({ length: 4_096 }, (_, index) => commitOf(index + 10, 'of the epoch before'));
    let isReceived = false;
    const end = store.onTip((tip) => {
      isReceived ||= tip === old.at(-1)?.seq;
    });
    await hint(...old);
    await untilTrue(() => isReceived, 'the hint arrived');
    end();
    await server.command('FLUSHALL');
    await untilTrue(() => store.loss?.mayRefill === true, 'the loss is noticed');
    const content = { seq: 1, lastEventId: 0, pieces: encodeSnapshot(replica.state, SERVICE), events: [] };
    expect(await store.refill(content)).toBe('refilled');
    await untilTrue(() => store.status().reachable, 'the new epoch is followed');
    // The log has neither of them: the second one waits for the first.
    await hint(commitOf(3, 'three'));
    await hint(commitOf(2, 'two'));
    await untilTrue(() => replica.state.seq === 3, 'both are applied');
    expect(names()).toEqual(['kept', 'two', 'three']);
  });

  it('reports the position of applied commits, not of those that it only received or read', async () => {
    await append(commitOf(1, 'one'));
    replica.distrust();
    let isReceived = false;
    store.onTip((tip) => {
      isReceived ||= tip === 2;
    });
    await hint(commitOf(2, 'never applied'));
    await untilTrue(() => isReceived, 'the hint arrived');
    await store.read(1, 10);
    expect(store.position).toMatchObject({ seq: 1, writeId: 'write-one' });
  });

  it('reports each applied write to the store, also one from a hint', async () => {
    await append(commitOf(1, 'one'));
    await hint(commitOf(2, 'by hint'));
    await untilTrue(() => replica.state.seq === 2, 'the hint is followed');
    expect(store.position).toMatchObject({ seq: 2, writeId: 'write-by-hint' });
  });
});
