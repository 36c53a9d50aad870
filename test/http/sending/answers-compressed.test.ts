import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import Type, { type TSchema } from 'typebox';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { acceptsGzip } from '../../../src/http/sending/accept-encoding.ts';
import { FRONTS, testFront } from '../../support/http/front.ts';
import { endpoint, startTestServer } from '../../support/http/http-server.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
} from '../../support/service.ts';

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

let service: TestService;

/** The answer as it was sent: `fetch` would decompress it. */
function ask(path: string, headers: Record<string, string>, method = 'GET', body?: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${service.url}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

const admin = { authorization: ADMIN_TOKEN };
const json = { ...admin, 'content-type': 'application/json' };

/** The answer in both forms: they are the same document, and the compressed one is shorter and says so. */
async function bothForms(
  path: string,
  headers: Record<string, string> = admin,
): Promise<{ plain: Received; gzip: Received }> {
  const plain = await ask(path, headers);
  const gzip = await ask(path, { ...headers, 'accept-encoding': 'gzip' });
  expect([plain.status, gzip.status]).toEqual([200, 200]);
  expect(plain.headers['content-encoding']).toBeUndefined();
  expect(gzip.headers['content-encoding']).toBe('gzip');
  expect(gzip.bytes.length).toBeLessThan(plain.bytes.length);
  for (const { headers: received } of [plain, gzip]) expect(received.vary).toContain('accept-encoding');
  return { plain, gzip };
}

describe.each(FRONTS)('on the %s front', (front) => {
  beforeAll(async () => {
    service = await startTestService({ env: { HTTP_FRONT: front } });
    const description = 'what the flag is for, in umlauts: äöü 🚩 '.repeat(10);
    for (let index = 0; index < 200; index++) {
      const body = { name: `flag-${index}`, description };
      await service.call('createFeature', { params: { projectId: 'default' }, body });
    }
    await service.call('createFeature', { params: { projectId: 'default' }, body: { name: 'short' } });
  });

  afterAll(() => service.close());

  it.each([
    ['in pieces', '/api/admin/search/features?limit=100'],
    ['in many pieces', '/api/admin/projects/default/features'],
    ['in one text', '/api/admin/projects/default/features/flag-1'],
    ['without a credential', '/docs/openapi.json'],
    ['as one long text', '/api/admin/ui-config'],
  ])('an answer %s is compressed when the caller asks for gzip', async (_name, path) => {
    const { plain, gzip } = await bothForms(path);
    expect(gunzipSync(gzip.bytes).toString()).toBe(plain.bytes.toString());
  });

  it('the state of a whole export, a text of more than 32 kB, is the same document in both forms', async () => {
    const body = JSON.stringify({
      environment: 'development',
      features: Array.from({ length: 200 }, (_, index) => `flag-${index}`),
    });
    const plain = await ask('/api/admin/features-batch/export', json, 'POST', body);
    const gzip = await ask('/api/admin/features-batch/export', { ...json, 'accept-encoding': 'gzip' }, 'POST', body);
    expect(plain.bytes.length).toBeGreaterThan(32 * 1024);
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(JSON.parse(gunzipSync(gzip.bytes).toString())).toEqual(JSON.parse(plain.bytes.toString()));
  });

  it('evaluated flags, and an error of more than a kilobyte, are compressed', async () => {
    await bothForms('/api/frontend/all', { authorization: FRONTEND_TOKEN });
    const many = JSON.stringify({ features: Array.from({ length: 50 }, (_, index) => index) });
    const gzipped = { ...json, 'accept-encoding': 'gzip' };
    const refused = await ask('/api/admin/projects/default/archive', gzipped, 'POST', many);
    expect([refused.status, refused.headers['content-encoding']]).toEqual([400, 'gzip']);
    expect(JSON.parse(gunzipSync(refused.bytes).toString()).name).toBe('ValidationError');
  });

  it.each([
    ['short', '/api/admin/projects/default/features/short/environments/development', 'gzip'],
    ['not asked for', '/api/admin/projects/default/features/flag-1', 'gzip;q=0'],
    ['less wanted than the plain form', '/api/admin/projects/default/features/flag-1', 'gzip;q=0.5, identity'],
    ['asked for in another coding only', '/api/admin/projects/default/features/flag-1', 'br, zstd'],
    ['text, not JSON', '/internal-backstage/prometheus', 'gzip'],
  ])('an answer is not compressed if it is %s', async (_name, path, acceptEncoding) => {
    const { status, headers } = await ask(path, { ...admin, 'accept-encoding': acceptEncoding });
    expect([status, headers['content-encoding']]).toEqual([200, undefined]);
  });

  it('an answer with secrets is not compressed', async () => {
    for (let index = 0; index < 10; index++) {
      const body = { tokenName: `token-${index}`, type: 'client' };
      await service.call('createApiToken', { body });
    }
    const { headers, bytes } = await ask('/api/admin/api-tokens', { ...admin, 'accept-encoding': 'gzip' });
    expect(headers['content-encoding']).toBeUndefined();
    expect(bytes.length).toBeGreaterThan(1_000);
  });

  it('HEAD has the head of the compressed answer, and no body', async () => {
    const answer = await ask(
      '/api/admin/projects/default/features/flag-1',
      { ...admin, 'accept-encoding': 'gzip' },
      'HEAD',
    );
    expect([answer.status, answer.headers['content-encoding'], answer.bytes.length]).toEqual([200, 'gzip', 0]);
    expect(answer.headers['content-length']).toBeUndefined();
  });

  it('the tag is the same in both forms: it answers 304, and a change may name it', async () => {
    const path = '/api/admin/projects/default/features/flag-2';
    const { plain, gzip } = await bothForms(path);
    const tag = String(gzip.headers.etag);
    expect(tag).toBe(plain.headers.etag);
    const gzipped = { ...json, 'accept-encoding': 'gzip' };
    const known = await ask(path, { ...gzipped, 'if-none-match': tag });
    expect([known.status, known.headers['content-encoding'], known.bytes.length]).toEqual([304, undefined, 0]);
    expect(known.headers.vary).toContain('accept-encoding');
    const change = JSON.stringify([{ op: 'replace', path: '/description', value: 'changed '.repeat(200) }]);
    const changed = await ask(path, { ...gzipped, 'if-match': tag }, 'PATCH', change);
    expect([changed.status, changed.headers['content-encoding']]).toEqual([200, 'gzip']);
    const stale = await ask(path, { ...gzipped, 'if-match': tag }, 'PATCH', change);
    expect(stale.status).toBe(412);
    const again = await ask(path, { ...gzipped, 'if-match': `W/${String(changed.headers.etag)}` }, 'PATCH', change);
    expect(again.status).toBe(200);
  });

  it('answers without a body, polls and streams are as before', async () => {
    const report = JSON.stringify({
      appName: 'a',
      instanceId: 'i',
      bucket: { start: new Date(), stop: new Date(), toggles: {} },
    });
    const client = { authorization: CLIENT_TOKEN, 'accept-encoding': 'gzip', 'content-type': 'application/json' };
    const counted = await ask('/api/client/metrics', client, 'POST', report);
    expect([counted.status, counted.headers['content-encoding']]).toEqual([202, undefined]);
    const list = await ask('/api/client/features', client);
    expect([list.status, list.headers['content-encoding']]).toEqual([200, 'gzip']);
    const stream = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
      const request = httpRequest(`${service.url}/api/client/streaming`, { headers: client }, (response) => {
        resolve(response.headers);
        response.destroy();
      });
      request.on('error', reject).end();
    });
    expect([stream['content-type'], stream['content-encoding']]).toEqual([
      'text/event-stream; charset=utf-8',
      undefined,
    ]);
  });
});

it('a slow reader of a long answer adds one listener, not one for each wait', async () => {
  const pieces = endpoint({
    tag: 'Test',
    summary: '',
    errors: [],
    operationId: 'long',
    method: 'get',
    path: '/long',
    access: { permission: 'NONE' },
    responses: { 200: { description: '', schema: Type.Unknown() } },
    handle: () => ({
      status: 200,
      pieces: ['[', ...Array.from({ length: 300 }, () => `"${'x'.repeat(100_000)}",`), '1]'],
    }),
  });
  const warned = vi.spyOn(process, 'emitWarning');
  for (const front of FRONTS) {
    const { url, server } = await startTestServer([pieces], { front: testFront(front) });
    server.open();
    const connection = await RawConnection.open(url);
    connection.write(head('GET /long HTTP/1.1'));
    expect((await connection.answer())?.body.length).toBeGreaterThan(30_000_000);
    connection.destroy();
    await server.close();
  }
  expect(warned).not.toHaveBeenCalled();
});

describe('accept-encoding', () => {
  it.each([
    ['gzip', true],
    ['x-gzip', true],
    ['GZIP;Q=0.001', true],
    ['*', true],
    ['br;q=1.0, gzip;q=0.8, *;q=0.1', true],
    ['gzip, identity;q=0.5', true],
    ['identity;q=0.5, gzip;q=0.5', true],
    ['identity, gzip;q=0.9', false],
    ['gzip;q=0', false],
    ['gzip; q=0.000', false],
    ['*;q=0', false],
    ['gzip;q=0, *', false],
    ['identity', false],
    ['br', false],
    ['', false],
    ['gzipped', false],
  ])('"%s" allows gzip: %s', (header, isAllowed) => {
    expect(acceptsGzip(header)).toBe(isAllowed);
  });
});

/** Fields that hold a secret. Answers where they are always missing or masked: the lists of people and their tokens, and the settings of OpenID Connect. */
const SECRET_FIELDS = new Set(['secret', 'token', 'inviteLink', 'resetPasswordUrl']);
const NEVER_WITH_SECRETS = [
  'getOidcSettings',
  'setOidcSettings',
  'getUsers',
  'searchUsers',
  'getUser',
  'updateUser',
  'getMe',
  'login',
  'addPublicSignupTokenUser',
  'getServiceAccounts',
  'createServiceAccount',
  'updateServiceAccount',
  'getServiceAccountTokens',
  'getOwnPersonalTokens',
];

function fieldsOf(schema: TSchema | undefined): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'properties' ? Object.keys(value as object) : []),
    ...(Array.isArray(value) ? value.flatMap((one) => fieldsOf(one)) : fieldsOf(value as TSchema)),
  ]);
}

it('every route whose answer has a field for a secret is never compressed', () => {
  const named: string[] = [];
  for (const endpoint of endpoints) {
    if (endpoint.kind !== 'handled' || endpoint.hasSecrets) continue;
    const fields = Object.values(endpoint.responses).flatMap(({ schema }) => fieldsOf(schema));
    if (fields.some((field) => SECRET_FIELDS.has(field))) named.push(endpoint.operationId);
  }
  expect(named.sort()).toEqual([...NEVER_WITH_SECRETS].sort());
});
