import Type from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel, Frame } from '../../src/base/queues/channel.ts';
import { type AnyEndpoint, endpointsOf } from '../../src/http/endpoint.ts';
import { CALLER, endpoint, startTestServer, streamed, type TestServer } from '../support/http/http-server.ts';
import { head, RawConnection, rawRequest } from '../support/http/raw-http.ts';
import { untilTrue } from '../support/until.ts';

const COMMON = { tag: 'Test', summary: '', access: { permission: 'CLIENT' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };
const { subscribed } = endpointsOf<null>();
const servers: TestServer[] = [];

afterEach(async () => {
  for (const { server } of servers.splice(0)) await server.close();
});

async function start(...routes: AnyEndpoint<null>[]): Promise<TestServer> {
  const server = await startTestServer(routes, {}, { find: () => CALLER });
  servers.push(server);
  server.server.open();
  return server;
}

const ask = ({ url }: TestServer, line: string, ...headers: string[]) =>
  rawRequest(url, head(`${line} HTTP/1.1`, 'authorization: a', ...headers));

const fault = () => new Error('as the test wants');

describe('a streamed answer that fails', () => {
  const failingAfter = (operationId: string, chunks: number) =>
    streamed(`POST /${operationId}`, operationId, {
      ...COMMON,
      contentTypes: ['text/plain'],
      responses: OK,
      handle: () => ({
        status: 200,
        headers: {},
        chunks: (async function* () {
          for (let index = 0; index < chunks; index++) yield Buffer.from(`chunk ${index},`);
          throw fault();
        })(),
      }),
    });

  it('before its first byte is a 500, and ends the connection afterwards: no reader takes a part for the whole', async () => {
    const server = await start(failingAfter('early', 0), failingAfter('late', 2));
    const sent = ['content-type: text/plain', 'content-length: 0'];
    const early = await ask(server, 'POST /early', ...sent);
    expect(early?.status).toBe(500);
    const { name, id } = JSON.parse(String(early?.body));
    expect(name).toBe('InternalError');
    expect(server.errors).toEqual([{ message: 'request failed', id }]);
    // The connection ends before the last chunk, so there is no whole answer.
    expect(await ask(server, 'POST /late', ...sent)).toBeUndefined();
    expect(server.errors.map(({ message }) => message)).toEqual(['request failed', 'request failed']);
  });
});

it('an operation of another protocol that fails is answered in the form of the protocol, with the id of the error in the log', async () => {
  const server = await start(
    endpoint({
      ...COMMON,
      operationId: 'fails',
      method: 'get',
      path: '/other/fails',
      responses: OK,
      protocol: {
        mediaType: 'application/other+json',
        below: '/other',
        errorSchema: Type.Unknown(),
        errorBody: ({ name, message }) => ({ problem: name, detail: message }),
        wrongMethodBody: () => ({}),
      },
      handle: () => {
        throw fault();
      },
    }),
  );
  const answer = await ask(server, 'GET /other/fails');
  expect([answer?.status, answer?.headers.get('content-type')]).toEqual([500, 'application/other+json']);
  const { problem, detail } = JSON.parse(String(answer?.body));
  expect(server.errors).toHaveLength(1);
  expect(problem).toBe('InternalError');
  expect(detail).toMatch(new RegExp(`^The service failed to answer this request\\..* ${server.errors[0]?.id}$`));
});

it('an answer that must not be sent closes its connection, and other callers are served', async () => {
  const answering = (operationId: string, value: string) =>
    endpoint({
      ...COMMON,
      operationId,
      method: 'get',
      path: `/${operationId}`,
      responses: OK,
      handle: () => ({ status: 200, body: {}, headers: { 'x-value': value } }),
    });
  const server = await start(answering('bad', 'a\r\nx-other: b'), answering('good', 'a'));
  expect(await ask(server, 'GET /bad')).toBeUndefined();
  expect(server.errors.map(({ message }) => message)).toEqual(['sending an answer failed; its connection was closed']);
  expect((await ask(server, 'GET /good'))?.headers.get('x-value')).toBe('a');
});

describe('a stream', () => {
  /** A channel whose faults the test decides. */
  class FaultyChannel implements Channel {
    revision = '1';
    fault: 'changes' | 'hydration' | undefined;
    changed: () => void = () => {};

    since(): Frame {
      if (this.fault === 'changes') throw fault();
      return this.#frame('changed');
    }

    async hydration(): Promise<Frame> {
      if (this.fault === 'hydration') throw fault();
      return this.#frame('whole');
    }

    #frame(event: string): Frame {
      return { revision: this.revision, bytes: Buffer.from(`event: ${event}\ndata: ${this.revision}\n\n`) };
    }
  }

  async function follow(channel: FaultyChannel) {
    const server = await start(
      subscribed('GET /follow', 'follow', {
        ...COMMON,
        responses: { 200: { description: 'Events', contentType: 'text/event-stream' } },
        channel: () => channel,
        follow(_services, changed) {
          channel.changed = changed;
        },
      }),
    );
    const connection = await RawConnection.open(server.url);
    let text = '';
    connection.socket.on('data', (bytes: Buffer) => {
      text += bytes.toString();
    });
    connection.write(head('GET /follow HTTP/1.1', 'authorization: a'));
    const next = (revision: string, of?: FaultyChannel['fault']) => {
      channel.revision = revision;
      channel.fault = of;
      channel.changed();
    };
    const has = (event: string) => untilTrue(() => text.includes(`event: ${event}\n`), `the stream has sent ${event}`);
    return { connection, next, has, errors: server.errors };
  }

  it('whose changes cannot be made ends, so that its client connects again', async () => {
    const { connection, next, has, errors } = await follow(new FaultyChannel());
    await has('whole');
    next('2', 'changes');
    await connection.closed;
    expect(errors.map(({ message }) => message)).toEqual(['a stream failed; its connection was closed']);
  });

  it('whose content cannot be made waits for the next change', async () => {
    const channel = new FaultyChannel();
    channel.fault = 'hydration';
    const { connection, next, has, errors } = await follow(channel);
    await untilTrue(() => errors.length > 0, 'the fault is logged');
    next('2');
    await has('whole');
    expect(errors.map(({ message }) => message)).toEqual([
      'creating the data for a stream failed; its clients wait until the next change',
    ]);
    connection.destroy();
  });
});
