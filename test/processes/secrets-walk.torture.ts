import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../bench/support/service.ts';
import { ADDON_SECRET } from '../http/walks/worst-case/addons.ts';
import { Api } from '../http/walks/worst-case/api.ts';
import { type ApiDocument, operationsOf } from '../http/walks/worst-case/document.ts';
import { FIELD, LEGAL_FIELD, LEGAL_VALUE } from '../http/walks/worst-case/expensive-constraints.ts';
import { attemptOf } from '../http/walks/worst-case/requests.ts';
import { strategiesPath, type World } from '../http/walks/worst-case/world.ts';
import { Fleet } from '../replicas/fleet.ts';
import { filesBelow } from '../support/http/raw-bytes.ts';
import { spawnService, untilReady } from '../support/programs/process.ts';

const ENV = {
  LOG_LEVEL: 'debug',
  API_TOKEN_SECRETS: 'hashed',
  SECRETS_KEY: 'a key that seals what is kept of settings',
  INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
  INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
  INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
};
const EXPIRY = '2090-01-01T00:00:00.000Z';
const admin = '/api/admin';

/** All secrets in requests and answers during the walk, with the request of each. */
class SeenSecrets {
  readonly texts = new Map<string, string>();

  watch(): void {
    const real = globalThis.fetch;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const answer = await real(input, init);
      const where = `${init?.method ?? 'GET'} ${String(input)
        .replace(/^http:\/\/[^/]+/, '')
        .slice(0, 80)}`;
      if (typeof init?.body === 'string' && isJson(new Headers(init.headers)))
        this.#find(JSON.parse(init.body), where, PASSWORDS);
      for (const cookie of answer.headers.getSetCookie()) this.add(cookie.split(';')[0]?.split('=')[1] ?? '', where);
      // Lists show the secrets of public links, as in Unleash: a user who can read them may share them.
      const isPublic = String(input).includes('invite-link') || String(input).includes('/invite/');
      if (isJson(answer.headers) && !isPublic) {
        const text = await answer.clone().text();
        this.#find(text === '' ? null : JSON.parse(text), where, SECRETS);
      }
      return answer;
    });
  }

  add(text: string, where: string): void {
    // Shorter texts could occur anywhere by chance.
    if (text.length >= 12 && !/^(\*+$|sha256:)/.test(text)) this.texts.set(text, where);
  }

  #find(value: unknown, where: string, names: RegExp): void {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string') this.#find(member, where, names);
      else if (/Link$|Url$/.test(name) && member.includes('token='))
        this.add(new URL(member).searchParams.get('token') ?? '', where);
      else if (names.test(name) || member.startsWith('scim:')) this.add(member, where);
    }
  }
}

const isJson = (headers: Headers) => headers.get('content-type')?.startsWith('application/json') === true;

const PASSWORDS = /password$/i;
const SECRETS = /^secret$/;

const SIGN_ON_SECRET = 'an-oidc-secret-of-the-walk';

/** Creates small entities for the requests of all operations. */
async function makeSmallWorld(api: Api): Promise<World> {
  const post = (path: string, body: unknown = {}) => api.accepted({ method: 'POST', path: admin + path, body });
  await post('/context', { name: FIELD, stickiness: true });
  await post('/context', { name: LEGAL_FIELD, legalValues: [{ value: LEGAL_VALUE(1) }, { value: LEGAL_VALUE(2) }] });
  await post('/tag-types', { name: 'heavy' });
  const segments = [];
  for (const name of ['one', 'two'])
    segments.push((await post('/segments', { name, constraints: [] })) as { id: number });
  for (const name of ['walked', 'walked-2', 'walked-3']) await post('/projects/default/features', { name });
  const strategy = { name: 'flexibleRollout', segments: segments.map(({ id }) => id) };
  const { id } = (await api.accepted({ method: 'POST', path: strategiesPath('walked'), body: strategy })) as {
    id: string;
  };
  await post('/projects/default/features/walked/environments/development/on');
  return {
    project: 'default',
    environment: 'development',
    environments: ['development', 'production'],
    tagType: 'heavy',
    segmentIds: segments.map((segment) => segment.id),
    heavyFlags: ['walked'],
    strategyIds: [id],
    ordinaryFlags: ['walked-2', 'walked-3'],
  };
}

/** Sends the requests that need a signed-on user. */
async function walkAsPerson(url: string): Promise<void> {
  const call = async (path: string, body: unknown, headers: Record<string, string>) => {
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    };
    const answer = await fetch(url + path, init);
    expect(answer.status, `${path}: ${await answer.clone().text()}`).toBeLessThan(300);
    return answer;
  };
  const [email, password] = ['walker@example.org', 'Walking-Horse-7'];
  await call(`${admin}/user-admin`, { email, rootRole: 3, password }, { authorization: ADMIN_TOKEN });
  const { headers } = await call('/auth/simple/login', { email, password }, {});
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  const browser = { cookie, 'sec-fetch-site': 'same-origin' };
  const token = await call(`${admin}/user/tokens`, { description: 'walk', expiresAt: EXPIRY }, browser);
  const { secret } = (await token.json()) as { secret: string };
  expect((await fetch(`${url}${admin}/user`, { headers: { authorization: `Bearer ${secret}` } })).status).toBe(200);
  await call(`${admin}/user/change-password`, { password: 'Running-Horse-8', oldPassword: password }, browser);
  const oidc = { enabled: false, discoverUrl: 'https://idp.example.org', clientId: 'walk', secret: SIGN_ON_SECRET };
  await call(`${admin}/auth/oidc/settings`, oidc, { authorization: ADMIN_TOKEN });
}

/** Operations that take seconds to prepare and use no secret. `SECRETS_WALK=all` includes them, and all operations with Redis. */
const LONG =
  /^(delete|archive|revive)Project$|^cloneEnvironment$|Group$|ProjectAccess$|AccessToProject$|OfProject(User|Group)$/;
/** Operations that create, return or use a secret. */
const OF_SECRETS =
  /Token|Password|Addon|ServiceAccount|User|login|Session|Settings|signup|backup|Events|ByLink|invite/i;

const IS_WHOLE = process.env.SECRETS_WALK === 'all';

/** Sends a request of every wanted operation. Returns the number of accepted requests. */
async function walk(
  url: string,
  seen: SeenSecrets,
  isWanted: (operationId: string) => boolean,
): Promise<{ taken: number; all: number }> {
  seen.watch();
  seen.add(ADDON_SECRET, 'parameters of an integration');
  seen.add(SIGN_ON_SECRET, 'settings of OpenID Connect');
  for (const token of [ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, ENV.SECRETS_KEY]) seen.add(token, 'the environment');
  const api = new Api(url);
  const document = (await (await fetch(`${url}/docs/openapi.json`)).json()) as ApiDocument;
  const world = await makeSmallWorld(api);
  await walkAsPerson(url);
  let taken = 0;
  const operations = operationsOf(document).filter(({ operationId }) => IS_WHOLE || isWanted(operationId));
  for (const [index, operation] of operations.entries()) {
    const shape = { mode: 'many', flavour: '', bytes: 3_000, scale: 0.002, attempt: `walk-${index}` } as const;
    try {
      const { call } = await attemptOf(operation, shape, { api, world, document });
      const { status } = await api.send(call);
      if (status < 400) taken++;
    } catch {
      // A precondition could not be created: one request fewer is accepted.
    }
  }
  vi.restoreAllMocks();
  return { taken, all: operations.length };
}

function expectNothingOf(seen: SeenSecrets, contents: Readonly<Record<string, Buffer | string>>): void {
  expect(seen.texts.size).toBeGreaterThan(20);
  const found: string[] = [];
  for (const [name, content] of Object.entries(contents)) {
    for (const [text, where] of seen.texts)
      if (content.includes(text)) found.push(`${name} contains a secret of ${where}`);
  }
  expect(found).toEqual([]);
}

const filesOf = (what: string, directory: string) =>
  Object.fromEntries([...filesBelow(directory)].map(([name, bytes]) => [`${what}/${name}`, bytes]));

describe('The secrets in requests and answers of every operation', { timeout: 300_000 }, () => {
  const ends: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    vi.restoreAllMocks();
    for (const end of ends.splice(0).reverse()) await end();
  });

  it('are not in the debug log and not in the files of the embedded store', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'burgee-walk-'));
    ends.push(() => rm(directory, { recursive: true, force: true }));
    const service = await spawnService(directory, ENV);
    ends.push(() => service.end('SIGKILL'));
    await untilReady(service);
    const seen = new SeenSecrets();
    const { taken, all } = await walk(service.url, seen, (operationId) => !LONG.test(operationId));
    expect(taken, `of ${all}`).toBeGreaterThan(0.7 * all);
    await service.end();
    expect(service.log()).toContain('/api/admin/projects');
    expectNothingOf(seen, {
      'the log': service.log(),
      'the output': service.output(),
      ...filesOf('files', directory),
    });
  });

  it('are not in Redis and not in the local copy of a replica', async () => {
    // In compressed data a secret would not be found.
    const fleet = await Fleet.start(1, { ...ENV, LOCAL_COPY_EVERY_MS: '200' }, { args: ['--rdbcompression', 'no'] });
    ends.push(() => fleet.dispose());
    const replica = fleet.at(0);
    const seen = new SeenSecrets();
    const { taken, all } = await walk(replica.url, seen, (operationId) => OF_SECRETS.test(operationId));
    expect(taken, `of ${all}`).toBeGreaterThan(0.7 * all);
    await replica.end();
    await fleet.redis.command('SAVE');
    const files = { ...filesOf('redis', fleet.redis.directory), ...filesOf('replica', replica.directory) };
    expect(Object.keys(files).length).toBeGreaterThan(2);
    expectNothingOf(seen, { 'the log': replica.log, ...files });
  });
});
