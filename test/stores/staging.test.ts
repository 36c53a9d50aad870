import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../src/stores/lineage.ts';
import { stageInDirectory } from '../../src/stores/lmdb/lmdb-staging.ts';
import { holdsLog, stageInRedis } from '../../src/stores/redis/redis-staging.ts';
import type { StagedHistory, Staging } from '../../src/stores/staging.ts';
import type { EventEntry } from '../../src/stores/store.ts';
import { RedisServer } from '../support/programs/redis.ts';
import { TcpFaultProxy } from './tcp-fault-proxy.ts';

const HISTORY: StagedHistory = { seq: 7, lastEventId: 3, ancestor: { ...ROOT, epoch: 'source', seq: 7, writeId: 'w' } };
const EVENTS: EventEntry[] = [1, 2, 3].map((id) => ({ id, bytes: Buffer.alloc(600_000, id) }));

async function* pieces(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('state');
}

/** Puts everything that the history has. */
async function put(staging: Staging): Promise<void> {
  await staging.putSnapshot(pieces());
  await staging.putEvents(EVENTS);
  await staging.seal();
}

async function eventsOf(staging: Staging): Promise<EventEntry[]> {
  const events: EventEntry[] = [];
  for await (const batch of staging.readEvents()) events.push(...batch);
  return events;
}

describe('a location in Redis that is filled', () => {
  let server: RedisServer;
  let stagings: Staging[];

  beforeEach(async () => {
    server = await RedisServer.start();
    stagings = [];
  });

  afterEach(async () => {
    for (const staging of stagings) await staging.close();
    await server.dispose();
  });

  const stage = async (url = server.url, warn = (_: string) => {}) => {
    const staging = await stageInRedis({ url, keyPrefix: 'burgee' }, HISTORY, warn);
    stagings.push(staging);
    return staging;
  };

  const isFilled = () => holdsLog({ url: server.url, keyPrefix: 'burgee' });

  it('has nothing to read before its snapshot was put, and everything that was put after that', async () => {
    const staging = await stage();
    expect(() => staging.readSnapshot()).toThrow('there is no snapshot yet');
    await put(staging);
    expect((await eventsOf(staging)).map(({ id, bytes }) => [id, bytes.length, bytes[0]])).toEqual([
      [1, 600_000, 1],
      [2, 600_000, 2],
      [3, 600_000, 3],
    ]);
    expect(await isFilled()).toBe(false);
    const epoch = await staging.commit();
    expect((await server.command('HGET', '{burgee}:meta', 'epoch')).trim()).toBe(epoch);
  });

  it('is filled by one of two at a time', async () => {
    const [one, other] = [await stage(), await stage()];
    await put(one);
    await put(other);
    const epoch = await one.commit();
    await expect(other.commit()).rejects.toThrow(
      `redis://127.0.0.1:${server.port} holds a log already; only an empty location is filled`,
    );
    await other.close();
    expect((await server.command('HGET', '{burgee}:meta', 'epoch')).trim()).toBe(epoch);
    expect((await server.command('SCARD', '{burgee}:snapshots')).trim()).toBe('1');
    await expect(stage()).rejects.toThrow('holds a log already');
  });

  it('is not filled if staged data was lost, or replicas are about to refill it', async () => {
    const staging = await stage();
    await put(staging);
    await server.command('SET', '{burgee}:election', 'x');
    await expect(staging.commit()).rejects.toThrow('running replicas of Burgee are about to refill it');
    await server.command('DEL', '{burgee}:election');
    const [id = ''] = (await server.command('SMEMBERS', '{burgee}:snapshots')).trim().split('\n');
    await server.command('DEL', `{burgee}:snapshot:${id}`);
    await expect(staging.commit()).rejects.toThrow('was not filled: some of the staged data is missing');
    expect(await isFilled()).toBe(false);
  });

  it('is filled once, also if the answer to its commit is lost', async () => {
    const proxy = await TcpFaultProxy.start(server.port);
    try {
      const staging = await stage(proxy.url);
      await put(staging);
      proxy.cut();
      const epoch = await staging.commit();
      expect((await server.command('HGET', '{burgee}:meta', 'epoch')).trim()).toBe(epoch);
    } finally {
      await proxy.close();
    }
  });

  it('gets a warning for each setting of the server with which it may be lost', async () => {
    await server.command('CONFIG', 'SET', 'appendfsync', 'everysec');
    const warnings: string[] = [];
    await stage(server.url, (finding) => warnings.push(finding));
    expect(warnings).toEqual([
      'appendfsync is everysec: up to two seconds of acknowledged commits can be lost. Set appendfsync always',
    ]);
  });

  it('is not asked whether it has a log if the server refuses it: the error says why', async () => {
    await server.command('ACL', 'SETUSER', 'default', '-exists');
    await expect(isFilled()).rejects.toThrow(/^cannot use redis:\/\/127\.0\.0\.1:\d+: NOPERM/);
  });
});

describe('a directory that is filled', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-staged-'));
  });

  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('has nothing to read before its snapshot was put, and is as before without a commit', async () => {
    const staging = await stageInDirectory(directory, HISTORY);
    expect(() => staging.readSnapshot()).toThrow('there is no snapshot yet');
    await put(staging);
    expect((await eventsOf(staging)).map(({ id }) => id)).toEqual([1, 2, 3]);
    // Its tip is there already.
    await expect(staging.seal()).rejects.toThrow('another process changes the data at the same time');
    await staging.close();
    expect(readdirSync(directory)).toEqual(['lock']);
  });
});
