import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fixture } from '../support/fixtures.ts';
import { burgee } from '../support/programs/run-burgee.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** The Unleash that `tools/peer.mjs` started, and its first admin. */
const URL_OF_PEER = process.env.PEER_URL ?? '';
const FIRST_ADMIN = { username: 'admin', password: 'unleash4all' };

/** Strategies that a new Unleash does not have. */
const FORMER = ['userWithId', 'gradualRolloutUserId', 'gradualRolloutSessionId', 'gradualRolloutRandom'];
const FORMER_FLAG = 'of-former-strategies';
const flags: string[] = [...fixture('export').features.map(({ name }: { name: string }) => name), FORMER_FLAG];

const folder = mkdtempSync(join(tmpdir(), 'burgee-export-peer-'));
let source: TestService;
let cookie = '';
let personalToken = '';

/** Calls Unleash as its first admin, signed on: an admin token may not import there. */
async function ask(method: string, path: string, body?: object) {
  const headers = { cookie, ...(body && { 'content-type': 'application/json' }) };
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  // Unleash closes idle connections after some seconds, possibly during this request: then it is sent on a new connection.
  const answer = await fetch(URL_OF_PEER + path, init).catch(() => fetch(URL_OF_PEER + path, init));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  cookie ||= answer.headers.getSetCookie().join('; ');
  return text === '' ? null : JSON.parse(text);
}

interface SourceFlag {
  readonly name: string;
  readonly dependencies?: readonly object[];
  readonly strategies: readonly object[];
}

/** A flag as in answers of version 2 for SDKs, without empty fields, and each dependency once (Unleash sends some twice). */
function plain({ dependencies = [], strategies, ...flag }: SourceFlag): object {
  const once = [...new Set(dependencies.map((each) => JSON.stringify(sorted(each))))].sort();
  return sorted({ ...flag, strategies, dependencies: once }) as object;
}

/** The value without ids, which differ, and without empty fields, which mean the same as missing ones. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const compared = Object.entries(value).filter(
    ([key]) => !['id', 'strategy', 'parameters'].includes(key) || (key === 'parameters' && !('strategies' in value)),
  );
  const entries = compared.filter(([, each]) => !(Array.isArray(each) && each.length === 0) && each !== null);
  return Object.fromEntries(
    entries.map(([key, each]) => [key, sorted(each)]).sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}

async function listOf(url: string, token: string): Promise<ReadonlyMap<string, object>> {
  const answer = await fetch(`${url}/api/client/features`, { headers: { authorization: token } });
  const { features } = (await answer.json()) as { features: SourceFlag[] };
  return new Map(features.filter(({ name }) => flags.includes(name)).map((each) => [each.name, plain(each)]));
}

beforeAll(async () => {
  source = await startTestService();
  for (const body of fixture('segments')) await source.call('createSegment', { body });
  for (const environment of ['development', 'production']) {
    const body = { project: 'default', environment, data: fixture('export') };
    expect((await source.call('importFeatures', { body })).status).toBe(200);
  }
  const params = { projectId: 'default', featureName: FORMER_FLAG, environment: 'development' };
  await source.call('createFeature', { params, body: { name: FORMER_FLAG } });
  for (const name of FORMER) {
    const body = { name, parameters: { userIds: '7,8', percentage: '50', groupId: 'former' } };
    expect((await source.call('addFeatureStrategy', { params, body })).status).toBe(200);
  }
  await source.call('toggleFeatureEnvironmentOn', { params });
  await ask('POST', '/auth/simple/login', FIRST_ADMIN);
  const made = await ask('POST', '/api/admin/user/tokens', {
    description: `export ${randomUUID()}`,
    expiresAt: '2090-01-01T00:00:00Z',
  });
  personalToken = made.secret;
});

afterAll(async () => {
  // Other tests use the same Unleash.
  await ask('POST', '/api/admin/projects/default/archive', { features: flags });
  await ask('POST', '/api/admin/projects/default/delete', { features: flags });
  const names = fixture('segments').map(({ name }: { name: string }) => name);
  for (const { id, name } of (await ask('GET', '/api/admin/segments')).segments)
    if (names.includes(name)) await ask('DELETE', `/api/admin/segments/${id}`);
  for (const name of FORMER) await ask('DELETE', `/api/admin/strategies/${name}`);
  await source.close();
  rmSync(folder, { recursive: true, force: true });
});

it('exports every flag into a real Unleash, which sends the same flags to SDKs as Burgee', async () => {
  const out = join(folder, 'out');
  expect(await burgee(['export', '--all', '--url', source.url, '--to', out])).toMatchObject({ code: 0 });
  const imported = await burgee(['import', out, '--url', URL_OF_PEER], { BURGEE_TOKEN: personalToken });
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining('flags: 1 made, 1 changed') });
  const body = { type: 'client', tokenName: 'export-peer', environment: 'development', projects: ['*'] };
  const { secret } = await ask('POST', '/api/admin/api-tokens', body);
  const before = await listOf(source.url, '*:development.test-client');
  expect(before.size).toBe(flags.length);
  await expect.poll(async () => (await listOf(URL_OF_PEER, secret)).size, { timeout: 30_000 }).toBe(flags.length);
  const after = await listOf(URL_OF_PEER, secret);
  await ask('DELETE', `/api/admin/api-tokens/${encodeURIComponent(secret)}`);
  expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
});

it('can import again without duplicates', async () => {
  const again = await burgee(['import', join(folder, 'out'), '--url', URL_OF_PEER], { BURGEE_TOKEN: personalToken });
  expect(again.code).toBe(0);
  expect(again.out + again.err).toMatch(/^flags: 2 changed$/m);
  expect(again.out + again.err).not.toMatch(/^(strategy|segment|context field|tag type): .*made/m);
});
