import { randomBytes } from 'node:crypto';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { RejectionError } from '../../../src/base/rejection.ts';
import { DECOMPRESSED_BYTES_MAX, decompressed } from '../../../src/http/body/decompression.ts';
import { FRONTS, testFront } from '../../support/http/front.ts';
import { endpoint, startTestServer, type TestServer } from '../../support/http/http-server.ts';
import { head, type RawAnswer, RawConnection, rawRequest } from '../../support/http/raw-http.ts';
import { personalTokenOf, putUser } from '../../support/people.ts';
import { startTestRelay } from '../../support/relay.ts';
import { allowScim, SCIM_USER } from '../../support/scim.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, SCIM_TOKEN, useService } from '../../support/service.ts';
import { stateDigest } from '../../support/state-digest.ts';
import { until } from '../../support/until.ts';

const FEATURES = '/api/admin/projects/default/features';
const BODY_LIMIT_BYTES = 1_000_000;

/**
 * A compressed body of 200 kB that has 200 MB after decompression: the block of one megabyte 200 times, which takes less time to make. The checksum at
 * its end is wrong, but nobody may read so far.
 */
const BOMB = Buffer.concat([
  gzipSync('').subarray(0, 10),
  ...Array<Buffer>(200).fill(deflateRawSync(Buffer.alloc(1_000_000, ' '), { finishFlush: constants.Z_FULL_FLUSH })),
  deflateRawSync(''),
  Buffer.alloc(8),
]);

interface Sent {
  readonly path: string;
  readonly token: string;
  readonly type?: string;
  readonly coding: string;
  readonly bytes: Uint8Array;
  readonly isChunked?: boolean;
}

/** The bytes of the whole request. */
function requestOf({ path, token, type = 'application/json', coding, bytes, isChunked = false }: Sent): Buffer {
  const framing = isChunked ? 'transfer-encoding: chunked' : `content-length: ${bytes.length}`;
  const lines = [`authorization: ${token}`, `content-type: ${type}`, `content-encoding: ${coding}`, framing];
  const start = Buffer.from(head(`POST ${path} HTTP/1.1`, ...lines));
  if (!isChunked) return Buffer.concat([start, bytes]);
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 50_000) {
    const chunk = bytes.subarray(at, at + 50_000);
    chunks.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), Buffer.from(chunk), Buffer.from('\r\n'));
  }
  return Buffer.concat([start, ...chunks, Buffer.from('0\r\n\r\n')]);
}

const send = (url: string, sent: Sent) => rawRequest(url, requestOf(sent));

const jsonOf = (answer: RawAnswer | undefined) => JSON.parse(answer?.body.toString() ?? '');

const CODINGS: readonly (readonly [name: string, coding: string, compress: (body: Buffer) => Buffer])[] = [
  ['gzip', 'gzip', (body) => gzipSync(body)],
  ['gzip under its old name', 'x-gzip', (body) => gzipSync(body)],
  ['gzip in two members', 'GZip', (body) => Buffer.concat([gzipSync(body.subarray(0, 5)), gzipSync(body.subarray(5))])],
  ['deflate', 'deflate', (body) => deflateSync(body)],
  ['deflate without the head of zlib', 'deflate', (body) => deflateRawSync(body)],
];

describe.each(FRONTS)('on the %s front', (front) => {
  const service = useService({ env: { HTTP_FRONT: front } });

  const digest = () => stateDigest(service.running.services.state);
  const feature = (name: string) => Buffer.from(JSON.stringify({ name, description: 'about it '.repeat(100) }));

  it.each(CODINGS)('a body is taken: %s', async (name, coding, compress) => {
    for (const isChunked of [false, true]) {
      const flag = `${name.replaceAll(' ', '-')}-${isChunked}`;
      const sent = { path: FEATURES, token: ADMIN_TOKEN, coding, bytes: compress(feature(flag)), isChunked };
      const answer = await send(service.url, sent);
      expect([answer?.status, jsonOf(answer).name]).toEqual([201, flag]);
    }
  });

  it('a large body is taken, up to the limit of bytes after decompression', async () => {
    const text = (length: number) => gzipSync(Buffer.from(' '.repeat(length - 2).concat('{}')));
    const sent = (length: number) => ({ path: FEATURES, token: ADMIN_TOKEN, coding: 'gzip', bytes: text(length) });
    const largest = await send(service.url, sent(BODY_LIMIT_BYTES));
    expect([largest?.status, jsonOf(largest).name]).toEqual([400, 'ValidationError']);
    const larger = await send(service.url, sent(BODY_LIMIT_BYTES + 1));
    expect([larger?.status, jsonOf(larger).name]).toEqual([413, 'PayloadTooLargeError']);
  });

  it('every kind of route with a body takes it', async () => {
    await putUser(service, 70);
    await allowScim(service);
    const relay = await startTestRelay(service.url, { tokens: [CLIENT_TOKEN] }, { env: { HTTP_FRONT: front } });
    await until(
      async () =>
        (await fetch(`${relay.url}/api/client/features`, { headers: { authorization: CLIENT_TOKEN } })).status,
      (status) => status === 200,
    );
    const report = {
      appName: 'app',
      instanceId: 'one',
      bucket: { start: '2026-01-01T00:00:00Z', stop: '2026-01-01T00:01:00Z', toggles: {} },
    };
    const scim = `Bearer ${SCIM_TOKEN}`;
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
    const person = { schemas: [SCIM_USER], userName: 'ada@example.com' };
    const all: readonly (readonly [number, string, string, string, object, string?])[] = [
      [202, service.url, '/api/client/metrics', CLIENT_TOKEN, report],
      [202, relay.url, '/api/client/metrics', CLIENT_TOKEN, report],
      [200, service.url, '/api/frontend', FRONTEND_TOKEN, { context: { userId: '7' } }],
      [200, service.url, '/ofrep/v1/evaluate/flags', FRONTEND_TOKEN, { context: { targetingKey: '7' } }],
      [200, service.url, '/mcp', await personalTokenOf(service, 70), message],
      [201, service.url, '/scim/v2/Users', scim, person, 'application/scim+json'],
      [200, service.url, '/api/client/evaluate', CLIENT_TOKEN, { contexts: [{ userId: '7' }] }],
      [200, service.url, '/api/client/evaluate', CLIENT_TOKEN, { userId: '7' }, 'application/x-ndjson'],
    ];
    try {
      for (const [status, url, path, token, body, type] of all) {
        for (const [name, coding, compress] of CODINGS) {
          const bytes = compress(Buffer.from(JSON.stringify({ ...body, ...(status === 201 && { userName: name }) })));
          const answer = await send(url, { path, token, coding, bytes, ...(type && { type }) });
          expect([path, name, answer?.status]).toEqual([path, name, status]);
          if (path.endsWith('evaluate')) expect(jsonOf(answer)).toEqual({ line: 1, toggles: [] });
        }
      }
    } finally {
      await relay.close();
    }
  });

  const valid = gzipSync(feature('never'));
  const withoutEnd = (bytes: Buffer) => bytes.subarray(0, bytes.length - 3);
  const withMore = (bytes: Buffer, more: string) => Buffer.concat([bytes, Buffer.from(more)]);
  const withFlip = (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === bytes.length - 8 ? byte ^ 1 : byte)));
  const ENDS = 'The body ends before its';
  const MORE = 'The body has further bytes after the end of its';
  const INVALID = 'The body is not valid';

  it.each([
    ['is truncated', 'gzip', withoutEnd(valid), `${ENDS} gzip data does.`],
    ['is truncated', 'deflate', withoutEnd(deflateSync(feature('never'))), `${ENDS} deflate data does.`],
    ['is only the first byte', 'gzip', valid.subarray(0, 1), `${ENDS} gzip data does.`],
    ['has garbage after its end', 'gzip', withMore(valid, 'xx'), INVALID],
    ['has zeros after its end', 'gzip', withMore(valid, '\0\0'), MORE],
    ['has garbage after its end', 'deflate', withMore(deflateSync(feature('never')), 'xx'), MORE],
    ['has garbage after its end', 'deflate', withMore(deflateRawSync(feature('never')), 'xx'), MORE],
    ['has a wrong checksum', 'gzip', withFlip(valid), INVALID],
    ['is not compressed', 'gzip', feature('never'), INVALID],
    ['is random', 'deflate', Buffer.concat([Buffer.of(0x78, 0x9c), Buffer.alloc(500, 0xff)]), INVALID],
    ['is compressed twice', 'gzip', gzipSync(valid), ''],
  ])('a body that %s (%s) gets 400, and changes nothing', async (_name, coding, bytes, message) => {
    const before = digest();
    for (const isChunked of [false, true]) {
      const answer = await send(service.url, { path: FEATURES, token: ADMIN_TOKEN, coding, bytes, isChunked });
      expect([answer?.status, jsonOf(answer).name]).toEqual([400, 'ValidationError']);
      expect(jsonOf(answer).message).toContain(message);
    }
    expect(digest()).toBe(before);
  });

  it('bulk evaluation and SCIM refuse a damaged body in their own way', async () => {
    const lines = gzipSync('{"userId":"7"}\n'.repeat(3));
    const evaluate = { path: '/api/client/evaluate', token: CLIENT_TOKEN, coding: 'gzip' };
    for (const type of ['application/json', 'application/x-ndjson']) {
      const answer = await send(service.url, { ...evaluate, type, bytes: withoutEnd(lines) });
      expect([type, answer?.status, jsonOf(answer).message]).toEqual([
        type,
        400,
        'The body ends before its gzip data does.',
      ]);
    }
    const scim = { path: '/scim/v2/Users', token: `Bearer ${SCIM_TOKEN}`, type: 'application/scim+json' };
    const answer = await send(service.url, { ...scim, coding: 'gzip', bytes: withoutEnd(valid) });
    expect([answer?.status, jsonOf(answer).status]).toEqual([400, '400']);
  });

  it.each([
    ['br', brotliCompressSync(feature('never'))],
    ['zstd', feature('never')],
    ['gzip, gzip', gzipSync(valid)],
    ['gzip, identity', valid],
    ['chunked', valid],
  ])('the coding %s gets 415', async (coding, bytes) => {
    const answer = await send(service.url, { path: FEATURES, token: ADMIN_TOKEN, coding, bytes });
    expect([answer?.status, jsonOf(answer).name]).toEqual([415, 'ContentTypeerror']);
    expect(jsonOf(answer).message).toContain(`"${coding}"`);
  });

  it('two headers with a coding get 400, and identity is no coding', async () => {
    const twice = { path: FEATURES, token: ADMIN_TOKEN, coding: 'gzip\r\ncontent-encoding: gzip', bytes: valid };
    expect((await send(service.url, twice))?.status).toBe(400);
    const plain = { path: FEATURES, token: ADMIN_TOKEN, coding: 'identity', bytes: feature('as-it-is') };
    expect((await send(service.url, plain))?.status).toBe(201);
  });

  it.each([
    ['a length of', false],
    ['chunks of', true],
  ])('%s more compressed bytes than the limit get 413', async (_name, isChunked) => {
    const bytes = gzipSync(randomBytes(2 * BODY_LIMIT_BYTES));
    const answer = await send(service.url, { path: FEATURES, token: ADMIN_TOKEN, coding: 'gzip', bytes, isChunked });
    expect([answer?.status, jsonOf(answer).name]).toEqual([413, 'PayloadTooLargeError']);
  });

  it('a bomb of 200 MB gets 413 everywhere, also sent many times at once, and the service goes on', async () => {
    const routes = [
      { path: FEATURES, token: ADMIN_TOKEN },
      { path: '/api/client/metrics', token: CLIENT_TOKEN },
      { path: '/api/client/evaluate', token: CLIENT_TOKEN },
      { path: '/api/client/evaluate', token: CLIENT_TOKEN, type: 'application/x-ndjson' },
    ];
    for (const route of routes) {
      const answer = await send(service.url, { ...route, coding: 'gzip', bytes: BOMB });
      expect([route.path, answer?.status]).toEqual([route.path, 413]);
    }
    const at = { path: FEATURES, token: ADMIN_TOKEN, coding: 'gzip', bytes: BOMB };
    const connections = await Promise.all(Array.from({ length: 100 }, () => RawConnection.open(service.url)));
    for (const connection of connections) connection.write(requestOf(at));
    for (const connection of connections) expect((await connection.answer())?.status).toBe(413);
    // The body was received to its end, so the connection stays usable.
    const [first] = connections as [RawConnection];
    first.write(requestOf({ ...at, bytes: gzipSync(feature('after-the-bombs')) }));
    expect((await first.answer())?.status).toBe(201);
    for (const connection of connections) connection.destroy();
  });
});

describe.each(FRONTS)('the memory for decompressed bodies, on the %s front', (front) => {
  /** Each body counts as much as the limit, which is all of the memory. */
  const LIMIT_BYTES = DECOMPRESSED_BYTES_MAX;
  let server: TestServer;
  let handled: number[] = [];

  afterEach(() => server.server.close());

  const sizes = endpoint({
    tag: 'Test',
    summary: '',
    errors: [],
    operationId: 'size',
    method: 'post',
    path: '/size',
    access: { permission: 'CLIENT' },
    body: Type.String(),
    responses: { 200: { description: '', schema: Type.Unknown() } },
    handle: ({ body }) => {
      handled.push(body.length);
      return { status: 200, body: body.length };
    },
  });

  /** A server whose memory for decompressed bodies is enough for one body. */
  async function start(): Promise<void> {
    handled = [];
    const limits = { bodyLimitBytes: LIMIT_BYTES, importBodyLimitBytes: LIMIT_BYTES };
    server = await startTestServer([sizes], { ...limits, front: testFront(front) });
    server.server.open();
  }

  async function begin(length: number, bytes = compressedText(length)): Promise<RawConnection> {
    const connection = await RawConnection.open(server.url);
    connection.write(requestOf({ path: '/size', token: 'any', coding: 'gzip', bytes }));
    return connection;
  }

  const compressedText = (length: number) => gzipSync(`"${'x'.repeat(length)}"`, { level: 1 });

  it('is limited: a body waits until the earlier ones are parsed', async () => {
    await start();
    const all = [await begin(5_000_000), await begin(10), await begin(20)];
    const answers = await Promise.all(all.map((connection) => connection.answer()));
    expect(answers.map((answer) => answer?.body.toString())).toEqual(['5000000', '10', '20']);
    expect(handled).toEqual([5_000_000, 10, 20]);
    for (const connection of all) connection.destroy();
  });

  it('is free again when the caller has left, whose body is never handled', async () => {
    await start();
    const bytes = compressedText(20_000_000);
    const lost = [await begin(20_000_000, bytes), await begin(20_000_000, bytes)];
    for (const connection of lost) connection.destroy();
    const next = await begin(10);
    expect((await next.answer())?.body.toString()).toBe('10');
    expect(handled).toEqual([10]);
    next.destroy();
  });
});

describe('decompression', () => {
  it('ends at the limit: it makes no more bytes than one chunk above it', async () => {
    let madeBytes = 0;
    const read = async () => {
      for await (const chunk of decompressed([BOMB], 'gzip', 300_000)) madeBytes += chunk.length;
    };
    await expect(read()).rejects.toBeInstanceOf(RejectionError);
    expect(madeBytes).toBeLessThanOrEqual(300_000);
  });

  it('counts the compressed bytes, too: empty members without an end are refused', async () => {
    let sentBytes = 0;
    async function* members(): AsyncGenerator<Uint8Array> {
      for (const member = gzipSync(''); ; sentBytes += member.length) yield member;
    }
    const read = async () => {
      for await (const _chunk of decompressed(members(), 'gzip', 10_000)) expect.unreachable();
    };
    await expect(read()).rejects.toThrow('larger than the 10000 bytes');
    expect(sentBytes).toBeLessThan(11_000);
  });

  it.each([...CODINGS])('takes a body byte by byte: %s', async (_name, coding, compress) => {
    const text = 'a text that is compressed';
    const bytes = Array.from(compress(Buffer.from(text)), (byte) => Uint8Array.of(byte));
    const kind = coding === 'deflate' ? 'deflate' : 'gzip';
    let read = '';
    for await (const chunk of decompressed(bytes, kind, 1_000)) read += Buffer.from(chunk).toString();
    expect(read).toBe(text);
    const more = async () => {
      for await (const _chunk of decompressed([...bytes, Uint8Array.of(1)], kind, 1_000));
    };
    await expect(more()).rejects.toBeInstanceOf(RejectionError);
  });
});
