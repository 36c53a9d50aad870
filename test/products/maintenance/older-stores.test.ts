import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { loadLocalCopy, localCopyPath } from '../../../src/engine/local-copy.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { RedisServer } from '../../support/programs/redis.ts';
import { expectRefusal, tell } from './store-command.ts';

/** Stores, a backup and a local copy of an older version (commit 46450ccf), and its answers. `fixtures/older-stores.mjs` made them. */
interface OlderStores {
  readonly admin: string;
  readonly client: string;
  readonly lmdb: { readonly files: Readonly<Record<string, string>>; readonly answers: Answers };
  readonly redis: { readonly keys: Readonly<Record<string, RedisValue>>; readonly answers: Answers };
  /** Of the store on LMDB, with the checksums that the older version computed. */
  readonly backup: { readonly file: string; readonly state: string; readonly events: string };
  /** Of the replica on Redis. */
  readonly copy: string;
}

interface Answers {
  readonly features: { readonly features: readonly { readonly name: string }[] };
  readonly totalEvents: number;
  readonly events: readonly { readonly id: number; readonly featureName: string | null }[];
}

type RedisValue =
  | { readonly type: 'hash'; readonly entries: readonly [name: string, value: string][] }
  | { readonly type: 'stream'; readonly entries: readonly [id: string, ...fields: string[]][] }
  | { readonly type: 'set'; readonly entries: readonly string[] };

const FIXTURE = new URL('../../fixtures/older-stores.json.gz', import.meta.url);
const stores = JSON.parse(gunzipSync(readFileSync(FIXTURE)).toString('utf8')) as OlderStores;

const bytes = (text: string) => Buffer.from(text, 'base64');

async function restore(redis: Redis, keys: Readonly<Record<string, RedisValue>>): Promise<void> {
  for (const [key, value] of Object.entries(keys)) {
    if (value.type === 'set') await redis.sadd(key, ...value.entries.map(bytes));
    else if (value.type === 'hash') for (const [name, each] of value.entries) await redis.hset(key, name, bytes(each));
    else for (const [id, ...fields] of value.entries) await redis.xadd(key, id, ...fields.map(bytes));
  }
}

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'burgee-older-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function ask(url: string, path: string, authorization: string, method = 'GET', body?: unknown) {
  const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  expect(response.status, `${method} ${path}: ${text}`).toBeLessThan(300);
  return text === '' ? undefined : JSON.parse(text);
}

const byName = <T extends { readonly name: string }>(features: readonly T[]) =>
  [...features].sort((left, right) => (left.name < right.name ? -1 : 1));

async function expectAll(url: string, answers: Answers, enabled: readonly string[] = []): Promise<void> {
  const { features } = await ask(url, '/api/client/features', stores.client);
  const expected = answers.features.features.map((each) =>
    enabled.includes(each.name) ? { ...each, enabled: true } : each,
  );
  expect(byName(features)).toMatchObject(byName(expected));
  const { events } = await ask(url, `/api/admin/events?offset=${answers.totalEvents}&limit=100`, stores.admin);
  expect(events).toMatchObject(answers.events);
  const wanted = { feature: 'flag-4', offset: answers.totalEvents };
  const found = await ask(url, '/api/admin/events/search', stores.admin, 'POST', wanted);
  const ids = answers.events.filter(({ featureName }) => featureName === 'flag-4').map(({ id }) => id);
  expect(ids.length).toBeGreaterThan(2);
  expect(found.events.map(({ id }: { id: number }) => id)).toEqual(ids);
}

/** Expects that a service serves the whole store, changes it, and serves all of it after a restart. */
async function expectUpgrade(environment: Readonly<Record<string, string>>, answers: Answers): Promise<void> {
  for (const isFirst of [true, false]) {
    const service = new BurgeeProcess({ ...environment, LOG_LEVEL: 'info' });
    try {
      const url = await service.url();
      await expectAll(url, answers, isFirst ? [] : ['flag-1']);
      if (isFirst) {
        const path = '/api/admin/projects/default/features/flag-1/environments/development/on';
        await ask(url, path, stores.admin, 'POST');
        await ask(url, '/api/admin/banners', stores.admin, 'POST', { message: 'We have moved.' });
      } else expect((await ask(url, '/api/admin/banners', stores.admin)).banners).toHaveLength(1);
      service.process.kill('SIGTERM');
      expect(await service.exited).toBe(0);
    } finally {
      await service.stop();
    }
  }
}

describe('A store of an older version', { timeout: 120_000 }, () => {
  it('on LMDB, with a snapshot and a log after it, is served completely, changed, and served again', async () => {
    const directory = join(root, 'data');
    for (const [name, content] of Object.entries(stores.lmdb.files)) {
      mkdirSync(dirname(join(directory, name)), { recursive: true });
      writeFileSync(join(directory, name), bytes(content));
    }
    const { state, events } = stores.backup;
    expect(await tell('digest', '--from', `lmdb:${directory}`)).toMatchObject([{ state, events }]);
    await expectUpgrade({ DATA_DIR: directory }, stores.lmdb.answers);
  });

  it('in Redis is served completely, too, by a replica that joins after the older ones have ended', async () => {
    const server = await RedisServer.start();
    const redis = new Redis(server.url);
    try {
      await restore(redis, stores.redis.keys);
      await expectUpgrade({ DATA_DIR: join(root, 'replica'), REDIS_URL: server.url }, stores.redis.answers);
    } finally {
      redis.disconnect();
      await server.dispose();
    }
  });
});

describe('A file of an older version', () => {
  it('is restored, if it is a backup', async () => {
    const path = join(root, 'older.backup');
    writeFileSync(path, bytes(stores.backup.file));
    const { state, events } = stores.backup;
    const [, restored] = await tell('restore', '--from', path, '--to', `lmdb:${join(root, 'data')}`);
    expect(restored).toMatchObject({ state, events });
  });

  it('is loaded, if it is the local copy of a replica, and is not taken for a backup', async () => {
    const path = localCopyPath(root);
    writeFileSync(path, bytes(stores.copy));
    const copy = await loadLocalCopy(root, silentLogger);
    const stored = stores.redis.keys['{burgee}:meta']?.entries as readonly [string, string][];
    const meta = Object.fromEntries(stored.map(([name, value]) => [name, bytes(value).toString()]));
    const position = { epoch: meta.epoch, seq: Number(meta.tip), writeId: meta.tipWrite, ancestors: [] };
    expect(copy?.position).toEqual(position);
    const names = Array.from(copy?.state.values('features') ?? [], ({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['flag-0', 'flag-7']));
    await expectRefusal(
      ['restore', '--from', path, '--to', `lmdb:${join(root, 'data')}`],
      /replica.copy is the local copy of a replica, not a backup/,
    );
  });
});
