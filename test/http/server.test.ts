import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { bodyOf, preparedAnswer } from '../../src/base/prepared-answer.ts';
import { invalid } from '../../src/base/rejection.ts';
import type { AnyEndpoint } from '../../src/http/endpoint.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { endpoint, prepared, startTestServer, streamed, type TestServer } from '../support/http/http-server.ts';
import { head, RawConnection, rawRequest } from '../support/http/raw-http.ts';

const running: TestServer[] = [];

async function start(endpoints: readonly AnyEndpoint<null>[], options?: Partial<ServerOptions>): Promise<TestServer> {
  const server = await startTestServer(endpoints, options);
  server.server.open();
  running.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map(({ server }) => server.close()));
});

const COMMON = { tag: 'Test', summary: '', access: { permission: 'NONE' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };

const ping = endpoint({
  ...COMMON,
  operationId: 'ping',
  method: 'get',
  path: '/ping',
  responses: OK,
  handle: () => ({ status: 200, body: 'pong' }),
});

/** Answers with the body of the request. */
const echo = endpoint({
  ...COMMON,
  operationId: 'echo',
  method: 'post',
  path: '/echo',
  body: Type.Unknown(),
  responses: OK,
  handle: ({ body }) => ({ status: 200, body }),
});

const SIX_MB = Buffer.alloc(6_000_000, 'abcdefghijklmnopqrstuvwxyz');

const large = prepared('GET /large', 'large', {
  ...COMMON,
  responses: OK,
  serve: () => preparedAnswer(200, { 'content-type': 'text/plain' }, bodyOf(SIX_MB)),
});

function* sixMegabytes(): Generator<string> {
  const text = SIX_MB.toString();
  for (let at = 0; at < text.length; at += 1_000) yield text.slice(at, at + 1_000);
}

const pieces = endpoint({
  ...COMMON,
  operationId: 'pieces',
  method: 'get',
  path: '/pieces',
  responses: OK,
  handle: () => ({ status: 200, pieces: sixMegabytes() }),
});

/** Sends back every byte as it arrives. */
const mirror = streamed('POST /mirror', 'mirror', {
  ...COMMON,
  contentTypes: ['text/plain'],
  responses: OK,
  handle: ({ body }) => ({ status: 200, headers: {}, chunks: counted(body) }),
});

/** What `mirror` has read of all bodies. */
let mirroredBytes = 0;

async function* counted(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  for await (const chunk of body) {
    mirroredBytes += chunk.byteLength;
    yield chunk;
  }
}

/** Answers without reading the body. */
const deaf = streamed('POST /deaf', 'deaf', {
  ...COMMON,
  contentTypes: ['text/plain'],
  responses: OK,
  async handle() {
    await new Promise((resolve) => setTimeout(resolve, 50));
    return invalid('Not listening.');
  },
});

/** A handler that answers when the test calls `open`. */
function gate() {
  const waiting: (() => void)[] = [];
  const entered: (() => void)[] = [];
  const route = endpoint({
    ...COMMON,
    operationId: 'gate',
    method: 'get',
    path: '/gate',
    responses: OK,
    handle: () =>
      new Promise((resolve) => {
        waiting.push(() => resolve({ status: 200, body: 'through' }));
        for (const notify of entered.splice(0)) notify();
      }),
  });
  return {
    route,
    /** Resolves when the handler receives the next request. */
    entry: () => new Promise<void>((resolve) => entered.push(resolve)),
    open: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

async function expectAlive(url: string): Promise<void> {
  expect(await (await fetch(`${url}/ping`)).json()).toBe('pong');
}

describe('a handler that fails', () => {
  const failing = (operationId: string, handle: () => never | Promise<never>) =>
    endpoint({ ...COMMON, operationId, method: 'get', path: `/${operationId}`, responses: OK, handle });

  it('gets 500 with an id that is in the log, and no detail of the error', async () => {
    const { url, errors } = await start([
      ping,
      failing('throws', () => {
        throw new Error('secret detail');
      }),
      failing('rejects', () => Promise.reject(new Error('secret detail'))),
    ]);
    for (const path of ['/throws', '/rejects']) {
      const answer = await fetch(url + path);
      const text = await answer.text();
      expect(answer.status).toBe(500);
      expect(text).not.toContain('secret');
      expect(errors.map(({ id }) => id)).toContain(JSON.parse(text).id);
    }
    await expectAlive(url);
  });

  it('gets 500 when a prepared answer fails, at once or later', async () => {
    const failLater = (operationId: string, serve: () => never | Promise<never>) =>
      prepared(`GET /${operationId}`, operationId, { ...COMMON, responses: OK, serve });
    const { url } = await start([
      ping,
      failLater('now', () => {
        throw new Error('now');
      }),
      failLater('later', () => Promise.reject(new Error('later'))),
    ]);
    expect((await fetch(`${url}/now`)).status).toBe(500);
    expect((await fetch(`${url}/later`)).status).toBe(500);
    await expectAlive(url);
  });

  it('gets 500 when its list fails before the first byte is sent, and a truncated answer when it fails in the middle', async () => {
    const failingPieces = (operationId: string, before: number) =>
      endpoint({
        ...COMMON,
        operationId,
        method: 'get',
        path: `/${operationId}`,
        responses: OK,
        handle: () => ({
          status: 200,
          pieces: (function* () {
            for (let index = 0; index < before; index++) yield 'x'.repeat(1_000);
            throw new Error('the list broke');
          })(),
        }),
      });
    const { url } = await start([ping, failingPieces('early', 3), failingPieces('middle', 300)]);
    expect((await fetch(`${url}/early`)).status).toBe(500);
    await expect(fetch(`${url}/middle`).then((answer) => answer.text())).rejects.toThrow();
    await expectAlive(url);
  });
});

describe('a slow reader', () => {
  const cases = [
    { name: 'of prepared bytes', path: '/large' },
    { name: 'of a list that is generated while it is sent', path: '/pieces' },
  ];
  for (const { name, path } of cases) {
    it(`${name} gets every byte, while others are served`, async () => {
      const { url } = await start([ping, large, pieces]);
      const connection = await RawConnection.open(url);
      connection.socket.pause();
      connection.write(head(`GET ${path} HTTP/1.1`));
      const answer = connection.answer();
      for (let round = 0; round < 10; round++) {
        await expectAlive(url);
        connection.socket.resume();
        await new Promise((resolve) => setTimeout(resolve, 5));
        connection.socket.pause();
      }
      connection.socket.resume();
      expect((await answer)?.body.equals(SIX_MB)).toBe(true);
      // The connection is still usable.
      connection.write(head('GET /ping HTTP/1.1'));
      expect((await connection.answer())?.body.toString()).toBe('"pong"');
      connection.destroy();
    });

    it(`${name} that disconnects in the middle ends the work and affects no other caller`, async () => {
      const { url, server } = await start([ping, large, pieces], { drainMs: 600_000 });
      const connection = await RawConnection.open(url);
      connection.write(head(`GET ${path} HTTP/1.1`));
      await new Promise((resolve) => connection.socket.once('data', resolve));
      connection.socket.pause();
      connection.destroy();
      await expectAlive(url);
      // If an answer were still in progress, this would wait for it.
      await server.close();
    });
  }

  it('gets its own document whatever others receive meanwhile, in pieces of every size and every kind of character', async () => {
    const text = (letter: string) => `${letter.repeat(700)}\u00e9\u20ac\u{1f600}`;
    const document = (letter: string) =>
      Array.from({ length: 2_000 }, (_, index) => (index % 500 === 499 ? text(letter).repeat(200) : text(letter)));
    const own = endpoint({
      ...COMMON,
      operationId: 'own',
      method: 'get',
      path: '/own/:letter',
      params: Type.Object({ letter: Type.String() }),
      responses: OK,
      handle: ({ params }) => ({ status: 200, pieces: document(params.letter) }),
    });
    const { url } = await start([own]);
    const letters = [...'abcdefgh'];
    const connections = await Promise.all(letters.map(() => RawConnection.open(url)));
    const answers = connections.map((connection, index) => {
      connection.socket.pause();
      connection.write(head(`GET /own/${letters[index]} HTTP/1.1`));
      return connection.answer();
    });
    // While these wait for buffer space, another answer is sent completely.
    const whole = await fetch(`${url}/own/z`).then((answer) => answer.text());
    expect(whole === document('z').join('')).toBe(true);
    for (const connection of connections) connection.socket.resume();
    for (const [index, answer] of (await Promise.all(answers)).entries()) {
      expect(answer?.body.equals(Buffer.from(document(letters[index] as string).join('')))).toBe(true);
      connections[index]?.destroy();
    }
  });

  it('gets prepared bytes that are ready only later', async () => {
    const later = prepared('GET /later', 'later', {
      ...COMMON,
      responses: OK,
      serve: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return preparedAnswer(200, {}, bodyOf(SIX_MB));
      },
    });
    const { url } = await start([later]);
    const connection = await RawConnection.open(url);
    connection.socket.pause();
    connection.write(head('GET /later HTTP/1.1'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    connection.socket.resume();
    expect((await connection.answer())?.body.equals(SIX_MB)).toBe(true);
    connection.destroy();
  });
});

describe('answers', () => {
  it('that fit into one write are sent with their length, longer ones in chunks', async () => {
    const short = endpoint({
      ...COMMON,
      operationId: 'short',
      method: 'get',
      path: '/short',
      responses: OK,
      handle: () => ({ status: 200, pieces: ['[', '1', ']'] }),
    });
    const { url } = await start([short, pieces]);
    expect((await rawRequest(url, head('GET /short HTTP/1.1')))?.headers.get('content-length')).toBe('3');
    const chunked = await rawRequest(url, head('GET /pieces HTTP/1.1'));
    expect(chunked?.headers.get('transfer-encoding')).toBe('chunked');
  });

  it('to HEAD are those to GET without the body, and the connection stays in sync', async () => {
    const { url } = await start([ping, large, pieces]);
    const connection = await RawConnection.open(url);
    for (const [path, length] of [
      ['/ping', '6'],
      ['/large', '6000000'],
      ['/pieces', undefined],
      ['/unknown', expect.stringMatching(/^\d+$/)],
    ] as const) {
      connection.write(head(`HEAD ${path} HTTP/1.1`));
      const answer = await connection.answer(true);
      expect(answer?.status).toBe(path === '/unknown' ? 404 : 200);
      expect(answer?.headers.get('content-length')).toEqual(length);
      connection.write(head('GET /ping HTTP/1.1'));
      expect((await connection.answer())?.body.toString()).toBe('"pong"');
    }
    connection.destroy();
  });

  it('are complete whatever their characters are, and HEAD returns their length in bytes', async () => {
    // Lengths around the size of the encoding buffer, and beyond: one to four bytes per character, and lone surrogates.
    const texts = ['a', 'é', '漢', '😀', '\ud83d', '\ude00'].flatMap((character) =>
      [1, 87_381, 87_382, 300_000].map((length) => character.repeat(length).slice(0, length)),
    );
    const textRoutes = texts.map((text, index) =>
      endpoint({
        ...COMMON,
        operationId: `text${index}`,
        method: 'get',
        path: `/text/${index}`,
        responses: OK,
        handle: () => (index % 2 === 0 ? { status: 200, body: text } : { status: 200, text, headers: {} }),
      }),
    );
    const { url } = await start(textRoutes);
    const connection = await RawConnection.open(url);
    for (const [index, text] of texts.entries()) {
      const expected = Buffer.from(index % 2 === 0 ? JSON.stringify(text) : text);
      connection.write(head(`GET /text/${index} HTTP/1.1`));
      expect((await connection.answer())?.body.equals(expected)).toBe(true);
      connection.write(head(`HEAD /text/${index} HTTP/1.1`));
      expect((await connection.answer(true))?.headers.get('content-length')).toBe(String(expected.byteLength));
    }
    connection.destroy();
  });

  it('with a status that excludes a body have no body', async () => {
    const bodyless = [204, 304].map((status) =>
      endpoint({
        ...COMMON,
        operationId: `s${status}`,
        method: 'get',
        path: `/${status}`,
        responses: { [status]: { description: '' } },
        handle: () => ({ status }),
      }),
    );
    const { url } = await start([ping, ...bodyless]);
    const connection = await RawConnection.open(url);
    for (const status of [204, 304]) {
      connection.write(head(`GET /${status} HTTP/1.1`));
      const answer = await connection.answer();
      expect(answer?.status).toBe(status);
      expect(answer?.headers.has('content-length')).toBe(false);
      connection.write(head('GET /ping HTTP/1.1'));
      expect((await connection.answer())?.body.toString()).toBe('"pong"');
    }
    connection.destroy();
  });
});

describe('deadlines', () => {
  it('answers 503 when a handler does not answer, and ignores its later answer', async () => {
    const { route, open } = gate();
    const { url, server } = await start([ping, route], { handlerDeadlineMs: 50 });
    const answer = await fetch(`${url}/gate`);
    expect(answer.status).toBe(503);
    // It may be a write that still takes effect: clients must not repeat it automatically.
    expect(answer.headers.get('retry-after')).toBe(null);
    expect(await answer.json()).toMatchObject({ name: 'ServiceUnavailableError' });
    open();
    await expectAlive(url);
    // It counts once, with the status that was sent.
    const counts = [...server.stats.texts()].join('').match(/_count\{.*\/gate.*/g) ?? [];
    expect(counts).toEqual([expect.stringMatching(/status="503".*\} 1$/)]);
  });

  it('answers each of many requests whose handlers do not answer, whenever they started, and other requests in between', async () => {
    const { route } = gate();
    const { url } = await start([ping, route], { handlerDeadlineMs: 100 });
    const waiting: Promise<number>[] = [];
    for (let round = 0; round < 5; round++) {
      for (let one = 0; one < 40; one++) waiting.push(fetch(`${url}/gate`).then(({ status }) => status));
      await expectAlive(url);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([503]));
    await expectAlive(url);
  });

  it('answers 408 and closes when a body does not arrive', async () => {
    const { url } = await start([ping, echo], { handlerDeadlineMs: 50 });
    const connection = await RawConnection.open(url);
    connection.write(`${head('POST /echo HTTP/1.1', 'content-type: application/json', 'content-length: 100')}{"half":`);
    const answer = await connection.answer();
    expect(answer?.status).toBe(408);
    expect(JSON.parse(String(answer?.body))).toMatchObject({ name: 'RequestTimeoutError' });
    await connection.closed;
    await expectAlive(url);
  });

  it('answers 408 when the body of a poll does not arrive', async () => {
    const { url } = await start([ping, large], { handlerDeadlineMs: 50 });
    const connection = await RawConnection.open(url);
    connection.write(`${head('GET /large HTTP/1.1', 'transfer-encoding: chunked')}5\r\nhal`);
    expect((await connection.answer())?.status).toBe(408);
    await connection.closed;
  });

  it('serves no part of a body whose length is stated as nothing', async () => {
    const { url } = await start([ping, echo]);
    const connection = await RawConnection.open(url);
    const type = 'content-type: application/json';
    connection.write(head('POST /echo HTTP/1.1', type, 'content-length:') + head('GET /ping HTTP/1.1'));
    // One front closes the connection, the other one refuses the head.
    const statuses = [(await connection.answer())?.status, (await connection.answer())?.status];
    expect(statuses).not.toContain(200);
    await connection.closed;
  });

  it('does not end an answer that is read slowly', async () => {
    const { url } = await start([pieces], { handlerDeadlineMs: 50 });
    const connection = await RawConnection.open(url);
    connection.socket.pause();
    connection.write(head('GET /pieces HTTP/1.1'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    connection.socket.resume();
    expect((await connection.answer())?.body.equals(SIX_MB)).toBe(true);
    connection.destroy();
  });
});

describe('callers that disconnect', () => {
  it('while a handler runs: its answer is dropped, and nothing breaks', async () => {
    const { route, entry, open } = gate();
    const { url } = await start([ping, route]);
    const connection = await RawConnection.open(url);
    const entered = entry();
    connection.write(head('GET /gate HTTP/1.1'));
    await entered;
    connection.destroy();
    await expectAlive(url);
    open();
    await expectAlive(url);
  });

  it('in the middle of a body', async () => {
    const { url } = await start([ping, echo]);
    const connection = await RawConnection.open(url);
    connection.write(`${head('POST /echo HTTP/1.1', 'content-type: application/json', 'content-length: 100')}{"half":`);
    await expectAlive(url);
    connection.destroy();
    await expectAlive(url);
  });
});

describe('several requests on one connection', () => {
  it('sent at once are answered in order', async () => {
    const { url } = await start([ping, echo]);
    const connection = await RawConnection.open(url);
    const body = '{"a":1}';
    connection.write(
      head('GET /ping HTTP/1.1') +
        head('POST /echo HTTP/1.1', 'content-type: application/json', `content-length: ${body.length}`) +
        body +
        head('GET /unknown HTTP/1.1') +
        head('GET /ping HTTP/1.1'),
    );
    expect((await connection.answer())?.body.toString()).toBe('"pong"');
    expect((await connection.answer())?.body.toString()).toBe(body);
    expect((await connection.answer())?.status).toBe(404);
    expect((await connection.answer())?.body.toString()).toBe('"pong"');
    connection.destroy();
  });

  it('end the connection when one arrives while another is handled, and other callers are served', async () => {
    const { route, open } = gate();
    // The Node front ends it at the deadline of the first request.
    const { url } = await start([ping, route], { handlerDeadlineMs: 1_000 });
    const connection = await RawConnection.open(url);
    connection.write(head('GET /gate HTTP/1.1') + head('GET /ping HTTP/1.1'));
    await connection.closed;
    open();
    await expectAlive(url);
  });

  it('continue after a body that no route reads', async () => {
    const { url } = await start([ping, echo]);
    const connection = await RawConnection.open(url);
    const body = 'x'.repeat(50_000);
    for (const [path, type, status] of [
      ['/echo', 'text/plain', 415],
      ['/ping', 'text/plain', 404],
      ['/unknown', 'application/json', 404],
    ] as const) {
      connection.write(head(`POST ${path} HTTP/1.1`, `content-type: ${type}`, `content-length: ${body.length}`) + body);
      expect((await connection.answer())?.status).toBe(status);
    }
    connection.write(head('GET /ping HTTP/1.1'));
    expect((await connection.answer())?.body.toString()).toBe('"pong"');
    connection.destroy();
  });
});

describe('a content-length that is sent twice', () => {
  const smuggled = head('GET /ping HTTP/1.1');
  const routes = [
    ['a route with a body', 'POST /echo'],
    ['a route without one', 'GET /ping'],
    ['a route with prepared bytes', 'GET /large'],
    ['a streamed route', 'POST /mirror'],
    ['an unknown path', 'POST /unknown'],
  ];
  for (const [name, route] of routes) {
    it(`on ${name} closes the connection, and what follows is not served`, async () => {
      const { url } = await start([ping, echo, large, mirror]);
      const connection = await RawConnection.open(url);
      connection.write(
        head(`${route} HTTP/1.1`, 'content-type: application/json', 'content-length: 4', 'content-length: 60') +
          `true${smuggled}`,
      );
      await connection.closed;
      expect(connection.unread).not.toContain('pong');
      await expectAlive(url);
    });

    it(`on ${name} gets 400 when nothing follows`, async () => {
      const { url } = await start([ping, echo, large, mirror]);
      const connection = await RawConnection.open(url);
      connection.write(head(`${route} HTTP/1.1`, 'content-length: 4', 'content-length: 60'));
      expect((await connection.answer())?.status).toBe(400);
      await connection.closed;
    });
  }
});

describe('a streamed route', () => {
  const post = (path: string, ...headers: string[]) =>
    head(`POST ${path} HTTP/1.1`, 'content-type: text/plain', ...headers);

  it('receives and sends more than the buffers contain, at the pace of a slow reader', async () => {
    const { url } = await start([ping, mirror]);
    let connection = await RawConnection.open(url);
    // Many rounds, because the order of the waits differs each time.
    for (let round = 0; round < 20; round++) {
      connection.socket.pause();
      connection.write(post('/mirror', `content-length: ${SIX_MB.length}`));
      connection.write(SIX_MB);
      await expectAlive(url);
      connection.socket.resume();
      const answer = await connection.answer();
      expect(answer?.body.equals(SIX_MB)).toBe(true);
      // The answer began before the body had arrived.
      if (answer?.headers.get('connection') === 'close') connection = await RawConnection.open(url);
    }
    connection.write(head('GET /ping HTTP/1.1'));
    expect((await connection.answer())?.body.toString()).toBe('"pong"');
    connection.destroy();
  });

  it('stops receiving from a caller that never reads', async () => {
    const { url } = await start([ping, mirror]);
    const { socket } = await RawConnection.open(url);
    socket.pause();
    socket.write(post('/mirror', 'content-length: 1000000000'));
    const megabyte = Buffer.alloc(1 << 20, 'x');
    const mirroredBefore = mirroredBytes;
    let sentMb = 0;
    const send = () => {
      while (sentMb < 500 && socket.write(megabyte)) sentMb++;
      sentMb++;
    };
    socket.on('drain', send);
    send();
    let lastMb = -1;
    while (lastMb !== sentMb) {
      lastMb = sentMb;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    // The buffers of both sockets have the rest: the kernel may let each grow to 33 MB.
    expect((mirroredBytes - mirroredBefore) / 1e6, `after ${sentMb} MB were sent`).toBeLessThan(100);
    await expectAlive(url);
    socket.destroy();
  });

  it('that does not read its body answers, and leaves no connection that hangs', async () => {
    const { url } = await start([ping, deaf]);
    const connection = await RawConnection.open(url);
    connection.write(post('/deaf', `content-length: ${SIX_MB.length}`));
    connection.write(SIX_MB);
    await connection.closed;
    await expectAlive(url);
    const small = await rawRequest(url, `${post('/deaf', 'content-length: 2')}{}`);
    expect(small?.status).toBe(400);
  });

  it('logs no error when its caller disconnects in the middle, and other callers are served', async () => {
    const { url, server, errors } = await start([ping, mirror], { drainMs: 600_000 });
    const connection = await RawConnection.open(url);
    connection.write(`${post('/mirror', 'content-length: 1000')}half`);
    await new Promise((resolve) => connection.socket.once('data', resolve));
    connection.destroy();
    await expectAlive(url);
    await server.close();
    expect(errors).toEqual([]);
  });

  it('refuses other types, and the connection stays usable', async () => {
    const { url } = await start([ping, mirror]);
    const connection = await RawConnection.open(url);
    connection.write(`${head('POST /mirror HTTP/1.1', 'content-type: image/png', 'content-length: 4')}body`);
    expect((await connection.answer())?.status).toBe(415);
    connection.write(head('GET /ping HTTP/1.1'));
    expect((await connection.answer())?.body.toString()).toBe('"pong"');
    connection.destroy();
  });
});

describe('bodies that are too large', () => {
  const body = `"${'x'.repeat(150_000)}"`;

  it('get 413 by their content-length, and the sender can read the answer', async () => {
    const { url } = await start([ping, echo]);
    const answer = await fetch(`${url}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ name: 'PayloadTooLargeError' });
    await expectAlive(url);
  });

  it('get 413 while they arrive in chunks, and the connection is closed', async () => {
    const { url } = await start([ping, echo]);
    const connection = await RawConnection.open(url);
    connection.write(head('POST /echo HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked'));
    for (let sent = 0; sent < 20; sent++) connection.write(`2710\r\n${'1'.repeat(10_000)}\r\n`);
    connection.write('0\r\n\r\n');
    expect((await connection.answer())?.status).toBe(413);
    await connection.closed;
    await expectAlive(url);
  });

  it('just within the limit are accepted, in chunks or not', async () => {
    const { url } = await start([echo]);
    const exact = `"${'x'.repeat(99_998)}"`;
    const whole = await fetch(`${url}/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: exact,
    });
    expect(await whole.text()).toBe(exact);
    const connection = await RawConnection.open(url);
    connection.write(head('POST /echo HTTP/1.1', 'content-type: application/json', 'transfer-encoding: chunked'));
    for (let at = 0; at < exact.length; at += 1_000) connection.write(`3e8\r\n${exact.slice(at, at + 1_000)}\r\n`);
    connection.write('0\r\n\r\n');
    expect((await connection.answer())?.body.toString()).toBe(exact);
    connection.destroy();
  });
});

describe('starting and stopping', () => {
  it('answers 503 until it is opened', async () => {
    const server = await startTestServer([ping, large]);
    running.push(server);
    for (const path of ['/ping', '/large', '/unknown']) {
      const answer = await fetch(server.url + path);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('1');
    }
    server.server.open();
    await expectAlive(server.url);
  });

  it('waits for a handler and for a slow reader, then closes idle connections', async () => {
    const { route, entry, open } = gate();
    const { url, server } = await start([ping, route, large]);
    const idle = await RawConnection.open(url);
    idle.write(head('GET /ping HTTP/1.1'));
    await idle.answer();
    const reader = await RawConnection.open(url);
    reader.socket.pause();
    reader.write(head('GET /large HTTP/1.1'));
    const entered = entry();
    const handled = fetch(`${url}/gate`);
    await entered;
    const closed = server.close();
    await expect(fetch(`${url}/ping`)).rejects.toThrow();
    open();
    const answer = await handled;
    expect(answer.status).toBe(200);
    expect(answer.headers.get('connection')).toBe('close');
    const read = reader.answer();
    reader.socket.resume();
    expect((await read)?.body.equals(SIX_MB)).toBe(true);
    await closed;
    await idle.closed;
  });

  it('does not wait longer than drainMs', async () => {
    const { route, entry } = gate();
    const { url, server } = await start([route], { drainMs: 50 });
    const entered = entry();
    const handled = fetch(`${url}/gate`);
    const failed = expect(handled).rejects.toThrow();
    await entered;
    await server.close();
    await failed;
  });

  it('fails when the port is in use', async () => {
    const { url } = await start([ping]);
    await expect(startTestServer([ping], { port: Number(new URL(url).port) })).rejects.toThrow(/in use/);
  });
});

describe('the access log', () => {
  it('has a line for every request, with its route and without text of callers', async () => {
    const { url, requests } = await start([ping, echo, large, mirror], { logRequests: true });
    await fetch(`${url}/ping?secret=1`);
    await fetch(`${url}/ping/`, { method: 'HEAD' });
    await (await fetch(`${url}/large`)).arrayBuffer();
    await fetch(`${url}/secret`);
    await fetch(`${url}/echo`, { method: 'POST', body: 'secret' });
    await (
      await fetch(`${url}/mirror`, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } })
    ).text();
    expect(requests).toEqual(
      [
        ['GET', '/ping', 200],
        ['HEAD', '/ping', 200],
        ['GET', '/large', 200],
        ['GET', '(none)', 404],
        ['POST', '/echo', 415],
        ['POST', '/mirror', 200],
      ].map(([method, route, status]) => ({ method, route, status, ms: expect.any(Number) })),
    );
    expect(JSON.stringify(requests)).not.toContain('secret');
  });

  it('has no lines otherwise', async () => {
    const { url, requests } = await start([ping]);
    await expectAlive(url);
    expect(requests).toEqual([]);
  });
});

describe('a rejected request', () => {
  it('contains a new id each time', async () => {
    const rejecting = endpoint({
      ...COMMON,
      operationId: 'rejecting',
      method: 'get',
      path: '/rejecting',
      responses: OK,
      handle: () => invalid('No.', '/here'),
    });
    const { url } = await start([rejecting]);
    const ids = new Set<string>();
    for (let count = 0; count < 5; count++) {
      const body = (await (await fetch(`${url}/rejecting`)).json()) as Record<string, unknown>;
      expect(body).toEqual({
        id: expect.any(String),
        name: 'ValidationError',
        message: 'No.',
        details: [{ message: 'No.', path: '/here' }],
      });
      ids.add(String(body.id));
    }
    expect(ids.size).toBe(5);
  });
});
