import { describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import { credentialOf } from '../../../src/http/access.ts';
import { head, RawConnection, rawRequest } from '../../support/http/raw-http.ts';
import { plainRequest } from '../../support/http/request.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, SCIM_TOKEN, useService } from '../../support/service.ts';

const service = useService();

const TOKENS = { none: null, admin: ADMIN_TOKEN, client: CLIENT_TOKEN, frontend: FRONTEND_TOKEN, scim: SCIM_TOKEN };
const JSON_BODY = 'content-type: application/json';
const SMUGGLED = head('GET /health HTTP/1.1');

/** One route of every kind, and a path that is not a route. */
const ROUTES: readonly (readonly [name: string, route: string, ...headers: string[]])[] = [
  ['a handler without a body', 'GET /ready'],
  ['a handler with a body', 'POST /api/admin/projects', `authorization: ${ADMIN_TOKEN}`, JSON_BODY],
  ['prepared bytes', 'GET /api/client/features', `authorization: ${CLIENT_TOKEN}`],
  ['a stream', 'POST /api/client/evaluate', `authorization: ${CLIENT_TOKEN}`, JSON_BODY],
  ['a preflight', 'OPTIONS /api/frontend', 'origin: https://page.example'],
  ['an unknown path', 'POST /nowhere'],
];

describe.each(ROUTES)('%s', (_name, route, ...headers) => {
  const headOf = (...more: string[]) => head(`${route} HTTP/1.1`, ...headers, ...more);

  it.each([
    ['two lengths', 'content-length: 4', 'content-length: 60'],
    ['a transfer-encoding that only ends in chunked', 'transfer-encoding: xchunked'],
    ['a list of transfer-encodings', 'transfer-encoding: gzip, chunked'],
    ['a transfer-encoding of none', 'transfer-encoding: identity'],
    ['two transfer-encodings', 'transfer-encoding: chunked', 'transfer-encoding: chunked'],
  ])('refuses %s, closes the connection, and serves no request that follows', async (_case, ...framing) => {
    const alone = await RawConnection.open(service.url);
    alone.write(headOf(...framing));
    const answer = await alone.answer();
    expect(answer?.status).toBe(400);
    if (answer?.headers.get('content-type')?.startsWith('application/json'))
      expect(JSON.parse(String(answer.body)).name).toBe('ValidationError');
    await alone.closed;
    const followed = await RawConnection.open(service.url);
    followed.write(`${headOf(...framing)}4\r\ntrue\r\n0\r\n\r\n${SMUGGLED}`);
    await followed.closed;
    expect(followed.unread).not.toContain('GOOD');
  });

  it('accepts "chunked" in any letter case', async () => {
    const connection = await RawConnection.open(service.url);
    connection.write(`${headOf('transfer-encoding: Chunked')}2\r\n{}\r\n0\r\n\r\n`);
    const answer = await connection.answer();
    expect([200, 204, 400, 404]).toContain(answer?.status);
    expect(String(answer?.body)).not.toContain('transfer-encoding');
    connection.destroy();
  });
});

describe('two authorization headers', () => {
  it('are refused by every route that reads them, except routes with prepared bytes', async () => {
    for (const { method, path, kind, access } of endpoints) {
      const token = TOKENS[credentialOf(access)] ?? 'any';
      const line = `${method.toUpperCase()} ${path.replace(/:\w+/g, 'x')} HTTP/1.1`;
      const answer = await rawRequest(service.url, head(line, `authorization: ${token}`, 'authorization: other'));
      // The first one counts there: docs/decisions/http-framing.md.
      if (kind === 'prepared') {
        const alone = await rawRequest(service.url, head(line, `authorization: ${token}`));
        expect([200, 303, 404], line).toContain(alone?.status);
        expect(answer?.status, line).toBe(alone?.status);
      } else {
        const { name, scimType } = JSON.parse(String(answer?.body));
        expect([answer?.status, name ?? scimType], line).toEqual([400, name ? 'ValidationError' : 'invalidValue']);
      }
    }
  });
});

/** Operations whose answers are prepared before a request, and identified by their ETag. */
const PREPARED = new Set(['getAllClientFeatures', 'getDelta']);
/** The client may store their answers, but must revalidate them each time. */
const REVALIDATED = /^((get|post)(All)?(Frontend|Proxy)Features|getFlagIndex)$/;
/** Parts of a page without data of users. */
const PAGE = new Set(['Page', 'Script', 'Start', 'Style'].map((part) => `getDocumentation${part}`));

describe('every answer', () => {
  it('is not stored by caches, and varies by the authorization, except for prepared lists', async () => {
    for (const { method, path, access, operationId } of endpoints) {
      const credential = credentialOf(access);
      for (const token of [TOKENS[credential], 'unknown']) {
        const answer = await plainRequest(service.url + path.replace(/:\w+/g, 'x'), {
          method: method.toUpperCase(),
          headers: token === null ? {} : { authorization: token },
        });
        const where = `${operationId} ${answer.status}`;
        if (credential !== 'none') expect(answer.headers.get('vary') ?? '', where).toContain('authorization');
        const isList = PREPARED.has(operationId) && answer.status === 200;
        const isPage = PAGE.has(operationId) && answer.status === 200;
        const isRevalidated = REVALIDATED.test(operationId) && answer.status === 200;
        const kept = isRevalidated ? 'private, no-cache' : 'no-store';
        const expected = isPage ? 'public, max-age=86400' : isList ? null : kept;
        expect(answer.headers.get('cache-control'), where).toBe(expected);
      }
    }
    for (const init of [{ method: 'OPTIONS' }, { method: 'POST' }]) {
      const answer = await fetch(`${service.url}/api/frontend`, init);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect((await fetch(`${service.url}/nowhere`)).headers.get('cache-control')).toBe('no-store');
  });
});

describe('a slash at the end of a path', () => {
  it('makes no difference to any route', async () => {
    for (const { method, path, access, operationId } of endpoints) {
      // The path `/` is a slash itself.
      if (method !== 'get' || path === '/') continue;
      const token = TOKENS[credentialOf(access)];
      const headers: Record<string, string> = token === null ? {} : { authorization: token };
      const url = service.url + path.replace(/:\w+/g, 'default');
      const statuses: number[] = [];
      for (const target of [url, `${url}/`]) {
        statuses.push((await plainRequest(target, { headers })).status);
      }
      expect([operationId, statuses[1]]).toEqual([operationId, statuses[0]]);
    }
  });

  it('counts as one with those beside it, and is part of the path', async () => {
    for (const path of ['/health//', '//health/', '/health/?a=/'])
      expect((await fetch(service.url + path)).status, path).toBe(200);
    expect((await fetch(`${service.url}/health/x`)).status).toBe(404);
  });

  it('is allowed in a preflight', async () => {
    const answer = await fetch(`${service.url}/api/frontend/`, { method: 'OPTIONS' });
    expect([answer.status, answer.headers.get('access-control-allow-methods')]).toEqual([204, 'GET, POST']);
  });
});

describe('heads that a front refuses itself', () => {
  it.each([
    ['no host', 'GET /health HTTP/1.1\r\na: b\r\n\r\n', 400],
    ['a version before 1.1', 'GET /health HTTP/1.0\r\nhost: a\r\n\r\n', 505],
    [
      'a length and chunks',
      `${head('POST /nowhere HTTP/1.1', 'content-length: 3', 'transfer-encoding: chunked')}0\r\n\r\n`,
      400,
    ],
    ['a length that is no number', head('POST /nowhere HTTP/1.1', 'content-length: +3'), 400],
  ])('with %s are answered before their connection is closed', async (_name, text, status) => {
    const connection = await RawConnection.open(service.url);
    connection.write(text);
    await connection.closed;
    // The parser of Node takes HTTP/1.0 (docs/start/fronts.md).
    const isTaken = status === 505 && service.running.services.http().front === 'node';
    expect(connection.unread).toMatch(new RegExp(`^HTTP/1.1 ${isTaken ? 200 : status} `));
  });

  it('end the connection, with or without an answer, and affect no other request: folded lines, 200 headers, a space before the colon', async () => {
    const many = Array.from({ length: 200 }, (_, index) => `h${index}: v`);
    for (const text of [
      head('GET /health HTTP/1.1', 'x: y\r\n folded'),
      head('GET /health HTTP/1.1', ...many),
      head('GET /health HTTP/1.1', 'x : y'),
    ]) {
      const connection = await RawConnection.open(service.url);
      connection.write(text + SMUGGLED);
      await connection.closed;
      expect(connection.unread).not.toContain('GOOD');
      expect((await fetch(`${service.url}/health`)).status).toBe(200);
    }
  });

  it('may contain chunk extensions, and are answered', async () => {
    const text = head(
      'POST /api/admin/projects HTTP/1.1',
      `authorization: ${ADMIN_TOKEN}`,
      JSON_BODY,
      'transfer-encoding: chunked',
    );
    const answer = await rawRequest(service.url, `${text}2;name=value\r\n{}\r\n0\r\n\r\n`);
    expect(answer?.status).toBe(400);
  });
});
