import Type from 'typebox';
import { bodyOf, preparedAnswer } from '../../../src/base/prepared-answer.ts';
import type { FrontKind } from '../../../src/http/front/front.ts';
import type { ServerOptions } from '../../../src/http/server.ts';
import { testFront } from './front.ts';
import { endpoint, prepared, startTestServer, streamed } from './http-server.ts';

const COMMON = { tag: 'Test', summary: '', access: { permission: 'NONE' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };
const ANY = Type.Optional(Type.Unknown());
const PIECE = 'x'.repeat(50_000);

/** More than the kernels buffer for a reader that reads nothing. */
export const LARGE = Buffer.alloc(12_000_000, 'abcdefghij');

/** A route, and what it does with the body of a request. */
export interface FramedRoute {
  readonly name: string;
  /** Method and path. */
  readonly line: string;
  readonly headers?: readonly string[];
  readonly headOnly?: boolean;
  /** The route answers before the body has ended, and then closes the connection on any front. */
  readonly isEarly?: boolean;
  /** The answer is larger than what is sent to a caller that does not read. */
  readonly isLarge?: boolean;
}

const JSON_BODY = ['content-type: application/json'];

export const FRAMED_ROUTES: readonly FramedRoute[] = [
  { name: 'a handler', line: 'POST /sync', headers: JSON_BODY },
  { name: 'an asynchronous handler', line: 'POST /async', headers: JSON_BODY },
  { name: 'a handler without a body', line: 'POST /bodyless' },
  { name: 'a handler that answers without a body', line: 'POST /done', headers: JSON_BODY },
  { name: 'a handler that fails', line: 'POST /defect', headers: JSON_BODY },
  { name: 'a large answer', line: 'POST /large-answer', headers: JSON_BODY, isLarge: true },
  { name: 'an answer in pieces', line: 'GET /pieces' },
  { name: 'a poll', line: 'GET /poll' },
  { name: 'a poll that fails', line: 'GET /poll-defect' },
  { name: 'a large prepared answer', line: 'GET /large', isLarge: true },
  { name: 'a HEAD request', line: 'HEAD /poll', headOnly: true },
  { name: 'a HEAD request of an answer in pieces', line: 'HEAD /pieces', headOnly: true },
  { name: 'a streamed route', line: 'POST /bulk', headers: JSON_BODY },
  { name: 'a streamed route that answers early', line: 'POST /early', headers: JSON_BODY, isEarly: true },
  { name: 'a refused caller', line: 'POST /secret', headers: JSON_BODY, isEarly: true },
  { name: 'a preflight', line: 'OPTIONS /page', headers: ['origin: https://page.example'], isEarly: true },
  { name: 'an unknown path', line: 'POST /nowhere', isEarly: true },
];

/** Counts, by the text in the header `x-case` of a request. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string | undefined): void {
    this.#counts.set(name ?? '', this.of(name ?? '') + 1);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

/** A server on this front with a route of every kind, which counts what runs. */
export async function startFramingServer(kind: FrontKind, options: Partial<ServerOptions> = {}) {
  const runs = new Counts();
  const marks = new Counts();
  type Header = { header(name: string): string | undefined };
  const run = ({ header }: Header) => runs.add(header('x-case'));
  const handled = (path: string, method: 'get' | 'post', handle: Parameters<typeof endpoint>[0]['handle']) =>
    endpoint({
      ...COMMON,
      operationId: path,
      method,
      path: `/${path}`,
      responses: OK,
      ...(method === 'post' && path !== 'bodyless' && { body: ANY, bodyOptional: true }),
      handle: (request) => {
        run(request);
        return handle(request);
      },
    });
  const poll = (path: string, body: Uint8Array) =>
    prepared(`GET /${path}`, path, {
      ...COMMON,
      responses: OK,
      serve(head) {
        runs.add(head.header('x-case'));
        if (path === 'poll-defect') throw new Error('as the test wants');
        return preparedAnswer(200, {}, bodyOf(body));
      },
    });
  const flowing = (path: string, reads: boolean) =>
    streamed(`POST /${path}`, path, {
      ...COMMON,
      contentTypes: ['application/json'],
      responses: OK,
      async handle({ body, header }) {
        if (reads) for await (const _ of body);
        runs.add(header('x-case'));
        const chunks = async function* () {
          for (let count = 0; count < 3; count++) yield Buffer.from(PIECE);
        };
        return { status: 200, headers: {}, chunks: chunks() };
      },
    });
  const { server, url } = await startTestServer(
    [
      handled('sync', 'post', () => ({ status: 200, body: {} })),
      handled('async', 'post', async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { status: 200, body: {} };
      }),
      handled('bodyless', 'post', () => ({ status: 200, body: {} })),
      handled('done', 'post', () => ({ status: 202 })),
      handled('defect', 'post', () => {
        throw new Error('as the test wants');
      }),
      handled('large-answer', 'post', () => ({ status: 200, text: LARGE.toString('latin1'), headers: {} })),
      handled('pieces', 'get', () => ({ status: 200, pieces: [PIECE, Promise.resolve(PIECE), PIECE] })),
      poll('poll', Buffer.from('{}')),
      poll('poll-defect', Buffer.from('{}')),
      poll('large', LARGE),
      flowing('bulk', true),
      flowing('early', false),
      { ...handled('secret', 'post', () => ({ status: 200, body: {} })), access: { permission: 'ADMIN' } },
      { ...handled('page', 'get', () => ({ status: 200, body: {} })), access: { permission: 'FRONTEND' } },
      endpoint({
        ...COMMON,
        operationId: 'marker',
        method: 'get',
        path: '/marker',
        responses: OK,
        handle: ({ header }) => {
          marks.add(header('x-case'));
          return { status: 200, body: {} };
        },
      }),
    ],
    { front: testFront(kind), ...options },
  );
  server.open();
  return { server, url, runs, marks };
}
