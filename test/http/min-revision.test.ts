import Type from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asker } from '../../src/base/asking/asker.ts';
import { bodyOf, preparedAnswer } from '../../src/base/prepared-answer.ts';
import { RevisionWaits } from '../../src/http/min-revision.ts';
import { CALLER, endpoint, prepared, startTestServer, streamed, type TestServer } from '../support/http/http-server.ts';
import { head, RawConnection, rawRequest } from '../support/http/raw-http.ts';

const COMMON = { tag: 'Test', summary: '', access: { permission: 'CLIENT' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };
const MB = 1_000_000;

async function* sizeOf(body: AsyncIterable<Uint8Array>) {
  let sizeBytes = 0;
  for await (const chunk of body) sizeBytes += chunk.byteLength;
  yield Buffer.from(String(sizeBytes));
}

/** Who asked `GET /later`, and what ends each of its answers. */
const askers: Asker[] = [];
const ends: (() => void)[] = [];

const routes = [
  endpoint({
    ...COMMON,
    operationId: 'size',
    method: 'post',
    path: '/size',
    body: Type.Array(Type.String()),
    bodyLimit: 'import',
    responses: OK,
    handle: ({ body }) => ({ status: 200, body: body[0]?.length }),
  }),
  endpoint({
    ...COMMON,
    operationId: 'remove',
    method: 'delete',
    path: '/gone',
    responses: OK,
    handle: () => ({ status: 200, body: 'gone' }),
  }),
  prepared('GET /poll', 'poll', {
    ...COMMON,
    responses: OK,
    serve: () => preparedAnswer(200, {}, bodyOf(Buffer.from('list'))),
  }),
  prepared('GET /later', 'later', {
    ...COMMON,
    responses: OK,
    serve: async (request) => {
      askers.push(request.asker('reader'));
      await new Promise<void>((resolve) => ends.push(resolve));
      return preparedAnswer(200, {}, bodyOf(Buffer.from(request.query())));
    },
  }),
  streamed('POST /count', 'count', {
    ...COMMON,
    contentTypes: ['text/plain'],
    responses: OK,
    handle: ({ body }) => ({ status: 200, headers: {}, chunks: sizeOf(body) }),
  }),
];

/** Future revisions, which arrive when the test calls `settle`. */
function revisionsToCome() {
  const waiting: ((isThere: boolean) => void)[] = [];
  return {
    current: 1,
    waiting,
    wait: () => new Promise<boolean>((resolve) => waiting.push(resolve)),
    settle(isThere: boolean) {
      for (const resolve of waiting.splice(0)) resolve(isThere);
    },
  };
}

const known = new Set<string>();
let revisions: ReturnType<typeof revisionsToCome>;
let server: TestServer;

beforeEach(async () => {
  known.clear();
  known.add('known').add('other');
  revisions = revisionsToCome();
  const find = (secret: string) => (known.has(secret) ? { ...CALLER, token: { ...TOKEN, secret } } : undefined);
  const options = { waits: new RevisionWaits(revisions), bodyLimitBytes: 60 * MB, importBodyLimitBytes: 60 * MB };
  server = await startTestServer(routes, options, { find });
  server.server.open();
});

const TOKEN = {
  secret: '',
  tokenName: 'token',
  type: 'client',
  environment: 'development',
  projects: ['*'],
  createdAt: '',
  expiresAt: null,
  seenAt: null,
  alias: null,
} as const;

afterEach(async () => {
  revisions.settle(false);
  await server.server.close();
});

const ahead = (token: string) => [...(token === '' ? [] : [`authorization: ${token}`]), 'burgee-min-revision: 9'];

const ROUTES: readonly (readonly [name: string, route: string, ...headers: string[]])[] = [
  ['a handler', 'POST /size', 'content-type: application/json'],
  ['prepared bytes', 'GET /poll'],
  ['a stream', 'POST /count', 'content-type: text/plain'],
];

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

describe.each(ROUTES)('a request to %s that requires a future revision', (_name, route, ...headers) => {
  const isPost = route.startsWith('POST');

  it('is refused at once if the header states no revision', async () => {
    const length = isPost ? ['content-length: 0'] : [];
    for (const revision of ['next', '-1', '9'.repeat(16)]) {
      const stated = ['authorization: known', `burgee-min-revision: ${revision}`];
      const answer = await rawRequest(server.url, head(`${route} HTTP/1.1`, ...headers, ...length, ...stated));
      expect([revision, answer?.status]).toEqual([revision, 400]);
      expect(JSON.parse(String(answer?.body)).details[0].message).toMatch(/must be a revision/);
    }
    expect(revisions.waiting).toHaveLength(0);
  });

  it('without a token is refused at once: it does not wait, and its body is not read', async () => {
    const length = isPost ? [`content-length: ${50 * MB}`] : [];
    const answer = await rawRequest(server.url, head(`${route} HTTP/1.1`, ...headers, ...length, ...ahead('')));
    expect(answer?.status).toBe(401);
    expect(revisions.waiting).toHaveLength(0);
  });

  it('with unknown tokens uses a small part of the queue, however many arrive', async () => {
    const connections = await Promise.all(Array.from({ length: 100 }, () => RawConnection.open(server.url)));
    const length = isPost ? ['content-length: 2'] : [];
    for (const [index, connection] of connections.entries())
      connection.write(head(`${route} HTTP/1.1`, ...headers, ...length, ...ahead(`unknown-${index}`)));
    const statuses: (number | undefined)[] = [];
    for (const connection of connections) void connection.answer().then((answer) => statuses.push(answer?.status));
    await until(() => statuses.length + revisions.waiting.length === 100);
    expect(revisions.waiting).toHaveLength(32);
    expect(new Set(statuses)).toEqual(new Set([503]));
    // A known caller can still enter the queue.
    const waiting = rawRequest(
      server.url,
      `${head(`${route} HTTP/1.1`, ...headers, ...length, ...ahead('known'))}${isPost ? '[]' : ''}`,
    );
    await until(() => revisions.waiting.length === 33);
    revisions.settle(true);
    expect((await waiting)?.status).toBe(200);
    await until(() => statuses.length === 100);
    expect(statuses.filter((status) => status === 401)).toHaveLength(32);
    for (const connection of connections) connection.destroy();
  });

  it('with one token uses no more than the quota of the token in the queue', async () => {
    const connections = await Promise.all(Array.from({ length: 300 }, () => RawConnection.open(server.url)));
    const length = isPost ? ['content-length: 2'] : [];
    for (const connection of connections)
      connection.write(head(`${route} HTTP/1.1`, ...headers, ...length, ...ahead('known')));
    const statuses: (number | undefined)[] = [];
    for (const connection of connections) void connection.answer().then((answer) => statuses.push(answer?.status));
    await until(() => statuses.length + revisions.waiting.length === 300);
    expect(statuses).toEqual(Array(50).fill(503));
    const another = await RawConnection.open(server.url);
    another.write(head(`${route} HTTP/1.1`, ...headers, ...length, ...ahead('other')));
    await until(() => revisions.waiting.length === 251);
    for (const connection of [...connections, another]) connection.destroy();
  });

  it('is served when its token arrives with the revision', async () => {
    const connection = await RawConnection.open(server.url);
    const length = isPost ? ['content-length: 2'] : [];
    connection.write(`${head(`${route} HTTP/1.1`, ...headers, ...length, ...ahead('fresh'))}${isPost ? '[]' : ''}`);
    await until(() => revisions.waiting.length === 1);
    known.add('fresh');
    revisions.settle(true);
    expect((await connection.answer())?.status).toBe(200);
    connection.destroy();
  });

  it('is refused when the revision deletes its token', async () => {
    const connection = await RawConnection.open(server.url);
    connection.write(
      head(`${route} HTTP/1.1`, ...headers, ...(isPost ? ['content-length: 2'] : []), ...ahead('known')),
    );
    await until(() => revisions.waiting.length === 1);
    known.delete('known');
    revisions.settle(true);
    expect((await connection.answer())?.status).toBe(401);
    connection.destroy();
  });
});

describe.each(ROUTES.filter(([, route]) => route.startsWith('POST')))(
  'a body sent to %s while its token is not known',
  (_name, route, ...headers) => {
    const body = Buffer.concat([Buffer.from('['), Buffer.alloc(50 * MB, ' '), Buffer.from('"text"]')]);

    async function sendWhileBlocked(): Promise<RawConnection> {
      const connection = await RawConnection.open(server.url);
      const text = head(`${route} HTTP/1.1`, ...headers, `content-length: ${body.length}`, ...ahead('fresh'));
      connection.write(text);
      connection.write(body);
      await until(() => revisions.waiting.length === 1);
      for (let round = 0; round < 20; round++) {
        expect((await rawRequest(server.url, head('GET /poll HTTP/1.1', 'authorization: known')))?.status).toBe(200);
      }
      // Bytes that the kernel has not accepted are still in the buffer of the sender.
      expect(connection.socket.writableLength).toBeGreaterThan(30 * MB);
      return connection;
    }

    it('stays in the buffer of the sender, and arrives completely when the token exists', async () => {
      const connection = await sendWhileBlocked();
      known.add('fresh');
      revisions.settle(true);
      const answer = await connection.answer();
      expect(answer?.status).toBe(200);
      expect(String(answer?.body)).toBe(String(route === 'POST /size' ? 'text'.length : body.length));
      connection.destroy();
    });

    it('stays in the buffer of the sender when the token does not arrive, and the connection is closed', async () => {
      const connection = await sendWhileBlocked();
      revisions.settle(true);
      expect((await connection.answer())?.status).toBe(401);
      await connection.closed;
      expect(connection.socket.writableLength).toBeGreaterThan(20 * MB);
    });
  },
);

describe('a request in chunks to a route without a body that requires a future revision', () => {
  it.each(['0\r\n\r\n', '2\r\n{}\r\n0\r\n\r\n'])(
    'is handled when the revision has arrived, whatever its body: %j',
    async (body) => {
      const text = head('DELETE /gone HTTP/1.1', 'transfer-encoding: chunked', ...ahead('known'));
      const answer = rawRequest(server.url, text + body);
      await until(() => revisions.waiting.length === 1);
      // The bytes after the head are read before the revision arrives.
      await new Promise((resolve) => setTimeout(resolve, 50));
      revisions.settle(true);
      expect((await answer)?.status).toBe(200);
    },
  );
});

describe('a poll that requires a future revision', () => {
  it('is refused at once if two parsers could read its head differently: only then all of its headers are read', async () => {
    const twice = ['authorization: known', ...ahead('other')];
    expect((await rawRequest(server.url, head('GET /poll HTTP/1.1', ...twice)))?.status).toBe(400);
    expect(revisions.waiting).toHaveLength(0);
    expect((await rawRequest(server.url, head('GET /poll HTTP/1.1', ...twice.slice(0, 2))))?.status).toBe(200);
  });

  it('is served with its query, and its work ends with its caller', async () => {
    const poll = async () => {
      const connection = await RawConnection.open(server.url);
      connection.write(head('GET /later?since=3 HTTP/1.1', ...ahead('known')));
      await until(() => revisions.waiting.length === 1);
      revisions.settle(true);
      await until(() => ends.length === 1);
      return { connection, asker: askers.pop() as Asker, end: ends.pop() as () => void };
    };
    const stays = await poll();
    expect([stays.asker.holder, stays.asker.ended]).toEqual(['reader', false]);
    stays.end();
    expect(String((await stays.connection.answer())?.body)).toBe('since=3');
    stays.connection.destroy();
    const leaves = await poll();
    expect(leaves.asker.ended).toBe(false);
    leaves.connection.destroy();
    await until(() => leaves.asker.ended);
    leaves.end();
  });
});
