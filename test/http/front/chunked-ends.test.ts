import { type IncomingHttpHeaders, request } from 'node:http';
import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import type { AnyEndpoint } from '../../../src/http/endpoint.ts';
import { endpoint, startTestServer, streamed, type TestServer } from '../../support/http/http-server.ts';

const COMMON = { tag: 'Test', summary: '', access: { permission: 'NONE' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };
const PIECE = 'x'.repeat(100_000);

let running: TestServer;
afterEach(() => running.server.close());

async function start(route: AnyEndpoint<null>): Promise<string> {
  running = await startTestServer([route]);
  running.server.open();
  return running.url;
}

function gate(): { readonly opened: Promise<string>; readonly open: () => void } {
  let open = () => {};
  const opened = new Promise<string>((resolve) => {
    open = () => resolve(PIECE);
  });
  return { opened, open };
}

interface Answer {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

/** Reads an answer with Node's strict parser, which accepts no error at the end of chunks. Calls `begun` at the first bytes of the body. */
function strictly(url: string, begun: () => void = () => {}, body?: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, {
      method: body ? 'POST' : 'GET',
      insecureHTTPParser: false,
      headers: body ? { 'content-type': 'text/plain', 'content-length': body.length } : {},
    });
    asked.on('error', reject);
    asked.on('response', (response) => {
      let bytes = 0;
      response.once('data', begun);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.complete) resolve({ headers: response.headers, bytes });
        else reject(new Error('the answer was truncated'));
      });
    });
    asked.end(body);
  });
}

const list = (pieces: () => Iterable<string | Promise<string>>) =>
  endpoint({
    ...COMMON,
    operationId: 'list',
    method: 'get',
    path: '/list',
    responses: OK,
    handle: () => ({ status: 200, pieces: pieces() }),
  });

describe('a strict client reads an answer in chunks to its end', () => {
  it('when the server starts to stop in the middle of the answer', async () => {
    const { opened, open } = gate();
    const url = await start(list(() => [PIECE, opened, PIECE]));
    let closed: Promise<void> | undefined;
    const answer = await strictly(`${url}/list`, () => {
      closed = running.server.close();
      open();
    });
    expect(answer.bytes).toBe(3 * PIECE.length);
    expect(answer.headers.connection).not.toBe('close');
    await closed;
  });

  it('when the server was already stopping, and the answer announces that the connection is closed', async () => {
    const { opened, open } = gate();
    let closed: Promise<void> | undefined;
    const route = list(() => {
      closed = running.server.close();
      setImmediate(open);
      return [opened, PIECE, PIECE];
    });
    const url = await start({
      ...route,
      // The head is sent after the server has started to stop.
      handle: async (...args: Parameters<typeof route.handle>) => {
        await new Promise((resolve) => setImmediate(resolve));
        return route.handle(...args);
      },
    } as typeof route);
    const answer = await strictly(`${url}/list`);
    expect(answer.bytes).toBe(3 * PIECE.length);
    expect(answer.headers.connection).toBe('close');
    await closed;
  });

  it('when the rest of the request body stays unread, or the server stops meanwhile', async () => {
    const { opened, open } = gate();
    const route = streamed('POST /first', 'first', {
      ...COMMON,
      contentTypes: ['text/plain'],
      responses: OK,
      async handle({ body }) {
        for await (const chunk of body) if (chunk.length > 0) break;
        const chunks = async function* () {
          yield Buffer.from(PIECE);
          yield Buffer.from(await opened);
        };
        return { status: 200, headers: {}, chunks: chunks() };
      },
    });
    const url = await start(route);
    const body = Buffer.alloc(3_000_000, 'x');
    const unread = strictly(`${url}/first`, undefined, body);
    let closed: Promise<void> | undefined;
    const stopped = strictly(
      `${url}/first`,
      () => {
        closed = running.server.close();
        open();
      },
      Buffer.from('short'),
    );
    for (const { bytes } of await Promise.all([unread, stopped])) expect(bytes).toBe(2 * PIECE.length);
    await closed;
  });
});
