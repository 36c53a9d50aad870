import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyInParts, preparedAnswer } from '../../../src/base/prepared-answer.ts';
import { testFront } from '../../support/http/front.ts';
import { endpoint, prepared, startTestServer, type TestServer } from '../../support/http/http-server.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';

const COMMON = { tag: 'Test', summary: '', access: { permission: 'NONE' }, errors: [] } as const;
const OK = { 200: { description: '', schema: Type.Unknown() } };

/** Bodies in parts, by the path of their route. No two bytes that follow each other are alike, so that lost and doubled parts are seen. */
const PARTS: Readonly<Record<string, readonly number[]>> = {
  small: [10, 0, 20],
  'not-joined': [100_000, 0, 1, 60_000],
  // More than is passed to the socket at once.
  large: [700_000, 0, 700_000, 1_500_000, 300_000],
};
const partsOf = (name: string) =>
  (PARTS[name] ?? []).map((bytes, part) => Buffer.alloc(bytes, `${name} ${part} 0123456789`));

let server: TestServer;

beforeAll(async () => {
  const echo = endpoint({
    ...COMMON,
    operationId: 'echo',
    method: 'get',
    path: '/echo/:word',
    params: Type.Object({ word: Type.String() }),
    responses: OK,
    handle: ({ params, queryText, header }) => ({
      status: 200,
      body: { word: params.word, queryText, said: header('x-said') ?? null },
    }),
  });
  const lists = Object.keys(PARTS).map((name) =>
    prepared(`GET /${name}`, name, {
      ...COMMON,
      responses: OK,
      serve: () => preparedAnswer(200, {}, bodyInParts(partsOf(name))),
    }),
  );
  server = await startTestServer([echo, ...lists], { front: testFront('node') });
  server.server.open();
});

afterAll(() => server.server.close());

async function ask(line: string, ...headers: readonly (string | Uint8Array)[]) {
  const connection = await RawConnection.open(server.url);
  const [first = '', rest = ''] = head(`${line} HTTP/1.1`).split(/(?<=\r\n)(?=\r\n$)/);
  connection.write(Buffer.concat([Buffer.from(first), ...headers.map((each) => Buffer.from(each)), Buffer.from(rest)]));
  const answer = await connection.answer();
  connection.destroy();
  return { status: answer?.status, body: answer?.body ?? Buffer.alloc(0) };
}

describe('the front of Node', () => {
  it.each([
    ['/echo/a?b=1', 200, 'b=1'],
    ['http://flags.example/echo/a?b=1', 200, 'b=1'],
    ['HTTPS://flags.example:4242/echo/a?b=/&c', 200, 'b=/&c'],
    ['http://flags.example', 404, undefined],
    ['http://flags.example?b=1', 404, undefined],
    ['ftp://flags.example/echo/a', 404, undefined],
  ])('serves the path and the query of the target %s with %i', async (target, status, queryText) => {
    const answer = await ask(`GET ${target}`);
    expect(answer.status).toBe(status);
    const body = JSON.parse(answer.body.toString());
    if (status === 200) expect(body).toEqual({ word: 'a', queryText, said: null });
    else expect(body.name).toBe('NotFoundError');
  });

  it('reads headers as UTF-8', async () => {
    for (const said of ['plain', 'Grüße 🚩']) {
      const answer = await ask('GET /echo/a', `x-said: ${said}\r\n`);
      expect(JSON.parse(answer.body.toString())).toEqual({ word: 'a', queryText: '', said });
    }
  });

  it.each(Object.keys(PARTS))('sends a %s body of several parts whole', async (name) => {
    const { status, body } = await ask(`GET /${name}`);
    const whole = Buffer.concat(partsOf(name));
    expect([status, body.byteLength, body.equals(whole)]).toEqual([200, whole.byteLength, true]);
  });
});
