import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, useService } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const service = useService();

const JSON_BODY = 'content-type: application/json';
const CHUNKED = 'transfer-encoding: chunked';
const STATED = 'content-length: 4000000000';

/** The maximum that is sent, and that a connection may accept: one megabyte, and the buffers of the kernels on both sides. */
const SENT_BYTES = 64_000_000;
const TAKEN_BYTES_MAX = 32_000_000;

/** Requests whose body is not used, and the status of their answers. */
const REFUSED: readonly (readonly [name: string, status: number, route: string, ...headers: string[]])[] = [
  ['a handler, without a token', 401, 'POST /api/admin/projects', JSON_BODY],
  ['a handler, too large', 413, 'POST /api/admin/projects', `authorization: ${ADMIN_TOKEN}`, JSON_BODY],
  ['a handler without a body', 413, 'GET /api/admin/projects', `authorization: ${ADMIN_TOKEN}`],
  ['a poll, without a token', 413, 'GET /api/client/features'],
  ['a poll', 413, 'GET /api/client/features', `authorization: ${CLIENT_TOKEN}`],
  ['a stream of changes', 413, 'GET /api/client/streaming', `authorization: ${CLIENT_TOKEN}`],
  ['bulk evaluation, without a token', 401, 'POST /api/client/evaluate', JSON_BODY],
  ['bulk evaluation, too large', 413, 'POST /api/client/evaluate', `authorization: ${CLIENT_TOKEN}`, JSON_BODY],
  ['an unknown path', 404, 'POST /nowhere'],
  ['a preflight', 204, 'OPTIONS /api/frontend', 'origin: https://page.example'],
];

/** Sends until the connection is closed, as fast as the receiver accepts. Returns the number of accepted bytes. */
async function flood(connection: RawConnection, isChunked: boolean): Promise<number> {
  const { socket } = connection;
  const before = socket.bytesWritten;
  const bytes = 'x'.repeat(100_000);
  const part = isChunked ? `${bytes.length.toString(16)}\r\n${bytes}\r\n` : bytes;
  let isClosed = false;
  void connection.closed.then(() => {
    isClosed = true;
  });
  for (let sent = 0; sent < SENT_BYTES && !isClosed; sent += bytes.length) {
    if (socket.write(part)) continue;
    await Promise.race([connection.closed, new Promise((resolve) => socket.once('drain', resolve))]);
  }
  await connection.closed;
  return socket.bytesWritten - socket.writableLength - before;
}

describe('a body that is not used', () => {
  it.each([
    ['with a content-length', STATED],
    ['in chunks', CHUNKED],
  ])('%s is mostly not read, the answer comes first, and the connection is closed', async (_kind, framing) => {
    const all = REFUSED.map(async ([name, status, route, ...headers]) => {
      const connection = await RawConnection.open(service.url);
      connection.write(head(`${route} HTTP/1.1`, ...headers, framing));
      const taken = flood(connection, framing === CHUNKED);
      const answer = await connection.answer();
      expect([name, answer?.status, answer?.headers.get('connection')]).toEqual([name, status, 'close']);
      if (status !== 204) expect(JSON.parse(String(answer?.body)), name).toHaveProperty('name');
      expect(await taken, name).toBeLessThan(TAKEN_BYTES_MAX);
      expect(connection.unread, name).toBe('');
    });
    await Promise.all(all);
  });

  it('is mostly not read when the caller has reached its quota of bulk evaluation', async () => {
    const evaluate = (length: number) =>
      head(
        'POST /api/client/evaluate HTTP/1.1',
        `authorization: ${CLIENT_TOKEN}`,
        'content-type: application/x-ndjson',
        `content-length: ${length}`,
      );
    const { bulk } = service.running.services;
    const busy = await Promise.all(Array.from({ length: 16 }, () => RawConnection.open(service.url)));
    for (const connection of busy) connection.write(`${evaluate(1_000)}{`);
    await until(
      () => bulk.requestCount,
      (count) => count === busy.length,
    );
    const connection = await RawConnection.open(service.url);
    connection.write(evaluate(4_000_000_000));
    const taken = flood(connection, false);
    const answer = await connection.answer();
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([429, 'close']);
    expect(await taken).toBeLessThan(TAKEN_BYTES_MAX);
    for (const each of busy) each.destroy();
  });

  it('is dropped when it is short, and the connection stays usable', async () => {
    const connection = await RawConnection.open(service.url);
    connection.write(`${head('POST /api/admin/projects HTTP/1.1', JSON_BODY, 'content-length: 2')}{}`);
    expect((await connection.answer())?.status).toBe(401);
    connection.write(head('GET /health HTTP/1.1'));
    expect((await connection.answer())?.status).toBe(200);
    connection.destroy();
  });

  it.each([
    ['a handler', 'GET /health'],
    ['a poll', 'GET /api/client/features', `authorization: ${CLIENT_TOKEN}`],
  ])('is read before the answer of %s when it is short and in chunks', async (_name, route, ...headers) => {
    const connection = await RawConnection.open(service.url);
    connection.write(`${head(`${route} HTTP/1.1`, ...headers, CHUNKED)}2\r\n{}\r\n`);
    connection.write('0\r\n\r\n');
    const answer = await connection.answer();
    expect(answer?.status).toBe(200);
    // The fast front does not know where a chunked body really ends, so it serves nothing else on the connection.
    const closes = service.running.services.http().front === 'fast';
    expect(answer?.headers.get('connection') === 'close').toBe(closes);
    if (!closes) {
      connection.write(head('GET /health HTTP/1.1'));
      expect(String((await connection.answer())?.body)).toContain('GOOD');
    }
    connection.destroy();
  });

  it('lets an ordinary client read the answer while it is still sending', async () => {
    const status = await new Promise((resolve, reject) => {
      const sender = request(`${service.url}/api/admin/projects`, {
        method: 'POST',
        headers: { authorization: ADMIN_TOKEN, 'content-type': 'application/json', 'content-length': SENT_BYTES },
      });
      sender.on('response', (answer) => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode));
      });
      sender.on('error', reject);
      sender.end(Buffer.alloc(SENT_BYTES, 'x'));
    });
    expect(status).toBe(413);
  });
});
