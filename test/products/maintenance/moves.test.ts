import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { decodeEvent } from '../../../src/state/commit.ts';
import type { LogPosition } from '../../../src/stores/lineage.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { RedisStore } from '../../../src/stores/redis/redis-store.ts';
import type { Store } from '../../../src/stores/store.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { type ToldHistory, tell } from './store-command.ts';

let root: string;
let redis: RedisServer;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'burgee-moves-'));
  redis = await RedisServer.start();
});
afterAll(async () => {
  await redis.dispose();
  rmSync(root, { recursive: true, force: true });
});

let directories = 0;
const newDirectory = () => join(root, `store-${++directories}`);
let databases = 0;
/** A database of the server, which has 16. Each is a separate location. */
const newDatabase = () => `${redis.url}/${databases++}`;

const lmdb = (directory: string) => new LmdbStore({ directory, logger: silentLogger });
const inRedis = (url: string) =>
  new RedisStore({ url, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 50 } });

/** Calls `use` with a service on the store, and closes the service afterwards. */
async function serving<T>(store: Store, use: (service: TestService) => Promise<T>, env = {}): Promise<T> {
  const service = await startTestService({ store, env });
  try {
    while ((await fetch(`${service.url}/ready`)).status !== 200) await sleep(5);
    return await use(service);
  } finally {
    await service.close();
  }
}

async function createFlags(service: TestService, prefix: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const name = `${prefix}-${index}`;
    const params = { projectId: 'default', featureName: name, environment: 'development' };
    expect((await service.call('createFeature', { params, body: { name } })).status).toBe(201);
    expect((await service.call('toggleFeatureEnvironmentOn', { params })).status).toBe(200);
  }
}

/** What SDKs and admins read: bytes and ETags. */
async function sight(service: TestService) {
  const list = await service.call('getAllClientFeatures', { headers: { 'unleash-client-spec': '5.2.0' } });
  const oldList = await service.call('getAllClientFeatures');
  const events = await service.call('getEvents', { query: 'limit=100' });
  const tokens = await service.call('getAllApiTokens');
  return {
    etag: list.headers.get('etag'),
    list: list.text,
    oldEtag: oldList.headers.get('etag'),
    oldList: oldList.text,
    events: events.text,
    tokens: tokens.body.tokens.map(({ secret }: { secret: string }) => secret),
  };
}

async function pollWith(service: TestService, etag: string | null): Promise<number> {
  const headers = { 'unleash-client-spec': '5.2.0', 'if-none-match': etag ?? '' };
  return (await service.call('getAllClientFeatures', { headers })).status;
}

const withoutLocation = ({ place: _, ...history }: ToldHistory) => history;

/** Expects one history for each location, and that all of them are equal. */
function expectEqual(histories: readonly ToldHistory[], locations: readonly string[]): void {
  expect(histories.map(({ place }) => place)).toEqual(locations);
  expect(new Set(histories.map((history) => JSON.stringify(withoutLocation(history)))).size).toBe(1);
}

const epochOf = (directory: string): string => JSON.parse(readFileSync(join(directory, 'store.json'), 'utf8')).epoch;

describe('copying', () => {
  it('from LMDB to Redis and back keeps flags, events, tokens, ETags and revisions, and the service still writes', async () => {
    const [first, last, url] = [newDirectory(), newDirectory(), newDatabase()];
    const before = await serving(lmdb(first), async (service) => {
      await createFlags(service, 'a', 20);
      return sight(service);
    });
    const out = await tell('copy', '--from', `lmdb:${first}`, '--to', url);
    expectEqual(out, [`lmdb:${first}`, url.replace(/\/0$/, '')]);
    expect(out[0]).toMatchObject({ flags: 20 });

    const moved = await serving(inRedis(url), async (service) => {
      expect(await pollWith(service, before.etag)).toBe(304);
      const seen = await sight(service);
      await createFlags(service, 'b', 1);
      expect(await pollWith(service, before.etag)).toBe(200);
      return { seen, after: await sight(service) };
    });
    expect(moved.seen).toEqual(before);

    const back = await tell('copy', '--from', url, '--to', `lmdb:${last}`);
    expect(withoutLocation(back[0] as ToldHistory)).toEqual(withoutLocation(back[1] as ToldHistory));
    expect(back[1]?.revision).toBeGreaterThan(out[1]?.revision ?? Number.POSITIVE_INFINITY);
    await serving(lmdb(last), async (service) => {
      expect(await sight(service)).toEqual(moved.after);
      expect(await pollWith(service, moved.after.etag)).toBe(304);
      await createFlags(service, 'c', 1);
      const next = (back[1]?.eventCount ?? 0) + 1;
      const [event] = await service.running.services.store.readEventsForward(next, 1);
      expect(event?.id).toBe(next);
      expect(decodeEvent(event?.bytes ?? new Uint8Array()).featureName).toBe('c-0');
    });
  });

  it('from LMDB to LMDB leaves the source unchanged and begins a new epoch', async () => {
    const [first, second] = [newDirectory(), newDirectory()];
    await serving(lmdb(first), (service) => createFlags(service, 'a', 3));
    const histories = await tell('copy', '--from', `lmdb:${first}`, '--to', `lmdb:${second}`);
    expectEqual(
      [...histories, ...(await tell('digest', '--from', `lmdb:${first}`))],
      [`lmdb:${first}`, `lmdb:${second}`, `lmdb:${first}`],
    );
    expect(epochOf(second)).toMatch(/^[0-9a-f-]{36}$/);
    expect(epochOf(second)).not.toBe(epochOf(first));
  });

  it('from Redis to Redis accepts replicas of the source, and reports a loss to those with later commits', async () => {
    const [first, second] = [newDatabase(), newDatabase()];
    const known = await serving(inRedis(first), async (service) => {
      await createFlags(service, 'a', 2);
      const { position } = service.running.services.store as RedisStore;
      await tell('copy', '--from', first, '--to', second);
      return position as LogPosition;
    });
    const options = { url: second, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 50 } };
    for (const seq of [known.seq - 1, known.seq]) {
      const writeId = seq === known.seq ? known.writeId : '';
      const replica = new RedisStore({ ...options, known: { ...known, seq, writeId } });
      expect((await replica.open()).tip).toBe(known.seq);
      expect(replica.epoch).not.toBe(known.epoch);
      expect(replica.loss).toBeNull();
      await replica.close();
    }
    const ahead = new RedisStore({ ...options, known: { ...known, seq: known.seq + 1, writeId: 'later' } });
    await expect(ahead.open()).rejects.toThrow(/without 1 commits of this replica/);
    expect(ahead.loss?.kind).toBe('superseded');
    await ahead.close();
  });

  it('from Redis to LMDB and on to Redis accepts replicas of the first Redis, and reports a loss to those with later commits', async () => {
    const [first, directory, last] = [newDatabase(), newDirectory(), newDatabase()];
    const known = await serving(inRedis(first), async (service) => {
      await createFlags(service, 'a', 2);
      return (service.running.services.store as RedisStore).position;
    });
    await tell('copy', '--from', first, '--to', `lmdb:${directory}`);
    const between = await serving(lmdb(directory), async (service) => {
      await createFlags(service, 'b', 1);
      const { store, state } = service.running.services;
      return store.lineAt(state.seq);
    });
    expect(between.writeId).not.toBe('');
    const [origin] = between.ancestors;
    expect(between.ancestors).toMatchObject([{ epoch: known.epoch, isDecided: true }]);
    expect(origin?.writeId).not.toBe('');
    await tell('copy', '--from', `lmdb:${directory}`, '--to', last);
    const options = { url: last, logger: silentLogger, clock: systemClock, timeouts: { graceMs: 50 } };
    for (const position of [known, between]) {
      const replica = new RedisStore({ ...options, known: position });
      expect((await replica.open()).tip).toBeGreaterThanOrEqual(between.seq);
      expect(replica.loss).toBeNull();
      await replica.close();
    }
    const ahead = new RedisStore({ ...options, known: { ...known, seq: (origin?.seq ?? 0) + 1, writeId: 'later' } });
    await expect(ahead.open()).rejects.toThrow(/without 1 commits of this replica/);
    await ahead.close();
  });

  it('into a directory that has only the newest-commit files of a removed store begins a new store there', async () => {
    const [first, second] = [newDirectory(), newDirectory()];
    await serving(lmdb(first), (service) => createFlags(service, 'a', 1));
    await tell('copy', '--from', `lmdb:${first}`, '--to', `lmdb:${second}`);
    await serving(lmdb(second), async () => {});
    for (const file of readdirSync(second))
      if (!file.startsWith('newest-commit')) rmSync(join(second, file), { recursive: true });
    await tell('copy', '--from', `lmdb:${first}`, '--to', `lmdb:${second}`);
    await serving(lmdb(second), (service) => createFlags(service, 'b', 1));
  });

  it('from Redis under a key prefix finds that log only', async () => {
    const [first, url] = [newDirectory(), newDatabase()];
    await serving(lmdb(first), (service) => createFlags(service, 'a', 2));
    await tell('copy', '--from', `lmdb:${first}`, '--to', url, '--key-prefix', 'second');
    const [history] = await tell('digest', '--from', url, '--key-prefix', 'second');
    expect(history?.flags).toBe(2);
    expect((await redis.commandAs({ db: Number(url.split('/').at(-1)) }, 'KEYS', '{burgee}*')).trim()).toBe('');
  });

  it('of a Redis that is written to has one moment of it: state and events agree', async () => {
    const [url, target] = [newDatabase(), newDirectory()];
    await serving(inRedis(url), async (service) => {
      let isOver = false;
      const writing = (async () => {
        for (let round = 0; !isOver; round++) await createFlags(service, `w${round}`, 5);
      })();
      await createFlags(service, 'first', 5);
      const histories = await tell('copy', '--from', url, '--to', `lmdb:${target}`);
      isOver = true;
      await writing;
      expect(withoutLocation(histories[0] as ToldHistory)).toEqual(withoutLocation(histories[1] as ToldHistory));
      expect(histories[0]?.revision).toBeLessThan(service.running.services.state.seq);
    });
    await serving(lmdb(target), async (service) => {
      const { state, store } = service.running.services;
      const events = await store.readEventsForward(1, 1_000_000);
      expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
      const created = events.filter(({ bytes }) => decodeEvent(bytes).type === 'feature-created');
      expect(created.length).toBe(state.size('features'));
    });
  });
});

describe('a backup', () => {
  it('restores to the same history, into either store, and is readable by its owner only', async () => {
    const [first, second, url] = [newDirectory(), newDirectory(), newDatabase()];
    const file = join(root, 'one.backup');
    const before = await serving(lmdb(first), async (service) => {
      await createFlags(service, 'a', 10);
      return sight(service);
    });
    const histories = await tell('backup', '--from', `lmdb:${first}`, '--to', file);
    histories.push(...(await tell('digest', '--from', `file:${file}`)));
    histories.push(...(await tell('restore', '--from', file, '--to', `lmdb:${second}`)));
    histories.push(...(await tell('restore', '--from', `file:${file}`, '--to', url)));
    expect(new Set(histories.map((history) => JSON.stringify(withoutLocation(history)))).size).toBe(1);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    for (const store of [lmdb(second), inRedis(url)]) {
      await serving(store, async (service) => {
        expect(await sight(service)).toEqual(before);
        expect(await pollWith(service, before.etag)).toBe(304);
      });
    }
  });

  it('that is older than the revision of SDKs sends them the flags again if it is restored with --new-revisions', async () => {
    const [first, second] = [newDirectory(), newDirectory()];
    const file = join(root, 'two.backup');
    await serving(lmdb(first), (service) => createFlags(service, 'a', 2));
    await tell('backup', '--from', `lmdb:${first}`, '--to', file);
    const seen = await serving(lmdb(first), async (service) => {
      await createFlags(service, 'lost', 2);
      return sight(service);
    });
    const histories = await tell('restore', '--from', file, '--to', `lmdb:${second}`, '--new-revisions');
    expect(histories[1]?.state).not.toBe(histories[0]?.state);
    expect(histories[1]?.events).toBe(histories[0]?.events);
    await serving(lmdb(second), async (service) => {
      // As many writes as before: without new revisions, SDKs would have seen the revision already.
      await createFlags(service, 'other', 2);
      expect(await pollWith(service, seen.etag)).toBe(200);
      expect(JSON.parse((await sight(service)).list).features.map(({ name }: { name: string }) => name)).toEqual([
        'a-0',
        'a-1',
        'other-0',
        'other-1',
      ]);
    });
  });

  it('of a store without a snapshot has the same digest as of one with it', async () => {
    const directory = newDirectory();
    await serving(lmdb(directory), (service) => createFlags(service, 'a', 5));
    const [before] = await tell('digest', '--from', `lmdb:${directory}`);
    await serving(lmdb(directory), (service) => service.running.snapshotter.snapshot());
    const [after] = await tell('digest', '--from', `lmdb:${directory}`);
    expect(after).toEqual(before);
  });
});
