import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { hashedSecret } from '../../../src/model/token-secret.ts';
import { accepted, eventsOf, refused, UNAUTHENTICATED } from '../../support/admin.ts';
import { filesWith } from '../../support/http/raw-bytes.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
  type TestServiceOptions,
} from '../../support/service.ts';

const HASHED = { API_TOKEN_SECRETS: 'hashed' };
const HANDLE = /^sha256:[0-9a-f]{64}$/;
const INIT_TOKENS = [ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN];

const services: TestService[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

const start = async (options: TestServiceOptions = {}) => {
  const service = await startTestService({ onDisk: true, ...options });
  services.push(service);
  return service;
};

const create = async (service: TestService, tokenName: string): Promise<string> => {
  const { body } = await accepted(service, 'createApiToken', { body: { type: 'client', tokenName } });
  expect(body.secret).toMatch(/^\*:development\.[0-9a-f]{56}$/);
  return body.secret;
};

const poll = async (service: TestService, token: string) =>
  (await service.call('getAllClientFeatures', { token })).status;

/** name → the secret as the list shows it. */
const listed = async (service: TestService): Promise<Record<string, string>> => {
  const { body } = await accepted(service, 'getAllApiTokens');
  return Object.fromEntries(body.tokens.map((token: Record<string, string>) => [token.tokenName, token.secret]));
};

describe('The secret of a deleted token', () => {
  it('is not in the embedded store after the next snapshot, not even in free pages of its file', async () => {
    const service = await start();
    const { snapshotter } = service.running;
    const secret = await create(service, 'short-lived');
    const kept = await create(service, 'kept');
    await snapshotter.snapshot();
    expect(filesWith(service.directory, secret)).toEqual(['data.mdb']);
    await accepted(service, 'deleteApiToken', { params: { token: secret } });
    await snapshotter.snapshot();
    expect(filesWith(service.directory, secret)).toEqual([]);
    expect(filesWith(service.directory, kept)).toEqual(['data.mdb']);
    expect((await service.call('getAllClientFeatures', { token: kept })).status).toBe(200);
  });

  it('is not in the store after the next snapshot, also after a restart in between', async () => {
    const first = await start();
    const secret = await create(first, 'short-lived');
    await accepted(first, 'deleteApiToken', { params: { token: secret } });
    await first.running.close();
    const second = await start({ directory: first.directory });
    expect(filesWith(first.directory, secret)).toEqual(['data.mdb']);
    await second.running.snapshotter.snapshot();
    expect(filesWith(first.directory, secret)).toEqual([]);
  });

  it('is not in the store after the snapshot that follows the running one', async () => {
    const service = await start();
    const { snapshotter } = service.running;
    const secret = await create(service, 'short-lived');
    const underWay = snapshotter.snapshot();
    await accepted(service, 'deleteApiToken', { params: { token: secret } });
    await underWay;
    await snapshotter.snapshot();
    expect(filesWith(service.directory, secret)).toEqual([]);
  });
});

describe('The secret of a token that is stored as a hash', () => {
  it('is returned once, gives access, and is in no file, no list and no event', async () => {
    const service = await start({ env: HASHED });
    let secret = '';
    const events = await eventsOf(service, async () => {
      secret = await create(service, 'app');
    });
    expect(events).toHaveLength(1);
    expect(await poll(service, secret)).toBe(200);
    expect(await poll(service, CLIENT_TOKEN)).toBe(200);
    expect(await poll(service, `Bearer ${secret}`)).toBe(200);
    const lists = [
      await accepted(service, 'getAllApiTokens'),
      await accepted(service, 'getApiTokensByName', { params: { token: 'app' } }),
      await accepted(service, 'getEvents', { query: 'limit=100' }),
    ];
    for (const { text } of lists) for (const each of [secret, ...INIT_TOKENS]) expect(text).not.toContain(each);
    expect(await listed(service)).toMatchObject({
      app: hashedSecret(secret),
      'init-admin-1': expect.stringMatching(HANDLE),
    });
    await service.running.snapshotter.snapshot();
    await create(service, 'another');
    await service.running.close();
    for (const each of [secret, ...INIT_TOKENS]) expect(filesWith(service.directory, each)).toEqual([]);
    const again = await start({ env: HASHED, directory: service.directory });
    expect(await poll(again, secret)).toBe(200);
    expect(Object.keys(await listed(again)).sort()).toEqual(
      ['another', 'app', 'init-admin-1', 'init-client-1', 'init-frontend-1'].sort(),
    );
  });

  it('identifies its token in paths; the handle from lists does too, but gives no access', async () => {
    const service = await start({ env: HASHED });
    const expiresAt = '2040-01-01T00:00:00.000Z';
    const [bySecret, byHandle] = [await create(service, 'by-secret'), await create(service, 'by-handle')];
    const handle = (await listed(service))['by-handle'] as string;
    for (const token of [bySecret, handle])
      await accepted(service, 'updateApiToken', { params: { token }, body: { expiresAt } });
    const { body } = await accepted(service, 'getAllApiTokens');
    const expiring = body.tokens.filter((token: Record<string, string>) => token.expiresAt === expiresAt);
    expect(expiring.map((token: Record<string, string>) => token.tokenName)).toEqual(['by-secret', 'by-handle']);
    for (const text of [handle, `Bearer ${handle}`, handle.slice(7), hashedSecret(handle)]) {
      await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, { token: text });
    }
    for (const token of [handle, bySecret]) await accepted(service, 'deleteApiToken', { params: { token } });
    for (const token of [byHandle, bySecret]) {
      await refused(service, 'getAllClientFeatures', UNAUTHENTICATED, { token });
      // Unleash answers the same for an absent token, and nothing changes.
      await accepted(service, 'deleteApiToken', { params: { token } });
    }
  });

  it('is hashed for every token of a store with plain secrets, and no file contains a plain secret afterwards', async () => {
    const first = await start();
    const before = await create(first, 'before-the-snapshot');
    await first.running.snapshotter.snapshot();
    const after = await create(first, 'after-the-snapshot');
    const deleted = await create(first, 'deleted');
    await accepted(first, 'deleteApiToken', { params: { token: deleted } });
    const { headers } = await first.call('getAllClientFeatures', { token: before });
    await first.running.close();
    const secrets = [before, after, deleted, ...INIT_TOKENS];
    for (const secret of secrets) expect(filesWith(first.directory, secret)).toEqual(['data.mdb']);
    const second = await start({ env: HASHED, directory: first.directory });
    for (const secret of secrets) expect(filesWith(first.directory, secret)).toEqual([]);
    for (const secret of [before, after]) expect(await poll(second, secret)).toBe(200);
    expect((await second.call('getAllClientFeatures', { token: before })).headers.get('etag')).toBe(
      headers.get('etag'),
    );
    expect(await listed(second)).toMatchObject({ 'after-the-snapshot': hashedSecret(after) });
    expect(await create(second, 'new')).not.toMatch(HANDLE);
  });

  it('cannot be restored: a start without the option is refused, with the name of the option', async () => {
    const service = await start({ env: HASHED });
    await service.running.close();
    await expect(startTestService({ directory: service.directory })).rejects.toThrow(/set API_TOKEN_SECRETS=hashed/);
  });

  it('is in no file, also when the process is killed several times while it hashes', {
    timeout: 180_000,
  }, async () => {
    const first = await start();
    const secrets = [];
    for (let count = 0; count < 300; count += 1) secrets.push(await create(first, `token-${count}`));
    await first.running.snapshotter.snapshot();
    for (let count = 300; count < 400; count += 1) secrets.push(await create(first, `token-${count}`));
    await first.running.close();
    const environment = { DATA_DIR: first.directory, ...HASHED };
    // From before the first commit until after the replacement of the files.
    for (let afterMs = 0, ended = 0; ended < 2; afterMs = Math.ceil(afterMs * 1.3) + 5) {
      const burgee = new BurgeeProcess(environment);
      await burgee.logged(/"recovered"/);
      const served = burgee.url().then(
        () => true,
        () => false,
      );
      await Promise.race([served, sleep(afterMs)]);
      await burgee.stop();
      ended += (await served) ? 1 : 0;
    }
    const second = await start({ env: HASHED, directory: first.directory });
    for (const secret of [...secrets, ...INIT_TOKENS]) expect(filesWith(first.directory, secret)).toEqual([]);
    for (const secret of secrets) expect(await poll(second, secret)).toBe(200);
  });
});
