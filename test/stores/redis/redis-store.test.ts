import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { type Logger, silentLogger } from '../../../src/base/logger.ts';
import { CounterRecorder } from '../../../src/features/usage/counter-recorder.ts';
import {
  ConnectionStringError,
  describeTarget,
  parseConnectionString,
} from '../../../src/stores/redis/connection-string.ts';
import type { RedisStoreOptions } from '../../../src/stores/redis/options.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import { StoreError } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { untilTrue } from '../../support/until.ts';
import { describeCountersContract, readAll } from '../counters-contract.ts';
import { batchOf, describeStoreContract, type StoreBench } from '../store-contract.ts';
import { TEST_TIMEOUTS } from './redis-replica.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await RedisServer.start();
});

afterAll(() => server.dispose());

let prefixes = 0;

const bench = (): StoreBench => {
  prefixes += 1;
  const keyPrefix = `test ${prefixes}`;
  const create = () =>
    new RedisStore({ url: server.url, keyPrefix, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 0 } });
  return { create, createSecond: create, dispose: async () => {} };
};

describeStoreContract('RedisStore', bench);
describeCountersContract('RedisStore', bench);

describe('the recorder of counters on a Redis that is killed and started again', () => {
  it('counts everything once', async () => {
    const own = await RedisServer.start();
    const timeouts = { ...TEST_TIMEOUTS, graceMs: 0 };
    const store = new RedisStore({ url: own.url, logger: silentLogger, clock: systemClock, timeouts });
    try {
      await store.open();
      const recorder = new CounterRecorder(store.counters, systemClock, silentLogger, { recorder: 'r', flushMs: 5 });
      const series = {
        name: 'kills',
        spanMs: 1_000_000_000_000,
        bucketsMax: 2,
        namesMax: 5_000,
        nameBytesMax: 100_000,
      };
      let counted = 0;
      const counting = setInterval(() => {
        for (let index = 0; index < 300; index++) recorder.count(series, `name-${index}`);
        counted++;
      }, 1);
      for (let round = 0; round < 3; round++) {
        await untilTrue(() => counted > 60 * (round + 1), 'more was counted');
        await own.kill();
        await own.start();
      }
      clearInterval(counting);
      await untilTrue(() => store.status().reachable, 'Redis is back');
      while (recorder.risk.waitingNames > 0) await recorder.flush();
      await recorder.close();
      const buckets = await readAll(store.counters, series);
      expect(buckets.map(({ counts }) => [counts.size, new Set(counts.values())])).toEqual([[300, new Set([counted])]]);
      expect(recorder.risk).toMatchObject({ refused: 0, dropped: 0, lost: 0 });
    } finally {
      await store.close();
      await own.dispose();
    }
  });
});

describe('the recorder of counters on a Redis that is emptied', () => {
  it('reports deleted counts as lost', async () => {
    const own = await RedisServer.start();
    const store = new RedisStore({ url: own.url, logger: silentLogger, clock: systemClock, timeouts: TEST_TIMEOUTS });
    try {
      await store.open();
      const recorder = new CounterRecorder(store.counters, systemClock, silentLogger, {
        recorder: 'r',
        flushMs: 60_000,
      });
      const series = { name: 'lost', spanMs: 1e12, bucketsMax: 2, namesMax: 5_000, nameBytesMax: 100_000 };
      for (let index = 0; index < 424; index++) recorder.count(series, `name-${index}`);
      await recorder.flush();
      const keys = (await own.command('KEYS', '*')).split('\n').filter((key) => key.includes('count'));
      expect(keys.length).toBeGreaterThan(1);
      await own.command('DEL', ...keys);
      recorder.count(series, 'name-0');
      await recorder.flush();
      expect(recorder.risk.lost).toBe(424);
      await recorder.close();
    } finally {
      await store.close();
      await own.dispose();
    }
  });
});

describe('RedisStore', () => {
  let keyPrefix = '';
  let stores: RedisStore[] = [];

  beforeEach(() => {
    prefixes += 1;
    keyPrefix = `test ${prefixes}`;
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
    stores = [];
  });

  const open = async (options: Partial<RedisStoreOptions> = {}) => {
    const store = create(options);
    await store.open();
    return store;
  };

  const create = (options: Partial<RedisStoreOptions> = {}) => {
    const timeouts = { ...TEST_TIMEOUTS, graceMs: 0, ...options.timeouts };
    const common = { url: server.url, keyPrefix, logger: silentLogger, clock: systemClock };
    const store = new RedisStore({ ...common, ...options, timeouts });
    stores.push(store);
    return store;
  };

  const key = (name: string) => `{${keyPrefix}}:${name}`;

  describe('hints', () => {
    it('carry the commits of other stores, and none of the store itself', async () => {
      const [writer, follower] = [await open(), await open()];
      await writer.append(batchOf(0, [bytes('first')]));
      expect(await follower.read(1, 10)).toHaveLength(1);
      const received: [number, string[]][] = [];
      follower.onTip((tip, entries = []) =>
        received.push([tip, entries.map((entry) => Buffer.from(entry.bytes).toString())]),
      );
      const own: number[] = [];
      writer.onTip((tip) => own.push(tip));
      await writer.append(batchOf(1, [bytes('second'), new Uint8Array(0), Buffer.from([0, 10, 255])]));
      await untilTrue(() => received.length > 0, 'the follower receives the hint');
      expect(received[0]).toEqual([4, ['second', '', Buffer.from([0, 10, 255]).toString()]]);
      expect(own).toEqual([]);
    });

    it('do not carry large commits, which must be read from the log', async () => {
      const [writer, follower] = [await open(), await open()];
      await writer.append(batchOf(0, [bytes('first')]));
      await follower.read(1, 10);
      const received: [number, number][] = [];
      follower.onTip((tip, entries = []) => received.push([tip, entries.length]));
      await writer.append(batchOf(1, [new Uint8Array(200_000)]));
      await untilTrue(() => received.length > 0, 'the follower receives the hint');
      expect(received[0]).toEqual([2, 0]);
    });

    it('are ignored if they are malformed', async () => {
      const [writer, follower] = [await open(), await open()];
      const received: number[] = [];
      follower.onTip((tip) => received.push(tip));
      for (const message of ['', 'nonsense', 'a b c d 5\nx', `x ${follower.position?.epoch} 9 w 99,99\nx`]) {
        await server.command('PUBLISH', key('hints'), message);
      }
      await writer.append(batchOf(0, [bytes('real')]));
      await untilTrue(() => received.includes(1), 'the follower receives the real hint');
      expect(new Set(received)).toEqual(new Set([1]));
    });
  });

  it('keeps one order without gaps when two writers contend, and counts nothing twice', async () => {
    const writers = [await open(), await open()];
    const counts = { appended: 0, conflict: 0 };
    await Promise.all(
      writers.map(async (store) => {
        for (let done = 0, tip = 0; done < 200; ) {
          const outcome = await store.append(batchOf(tip, [bytes(`${done}`), bytes(`${done}`)]));
          counts[outcome.status] += 1;
          if (outcome.status === 'appended') done += 1;
          tip = outcome.status === 'appended' ? tip + 2 : outcome.tip;
        }
      }),
    );
    expect(counts.appended).toBe(400);
    expect(counts.conflict).toBeGreaterThan(0);
    const entries = await writers[0]?.read(1, 10_000);
    expect(entries?.map(({ seq }) => seq)).toEqual(Array.from({ length: 800 }, (_, at) => at + 1));
  });

  describe('snapshots of replicas', () => {
    it('are stored by one of them, and the others return the same one', async () => {
      const replicas = [await open(), await open(), await open()];
      await replicas[0]?.append(batchOf(0, [bytes('a'), bytes('b')]));
      const infos = await Promise.all(replicas.map((store, index) => store.saveSnapshot(2, slowPieces(`by ${index}`))));
      expect(new Set(infos.map(({ digest }) => digest)).size).toBe(1);
      expect((await server.command('SCARD', key('snapshots'))).trim()).toBe('1');
      await Promise.all(replicas.map((store) => store.trim(2)));
      expect((await server.command('EXISTS', key('lease'))).trim()).toBe('0');
    });

    it('are stored by another replica when the lease of a dead one has expired', async () => {
      const store = await open();
      await store.append(batchOf(0, [bytes('a')]));
      await server.command('SET', key('lease'), 'of a replica that died', 'PX', '300');
      expect((await store.saveSnapshot(1, slowPieces('mine'))).seq).toBe(1);
    });

    it('do not become current if the lease is lost while saving', async () => {
      const store = await open();
      await store.append(batchOf(0, [bytes('a')]));
      await server.command('SADD', key('snapshots'), 'of another');
      const robbed = async function* () {
        yield bytes('piece');
        await server.command('SET', key('lease'), 'of another');
      };
      await expect(store.saveSnapshot(1, robbed())).rejects.toThrow(StoreError);
      expect(await store.loadSnapshot()).toBeNull();
      // The other replica may be writing these pieces.
      expect((await server.command('SMEMBERS', key('snapshots'))).split('\n')).toContain('of another');
      await server.command('DEL', key('lease'));
      expect((await store.saveSnapshot(1, slowPieces('mine'))).seq).toBe(1);
    });

    it('leave the previous one readable, and remove the pieces of unfinished ones', async () => {
      const [writer, reader] = [await open(), await open()];
      await writer.append(batchOf(0, [bytes('a'), bytes('b'), bytes('c')]));
      await server.command('SADD', key('snapshots'), 'cut');
      await server.command('HSET', key('snapshot:cut'), '0', 'half');
      await writer.saveSnapshot(1, slowPieces('first'));
      const loaded = await reader.loadSnapshot();
      await writer.saveSnapshot(2, slowPieces('second'));
      const read: string[] = [];
      for await (const piece of loaded?.pieces ?? []) read.push(Buffer.from(piece).toString());
      expect(read).toEqual(['first', 'end']);
      await writer.saveSnapshot(3, slowPieces('third'));
      expect((await server.command('SCARD', key('snapshots'))).trim()).toBe('2');
      expect((await server.command('EXISTS', key('snapshot:cut'))).trim()).toBe('0');
    });

    it('are saved one at a time', async () => {
      const store = await open();
      await store.append(batchOf(0, [bytes('a'), bytes('b')]));
      const first = store.saveSnapshot(1, slowPieces('first'));
      await expect(store.saveSnapshot(2, slowPieces('at the same time'))).rejects.toThrow(
        'one snapshot is saved at a time',
      );
      expect((await first).seq).toBe(1);
      expect((await store.saveSnapshot(2, slowPieces('afterwards'))).seq).toBe(2);
    });

    it('before the current one are erased with the trimmed entries, if a trim must erase them', async () => {
      const store = await open();
      await store.append(batchOf(0, [bytes('a'), bytes('b')]));
      await store.saveSnapshot(1, slowPieces('with a secret'));
      await store.saveSnapshot(2, slowPieces('without it'));
      await store.trim(2);
      expect((await server.command('SCARD', key('snapshots'))).trim()).toBe('2');
      // Another time changes nothing.
      for (let time = 0; time < 2; time++) {
        await store.trim(2, { erase: true });
        expect((await server.command('SCARD', key('snapshots'))).trim()).toBe('1');
        expect((await server.command('KEYS', key('snapshot:*'))).trim().split('\n')).toHaveLength(1);
        const read: string[] = [];
        for await (const piece of (await store.loadSnapshot())?.pieces ?? []) read.push(Buffer.from(piece).toString());
        expect(read).toEqual(['without it', 'end']);
      }
    });

    it('are refused when they read back differently', async () => {
      const store = await open();
      await store.append(batchOf(0, [bytes('a')]));
      const damaged = async function* () {
        yield new Uint8Array(300_000);
        yield new Uint8Array(300_000);
        const id = (await server.command('SMEMBERS', key('snapshots'))).trim();
        await server.command('HSET', key(`snapshot:${id}`), '0', 'something else');
      };
      await expect(store.saveSnapshot(1, damaged())).rejects.toThrow('reads back differently');
      expect(await store.loadSnapshot()).toBeNull();
    });

    it('are refused by readers if they were damaged later', async () => {
      const store = await open();
      await store.append(batchOf(0, [bytes('a')]));
      await store.saveSnapshot(1, slowPieces('state'));
      const id = (await server.command('SMEMBERS', key('snapshots'))).trim();
      await server.command('HSET', key(`snapshot:${id}`), '0', 'something else');
      const loaded = await store.loadSnapshot();
      const reading = (async () => {
        for await (const _ of loaded?.pieces ?? []);
      })();
      await expect(reading).rejects.toThrow('damaged');
    });
  });

  describe('the format', () => {
    it('of a newer Burgee is refused with an error', async () => {
      const store = await open();
      await store.append(batchOf(0, [bytes('a')]));
      await server.command('HSET', key('meta'), 'format', '3');
      await expect(open()).rejects.toThrow('the log has format 3; this Burgee reads format 2');
      await expect(store.append(batchOf(1, [bytes('b')]))).rejects.toThrow(StoreError);
      expect((await server.command('HGET', key('meta'), 'tip')).trim()).toBe('1');
    });
  });

  describe('the settings of the server', () => {
    const logged = () => {
      const lines: string[] = [];
      const write = (fields: unknown, message: string) => void lines.push(`${JSON.stringify(fields)} ${message}`);
      return { lines, logger: { ...silentLogger, debug: write, info: write, warn: write, error: write } as Logger };
    };

    it('cause a warning, or a refusal when strict, if commits may be lost', async () => {
      const args = ['--appendonly', 'no', '--appendfsync', 'everysec', '--maxmemory-policy', 'allkeys-lru'];
      const careless = await RedisServer.start({ args });
      try {
        const { lines, logger } = logged();
        await open({ url: careless.url, logger });
        for (const setting of ['appendonly is no', 'appendfsync is everysec', 'maxmemory-policy is allkeys-lru']) {
          expect(lines.filter((line) => line.includes(setting))).toHaveLength(1);
        }
        await expect(open({ url: careless.url, strict: true })).rejects.toThrow(/REDIS_STRICT: appendonly is no/);
      } finally {
        await careless.dispose();
      }
    });

    it('of redis.conf are accepted, also when strict', async () => {
      const { lines, logger } = logged();
      await open({ logger, strict: true });
      expect(lines.filter((line) => line.includes('durable'))).toEqual([]);
    });

    it('may require a password, which is in no log line and no error', async () => {
      const guarded = await RedisServer.start();
      try {
        await guarded.command('CONFIG', 'SET', 'requirepass', 's3cret/@word');
        const { lines, logger } = logged();
        const password = encodeURIComponent('s3cret/@word');
        const store = await open({ url: `redis://:${password}@127.0.0.1:${guarded.port}`, logger });
        expect(await store.append(batchOf(0, [bytes('a')]))).toMatchObject({ status: 'appended' });
        const wrong = await open({ url: `redis://:wr0ng@127.0.0.1:${guarded.port}`, logger }).catch(String);
        expect(wrong).toContain('WRONGPASS');
        expect(JSON.stringify([lines, wrong])).not.toMatch(/s3cret|wr0ng/);
      } finally {
        await guarded.dispose();
      }
    });
  });
});

describe('a connection string', () => {
  it.each([
    ['redis://localhost', { kind: 'single', hosts: [{ host: 'localhost', port: 6379 }], tls: false, database: 0 }],
    ['rediss://u:p%40@h:1/3', { tls: true, username: 'u', password: 'p@', database: 3 }],
    ['redis://p%40ss@h', { username: undefined, password: 'p@ss', hosts: [{ host: 'h', port: 6379 }] }],
    ['redis://p:a@ss@[::1]:7', { username: 'p', password: 'a@ss', hosts: [{ host: '::1', port: 7 }] }],
    [
      'redis-sentinel://:pw@a,b:1/main/2?sentinelPassword=x',
      {
        kind: 'sentinel',
        hosts: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 1 },
        ],
        masterName: 'main',
        database: 2,
        password: 'pw',
        sentinelPassword: 'x',
      },
    ],
    ['redis+cluster://a,b', { kind: 'cluster', database: 0 }],
  ])('is parsed: %s', (text, expected) => {
    expect(parseConnectionString(text)).toMatchObject(expected);
  });

  it.each([
    'http://user:s3cret@host',
    'redis://:s3cret@a,b',
    'redis-sentinel://:s3cret@a',
    'redis-cluster://:s3cret@a/1',
    'redis://:s3cret@host/x',
    'redis://:s3cret@host:99999',
    'redis://:s3cret%@host',
    's3cret',
  ])('is refused if it is invalid, and not repeated in the error (%#)', (text) => {
    expect(() => parseConnectionString(text)).toThrow(ConnectionStringError);
    expect(() => parseConnectionString(text)).not.toThrow(/s3cret/);
  });

  it('is described without credentials', () => {
    expect(describeTarget(parseConnectionString('rediss-sentinel://u:pw@a,[::1]:2/main/1?sentinelPassword=x'))).toBe(
      'rediss-sentinel://a:26379,[::1]:2/main/1',
    );
  });
});

const bytes = (content: string): Uint8Array => Buffer.from(content);

async function* slowPieces(content: string): AsyncGenerator<Uint8Array> {
  yield bytes(content);
  await sleep(20);
  yield bytes('end');
}
