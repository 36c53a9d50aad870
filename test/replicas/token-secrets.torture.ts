import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { hashedSecret } from '../../src/model/token-secret.ts';
import { filesBelow, filesWith } from '../support/http/raw-bytes.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN } from '../support/service.ts';
import { untilTrue } from '../support/until.ts';
import { Fleet, type ReplicaProcess } from './fleet.ts';

const HASHED = { API_TOKEN_SECRETS: 'hashed' };
// In compressed files, a secret could be there without being found.
const REDIS = { args: ['--rdbcompression', 'no'] };

describe('Secrets of tokens in Redis', () => {
  let fleet: Fleet;

  afterEach(() => fleet.dispose());

  const create = async (replica: ReplicaProcess, tokenName: string): Promise<string> => {
    const body = { type: 'client', tokenName };
    const answer = await replica.call('POST', '/api/admin/api-tokens', { body });
    expect(answer.status, answer.text).toBe(201);
    return answer.json.secret;
  };

  const poll = async (replica: ReplicaProcess, authorization: string) =>
    (await replica.call('GET', '/api/client/features', { headers: { authorization } })).status;

  /** The files of Redis that contain the text, after it has rewritten its append-only file and saved a dump. */
  const inRedis = async (text: string) => {
    const { redis } = fleet;
    await redis.command('SAVE');
    await redis.command('BGREWRITEAOF');
    await untilTrue(
      async () =>
        /aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0/.test(await redis.command('INFO', 'persistence')),
      'rewritten',
    );
    return filesWith(redis.directory, text);
  };

  it('are erased by the next snapshot when their token was deleted', async () => {
    fleet = await Fleet.start(2, { SNAPSHOT_EVERY_COMMITS: '40' }, REDIS);
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const [kept, deleted] = [await create(first, 'kept'), await create(second, 'deleted')];
    const path = `/api/admin/api-tokens/${encodeURIComponent(deleted)}`;
    expect((await first.call('DELETE', path)).status).toBe(200);
    expect(await inRedis(deleted)).toHaveLength(2);
    for (let count = 0; count < 60; count += 1) await first.create(`flag-${count}`);
    await untilTrue(async () => (await inRedis(deleted)).length === 0, 'it was erased');
    expect(await inRedis(kept)).toHaveLength(2);
    await fleet.expectAgreement();
    for (const replica of fleet.replicas) expect(await poll(replica, kept)).toBe(200);
  });

  it('are erased by the next snapshot also when the replica started again after their token was deleted', async () => {
    fleet = await Fleet.start(1, { SNAPSHOT_EVERY_COMMITS: '40' }, REDIS);
    const replica = fleet.at(0);
    const deleted = await create(replica, 'deleted');
    for (let count = 0; count < 45; count += 1) await replica.create(`before-${count}`);
    await untilTrue(
      async () => (await fleet.redis.command('HGET', '{burgee}:meta', 'snapshot')).trim() !== '',
      'a snapshot holds it',
    );
    expect((await replica.call('DELETE', `/api/admin/api-tokens/${encodeURIComponent(deleted)}`)).status).toBe(200);
    await replica.end();
    await replica.start();
    for (let count = 0; count < 60; count += 1) await replica.create(`after-${count}`);
    await untilTrue(async () => (await inRedis(deleted)).length === 0, 'it was erased');
    expect(await poll(replica, CLIENT_TOKEN)).toBe(200);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'are erased by the next start when %s ended the one that hashed them',
    async (signal) => {
      fleet = await Fleet.start(1, { LOCAL_COPY_EVERY_MS: '100' }, REDIS);
      const replica = fleet.at(0);
      const secret = await create(replica, 'token');
      await replica.end();
      const lease = '{burgee}:lease';
      await fleet.redis.command('SET', lease, 'of a replica that was killed', 'PX', '60000');
      await replica.start(HASHED);
      await untilTrue(() => filesWith(replica.directory, secret).length === 0, 'its copy is newer');
      await replica.end(signal);
      expect(await inRedis(secret)).toHaveLength(2);
      await fleet.redis.command('DEL', lease);
      await replica.start(HASHED);
      await untilTrue(async () => (await inRedis(secret)).length === 0, 'it was erased');
      expect(await poll(replica, secret)).toBe(200);
    },
  );

  it('are hashed for all replicas by the first that has the option, however often it is killed meanwhile', async () => {
    fleet = await Fleet.start(2, { LOCAL_COPY_EVERY_MS: '100' }, REDIS);
    const [first, second] = [fleet.at(0), fleet.at(1)];
    const secrets: string[] = [];
    for (let count = 0; count < 200; count += 1) secrets.push(await create(first, `token-${count}`));
    expect(await inRedis(secrets[0] as string)).toHaveLength(2);
    await first.end();
    for (const afterMs of [0, 150, 200, 250, 300, 400]) {
      await first.spawn(HASHED);
      await sleep(300 + afterMs);
      await first.end('SIGKILL');
    }
    await first.start(HASHED);
    await fleet.expectAgreement();
    // The other one still runs without the option.
    const later = await create(second, 'later');
    // A replica that was killed while it stored a snapshot holds the lease for 30 s; the snapshot that erases comes after that.
    await untilTrue(async () => (await inRedis(CLIENT_TOKEN)).length === 0, 'the secrets were erased');
    await fleet.expectAgreement();
    for (const replica of fleet.replicas) {
      for (const secret of [later, CLIENT_TOKEN, secrets[0], secrets[199]])
        expect(await poll(replica, secret ?? '')).toBe(200);
      const { text } = await replica.call('GET', '/api/admin/api-tokens');
      expect(text).toContain(hashedSecret(later));
      for (const secret of [later, ADMIN_TOKEN, ...secrets]) expect(text).not.toContain(secret);
    }
    const all = [later, CLIENT_TOKEN, ADMIN_TOKEN, ...secrets];
    const holds = (directory: string) => {
      const files = [...filesBelow(directory)].map(([name, bytes]) => ({ name, text: bytes.toString('latin1') }));
      return files.filter(({ text }) => all.some((secret) => text.includes(secret))).map(({ name }) => name);
    };
    for (const { directory } of fleet.replicas)
      await untilTrue(() => holds(directory).length === 0, 'no copy of a replica holds a secret, nor a part of one');
    expect(holds(fleet.redis.directory)).toEqual([]);
    await second.end();
    await second.spawn();
    expect(await second.exited).toBe(1);
    expect(second.log).toContain('set API_TOKEN_SECRETS=hashed');
  });
});
