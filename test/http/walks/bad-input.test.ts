import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { head, type RawAnswer, RawConnection, rawRequest } from '../../support/http/raw-http.ts';
import { ADDON_ENV, webhookTo } from '../../support/http/receiver.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { allowScim } from '../../support/scim.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  SCIM_TOKEN,
  startTestService,
  type TestService,
  useService,
} from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';

const service = useService();
let before: string;

const digest = () => stateDigest(service.running.services.state);

beforeAll(async () => {
  await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'taken' } });
  before = digest();
});

/** After every test: nothing has changed, and the next valid request is answered. */
afterEach(async () => {
  expect(digest()).toBe(before);
  expect((await service.call('getHealth')).body).toEqual({ health: 'GOOD' });
});

const create = (body: unknown, headers: Record<string, string> = {}) =>
  service.call('createFeature', { params: { projectId: 'default' }, body, headers });

const FEATURES = '/api/admin/projects/default/features';
const AUTHORIZED = [`authorization: ${ADMIN_TOKEN}`, 'content-type: application/json'];

function errorOf(answer: RawAnswer | undefined): [number | undefined, string | undefined] {
  const body = answer && answer.body.length > 0 ? JSON.parse(answer.body.toString()) : undefined;
  return [answer?.status, body?.name];
}

describe('bodies', () => {
  it.each([
    ['nothing', ''],
    ['half of an object', '{"name":'],
    ['a trailing comma', '{"name":"x",}'],
    ['two documents', '{"name":"x"}{"name":"y"}'],
    ['single quotes', "{'name':'x'}"],
    ['a NUL byte', '{"name":"x"}\u0000'],
    ['a control character in text', '{"name":"x\ny"}'],
    ['a list', '[{"name":"x"}]'],
    ['a string', '"name"'],
    ['null', 'null'],
    ['a number that is too large', '1e999999'],
    ['a key named __proto__', '{"name":"x","__proto__":{"type":"release"}}'],
    ['a key named __proto__ deep inside', '{"name":"x","more":[{"a":{"__proto__":1}}]}'],
    ['a key that is an escaped __proto__', '{"name":"x","\\u005f_proto__":1}'],
    ['a name that is not a string', '{"name":7}'],
    ['no name', '{}'],
    ['an unknown type', '{"name":"x","type":"toString"}'],
    ['an unknown type that every object has', '{"name":"x","type":"__proto__"}'],
    ['an option that is not a boolean', '{"name":"x","impressionData":"yes"}'],
    ['lists nested too deeply', '['.repeat(100_000)],
    ['objects nested too deeply', '{"a":'.repeat(100_000)],
    ['a hundred thousand values', `{"name":"x","more":[${'1,'.repeat(100_000)}1]}`],
  ])('with %s get 400', async (_name, body) => {
    const answer = await create(body);
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError']);
    expect(answer.body.details.length).toBeGreaterThan(0);
    expect(answer.body.message.length).toBeLessThan(1_000);
  });

  it.each([
    [[0x22, 0xff, 0x22]],
    [[0xc0, 0x80]],
    [[0x7b, 0x22, 0x6e, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]],
    [[0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
    [[0x1f, 0x8b, 0x08, 0x00]],
  ])('that are not UTF-8 get 400: %j', async (bytes) => {
    const request = head(`POST ${FEATURES} HTTP/1.1`, ...AUTHORIZED, `content-length: ${bytes.length}`);
    const answer = await rawRequest(service.url, Buffer.concat([Buffer.from(request), Buffer.from(bytes)]));
    expect(errorOf(answer)).toEqual([400, 'ValidationError']);
  });

  it('that are too large get 413, with and without a length', async () => {
    const body = JSON.stringify({ name: 'x', description: 'y'.repeat(1_000_001) });
    const answer = await create(body);
    expect([answer.status, answer.body.name]).toEqual([413, 'PayloadTooLargeError']);
    const connection = await RawConnection.open(service.url);
    connection.write(head(`POST ${FEATURES} HTTP/1.1`, ...AUTHORIZED, 'transfer-encoding: chunked'));
    connection.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
    expect(errorOf(await connection.answer())).toEqual([413, 'PayloadTooLargeError']);
    connection.destroy();
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonx',
    'json',
    '*/*',
    '',
  ])('of the type %j get 415', async (type) => {
    const answer = await create({ name: 'x' }, { 'content-type': type });
    expect([answer.status, answer.body.name]).toEqual([415, 'ContentTypeerror']);
  });

  it('without a type, or compressed in an unknown way, get 415', async () => {
    const bare = head(`POST ${FEATURES} HTTP/1.1`, `authorization: ${ADMIN_TOKEN}`, 'content-length: 2');
    expect(errorOf(await rawRequest(service.url, `${bare}{}`))).toEqual([415, 'ContentTypeerror']);
    const answer = await create({ name: 'x' }, { 'content-encoding': 'br' });
    expect([answer.status, answer.body.name]).toEqual([415, 'ContentTypeerror']);
  });

  it('are not checked before the caller is authenticated', async () => {
    const answer = await service.call('createFeature', {
      params: { projectId: 'default' },
      body: 'not json',
      token: 'nobody',
      headers: { 'content-type': 'text/plain' },
    });
    expect(answer.status).toBe(401);
  });
});

describe('names', () => {
  it.each([
    ['with a slash', 'a/b'],
    ['with a percent sign', '100%'],
    ['with a space', 'a b'],
    ['with an umlaut', 'grün'],
    ['with an emoji', 'flag😀'],
    ['with a ligature', 'ﬂag'],
    ['with a line break', 'a\nb'],
    ['with a line break at the end', 'a\n'],
    ['with a NUL', 'a\u0000b'],
    ['that are empty', ''],
    ['that are over-long', 'x'.repeat(101)],
    ['that are far over-long', 'x'.repeat(500_000)],
    ['that a URL resolves to the parent path', '..'],
    ['that a URL resolves to the current path', '.'],
    ['with a lone surrogate', '\ud800'],
  ])('%s get 400', async (_name, name) => {
    const answer = await create({ name });
    expect([answer.status, answer.body.name]).toEqual([400, 'ValidationError']);
    expect(answer.text.length).toBeLessThan(2_000);
  });

  it('that exist already get 409', async () => {
    const answer = await create({ name: 'taken' });
    expect([answer.status, answer.body.name]).toEqual([409, 'NameExistsError']);
  });
});

describe('path parameters', () => {
  it.each([
    '__proto__',
    'constructor',
    'toString',
    'a/b',
    '../taken',
    '%2e%2e',
    '100%',
    'grün',
    '😀',
    'a\u0000b',
    '\n',
    'x'.repeat(10_000),
    "'; drop table",
  ])('of items that do not exist get 404, properly encoded: %j', async (featureName) => {
    const answer = await service.call('getFeature', { params: { projectId: 'default', featureName } });
    expect([answer.status, answer.body.name]).toEqual([404, 'NotFoundError']);
    const project = await service.call('getFeature', { params: { projectId: featureName, featureName: 'taken' } });
    expect([project.status, project.body.name]).toEqual([404, 'NotFoundError']);
  });

  it.each(['%', '%2', '%zz', '%ff', '%c0%80', '%ed%a0%80', 'a%'])(
    'that are not valid percent-encoding get 400: %s',
    async (text) => {
      const answer = await rawRequest(service.url, head(`GET ${FEATURES}/${text} HTTP/1.1`, ...AUTHORIZED));
      expect(errorOf(answer)).toEqual([400, 'ValidationError']);
    },
  );

  it('with raw bytes beyond ASCII get 404', async () => {
    for (const bytes of [
      [0xc3, 0xa9],
      [0xff, 0xfe],
      [0xf0, 0x9f, 0x98, 0x80],
    ]) {
      const request = head(`GET ${FEATURES}/X HTTP/1.1`, ...AUTHORIZED).split('X');
      const data = Buffer.concat([Buffer.from(request[0] ?? ''), Buffer.from(bytes), Buffer.from(request[1] ?? '')]);
      // The parser of the Node front refuses the path itself.
      if (isNode()) expect((await rawRequest(service.url, data))?.status).toBe(400);
      else expect(errorOf(await rawRequest(service.url, data))).toEqual([404, 'NotFoundError']);
    }
  });
});

/** Whether the service is on the server of Node, whose parser differs in some refusals (docs/start/fronts.md). */
const isNode = () => service.running.services.http().front === 'node';

describe('paths', () => {
  it.each([
    '/api',
    '/api/',
    '/api/admin',
    '/api/admin/../client/features',
    '/api/client/../admin/projects/default/features',
    '/api/admin/projects/default/features/taken/../../../../../docs/openapi.json',
    '/api/admin/./projects/default/features',
    '/api/client/featuresx',
    '/api/client/feature',
    '/API/CLIENT/FEATURES',
    '/api/client%2ffeatures',
    '/api/client/features;x=1',
    '/healthz',
    '/docs/../etc/passwd',
    '/docs/openapi.json.bak',
    '/%2e%2e/%2e%2e/etc/passwd',
    `/${'a'.repeat(3_000)}`,
  ])('that do not match a route exactly get 404: %s', async (path) => {
    const answer = await rawRequest(service.url, head(`GET ${path} HTTP/1.1`, ...AUTHORIZED));
    expect(errorOf(answer)).toEqual([404, 'NotFoundError']);
  });

  it.each([
    '/api/admin//projects/default/features',
    '//api/admin/projects/default/features',
    '/api/admin/projects/default/features//',
    '/api///admin/projects//default/features/////',
  ])('with several slashes in place of one are the same path: %s', async (path) => {
    const answer = await rawRequest(service.url, head(`GET ${path} HTTP/1.1`, ...AUTHORIZED));
    expect([answer?.status, JSON.parse(String(answer?.body)).features]).toEqual([200, [expect.anything()]]);
    const unknown = await rawRequest(service.url, head(`GET ${path}/unknown//x HTTP/1.1`, ...AUTHORIZED));
    expect(errorOf(unknown)).toEqual([404, 'NotFoundError']);
  });

  it.each(['get', 'FOO!', 'CONNECT'])('are not served for the method %s', async (method) => {
    const connection = await RawConnection.open(service.url);
    connection.write(head(`${method} /api/client/features HTTP/1.1`, 'content-length: 0'));
    // The Node front refuses the names itself, and closes the connection of CONNECT.
    const statuses = isNode() ? [400, undefined] : [404];
    expect(statuses).toContain((await connection.answer())?.status);
    connection.destroy();
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    'get 404 for the method %s, which they do not support',
    async (method) => {
      const answer = await rawRequest(
        service.url,
        head(`${method} /api/client/features HTTP/1.1`, 'content-length: 0'),
      );
      expect(errorOf(answer)).toEqual([404, 'NotFoundError']);
    },
  );

  it('require the same credential for HEAD as for GET', async () => {
    const anonymous = await rawRequest(service.url, head('HEAD /api/client/features HTTP/1.1'), true);
    expect(anonymous?.status).toBe(401);
    const withToken = head('HEAD /api/client/features HTTP/1.1', `authorization: ${CLIENT_TOKEN}`);
    const answer = await rawRequest(service.url, withToken, true);
    expect(answer?.status).toBe(200);
    expect(answer?.headers.has('etag')).toBe(true);
  });
});

describe('queries', () => {
  const list = (query: string) =>
    rawRequest(service.url, head(`GET /api/client/features?${query} HTTP/1.1`, `authorization: ${CLIENT_TOKEN}`));

  it.each([
    '%',
    '%zz',
    'tag=%',
    'namePrefix=%ff',
    '&&&',
    '=',
    '=&=',
    '?',
    '#',
    '__proto__=1',
    'constructor[]=1',
    'a[__proto__]=1',
  ])('that are unusual are read as far as possible: %s', async (query) => {
    const answer = await list(query);
    // A tag in a wrong format, and bytes that are not UTF-8.
    if (query === 'tag=%' || query.includes('%ff')) expect(errorOf(answer)).toEqual([400, 'ValidationError']);
    else expect(answer?.status).toBe(200);
  });

  it('with too many values or too many characters get 400', async () => {
    const projects = Array.from({ length: 101 }, (_, index) => `project=p${index}`).join('&');
    expect(errorOf(await list(projects))).toEqual([400, 'ValidationError']);
    expect(errorOf(await list(`namePrefix=${'x'.repeat(300)}`))).toEqual([400, 'ValidationError']);
    expect(errorOf(await list(`x=${'x'.repeat(20_000)}`))).toEqual([400, 'ValidationError']);
    const many = Array.from({ length: 201 }, (_, index) => `p${index}=1`).join('&');
    const frontend = await service.call('getFrontendFeatures', { query: many });
    expect([frontend.status, frontend.body.name]).toEqual([400, 'ValidationError']);
  });
});

describe('heads', () => {
  it('with two authorization or two content-type headers get 400', async () => {
    for (const repeated of [`authorization: ${ADMIN_TOKEN}`, 'authorization: other', 'content-type: text/plain']) {
      const request = head(`POST ${FEATURES} HTTP/1.1`, ...AUTHORIZED, repeated, 'content-length: 2');
      expect(errorOf(await rawRequest(service.url, `${request}{}`))).toEqual([400, 'ValidationError']);
    }
  });

  it('that are too large get 400, and never end the process', async () => {
    const large = head(`GET ${FEATURES} HTTP/1.1`, ...AUTHORIZED, `x: ${'y'.repeat(40_000)}`);
    expect(errorOf(await rawRequest(service.url, large))).toEqual([400, 'ValidationError']);
    const huge = await RawConnection.open(service.url);
    huge.write(head(`GET ${FEATURES} HTTP/1.1`, ...AUTHORIZED, `x: ${'y'.repeat(2_000_000)}`));
    const answer = await huge.answer();
    expect([undefined, 400, 431]).toContain(answer?.status);
    huge.destroy();
    const many = Array.from({ length: 5_000 }, (_, index) => `h${index}: x`);
    expect([undefined, 400, 431]).toContain(
      (await rawRequest(service.url, head(`GET ${FEATURES} HTTP/1.1`, ...AUTHORIZED, ...many)))?.status,
    );
  });

  it('whose token is too long get 401', async () => {
    const request = (path: string) => head(`GET ${path} HTTP/1.1`, `authorization: ${'x'.repeat(20_000)}`);
    expect(errorOf(await rawRequest(service.url, request('/api/client/features')))).toEqual([
      401,
      'AuthenticationRequired',
    ]);
    expect(errorOf(await rawRequest(service.url, request(FEATURES)))).toEqual([401, 'AuthenticationRequired']);
  });

  it.each([
    ['HTTP/1.0', 'GET /health HTTP/1.0\r\nhost: a\r\n\r\n'],
    ['an absolute address', 'GET http://elsewhere/health HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'],
    [
      'trailers',
      'GET /health HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: y\r\n\r\n',
    ],
  ])('with %s are served by the Node front, and refused by the fast front', async (_name, data) => {
    const connection = await RawConnection.open(service.url);
    connection.write(data);
    await connection.closed;
    if (isNode()) expect(connection.unread).toMatch(/^HTTP\/1\.1 200[\s\S]*GOOD/);
    else expect(connection.unread).not.toMatch(/^HTTP\/1\.1 [23]/);
  });

  it.each([
    ['HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['TLS', Buffer.from('16030100a5010000a1030300\r\n\r\n', 'hex')],
    ['a length that is not a number', `POST ${FEATURES} HTTP/1.1\r\nhost: a\r\ncontent-length: 3x\r\n\r\n{}`],
    ['a negative length', `POST ${FEATURES} HTTP/1.1\r\nhost: a\r\ncontent-length: -3\r\n\r\n{}`],
    ['an excessive length', `POST ${FEATURES} HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999999999999\r\n\r\n{}`],
    [
      'a length and chunks',
      `POST ${FEATURES} HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['invalid chunks', `POST ${FEATURES} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n`],
    ['an unknown transfer coding', `POST ${FEATURES} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: xchunked\r\n\r\nabc`],
  ])('with %s are refused, and their connection is closed', async (_name, data) => {
    const connection = await RawConnection.open(service.url);
    connection.write(data);
    connection.socket.end();
    await connection.closed;
    expect(connection.unread).not.toMatch(/^HTTP\/1\.1 [23]/);
    connection.destroy();
  });
});

describe('callers that disconnect in the middle', () => {
  it('of a body change nothing', async () => {
    const body = JSON.stringify({ name: 'half' });
    const connection = await RawConnection.open(service.url);
    connection.write(
      head(`POST ${FEATURES} HTTP/1.1`, ...AUTHORIZED, `content-length: ${body.length}`) + body.slice(0, -1),
    );
    await service.call('getHealth');
    connection.destroy();
    await service.call('getHealth');
  });
});

describe('ids that are not numbers', () => {
  it('get 400 or 404, as numbers that are too large do', async () => {
    for (const id of ['abc', '1.5', '-', '1e3', '0x10', ' 1', '99999999999999999999', 'NaN', '__proto__']) {
      const path = `/api/admin/segments/${encodeURIComponent(id)}`;
      const [status, name] = errorOf(await rawRequest(service.url, head(`GET ${path} HTTP/1.1`, ...AUTHORIZED)));
      expect(
        [
          [400, 'ValidationError'],
          [404, 'NotFoundError'],
        ],
        id,
      ).toContainEqual([status, name]);
    }
  });
});

describe('a base path', () => {
  let based: TestService;

  beforeEach(async () => {
    based = await startTestService({ env: { ...ADDON_ENV, BASE_URI_PATH: '/flags/eu' } });
  });

  afterEach(() => based.close());

  it('precedes every route, and nothing is served without it', async () => {
    expect((await based.call('getHealth')).status).toBe(200);
    expect((await based.call('createFeature', { params: { projectId: 'default' }, body: { name: 'x' } })).status).toBe(
      201,
    );
    expect((await based.call('getAllClientFeatures')).body.features).toHaveLength(1);
    const { origin } = new URL(based.url);
    for (const path of [
      '/health',
      '/api/client/features',
      '/flags/health',
      '/flags/eux/health',
      '/flags/eu/flags/eu/health',
    ]) {
      expect((await fetch(origin + path)).status, path).toBe(404);
    }
    expect((await fetch(`${based.url}/api/frontend`, { method: 'OPTIONS' })).status).toBe(204);
  });

  it('precedes the path in every Location header of a created item', async () => {
    await putUser(based, 400);
    await allowScim(based);
    const token = await personalTokenOf(based, 400);
    const expiresAt = '2099-01-01T00:00:00.000Z';
    const apiToken = (tokenName: string) => ({ tokenName, type: 'client', environment: 'development' });
    await based.call('createFeature', { params: { projectId: 'default' }, body: { name: 'x' } });
    const account = { username: 'account', name: 'Account', rootRole: 3 };
    const { id } = (await based.call('createServiceAccount', { body: account })).body;
    const params = { projectId: 'default', featureName: 'x', id };
    const sourceId = (await based.call('createSignalEndpoint', { body: { name: 'source' } })).body.id;
    const action = {
      action: 'TOGGLE_FEATURE_OFF',
      executionParams: { environment: 'development', featureName: 'x' },
    };
    const bodies: Readonly<Record<string, object>> = {
      addTag: { type: 'simple', value: 'a tag' },
      createActionSet: { name: 'set', actorId: id, match: { source: 'signal-endpoint', sourceId }, actions: [action] },
      createAddon: webhookTo('https://calendar.example.com/', { enabled: false }),
      createApiToken: apiToken('one'),
      createBanner: { message: 'Hello' },
      createContextField: { name: 'field' },
      createEnvironment: { name: 'stage', type: 'test' },
      createGroup: { name: 'group' },
      createOwnContextSet: { name: 'set', contexts: [] },
      createOwnPersonalToken: { description: 'own', expiresAt },
      createOwnSavedView: { name: 'view', screen: 'flags', query: '' },
      createProject: { id: 'second', name: 'Second' },
      createProjectApiToken: apiToken('two'),
      createProjectContextField: { name: 'project-field' },
      createPublicSignupToken: { name: 'link', expiresAt },
      createScimGroup: { displayName: 'SCIM group' },
      createScimUser: { userName: 'ada@example.com' },
      createSegment: { name: 'segment', constraints: [] },
      createServiceAccount: { ...account, username: 'another' },
      createServiceAccountToken: { description: 'first', expiresAt },
      createSignalEndpoint: { name: 'monitor' },
      createSignalEndpointToken: { name: 'cluster' },
      createStrategy: { name: 'strategy', parameters: [] },
      createTag: { type: 'simple', value: 'another tag' },
      createTagType: { name: 'kind' },
      createUser: { username: 'somebody', rootRole: 3, sendEmail: false },
    };
    const OF_USERS = new Set(['createOwnContextSet', 'createOwnPersonalToken', 'createOwnSavedView']);
    const tokenOf = (operation: string) => {
      if (operation.includes('Scim')) return SCIM_TOKEN;
      return OF_USERS.has(operation) ? token : ADMIN_TOKEN;
    };
    const withLocation = endpoints.filter(({ responses }) => responses[201]?.headers?.location);
    expect(Object.keys(bodies)).toEqual(withLocation.map(({ operationId }) => operationId).sort());
    for (const [operation, body] of Object.entries(bodies)) {
      const own = operation === 'createSignalEndpointToken' ? { id: sourceId } : {};
      const answer = await based.call(operation, { params: { ...params, ...own }, body, token: tokenOf(operation) });
      expect(answer.status, `${operation}: ${answer.text}`).toBe(201);
      // SCIM demands whole addresses.
      const location = new URL(answer.headers.get('location') ?? '', based.url).pathname;
      expect(location.startsWith('/flags/eu/'), `${operation}: ${location}`).toBe(true);
      const path = location.slice('/flags/eu'.length);
      const routes = endpoints.filter((route) => new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path));
      expect(routes, `${operation}: ${location}`).not.toEqual([]);
      if (!routes.some(({ method }) => method === 'get')) continue;
      const read = await fetch(new URL(location, based.url), {
        headers: { authorization: tokenOf(operation) },
      });
      expect(read.status, `${operation}: ${location}`).toBe(200);
      await read.text();
    }
  });
});
