import Type from 'typebox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLER, endpoint, startTestServer, type TestServer } from '../../support/http/http-server.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';
import { until } from '../../support/until.ts';

/** The limit of one caller: `LONG_EACH_MAX`. */
const LONG_EACH = 64;

let server: TestServer;
let finish: () => void = () => {};
let blockedEnd = new Promise<string>(() => {});

function hold(): void {
  blockedEnd = new Promise((resolve) => {
    finish = () => resolve('"');
  });
}

/** A long answer whose end is blocked, and a short answer. */
const answers = endpoint({
  tag: 'Test',
  summary: '',
  errors: [429],
  access: { permission: 'CLIENT' },
  operationId: 'answers',
  errorFields: ({ name }, { size }) => ({ refused: `${name} of ${size}` }),
  method: 'get',
  path: '/:size',
  params: Type.Object({ size: Type.String() }),
  responses: { 200: { description: '', schema: Type.Unknown() } },
  handle: ({ params }) => ({
    status: 200,
    pieces: params.size === 'long' ? [`"${'x'.repeat(50_000)}`, blockedEnd] : ['"short"'],
    isBounded: true,
  }),
});

beforeAll(async () => {
  const callers = new Map(
    ['greedy', 'other'].map((key) => [key, { ...CALLER, proof: { collection: 'apiTokens', key } as const }]),
  );
  server = await startTestServer([answers], {}, { find: (secret) => callers.get(secret) });
  server.server.open();
});

afterAll(() => server.server.close());

async function ask(path: string, token: string): Promise<RawConnection> {
  const connection = await RawConnection.open(server.url);
  connection.write(head(`GET ${path} HTTP/1.1`, `authorization: ${token}`));
  return connection;
}

/** Starts as many long answers as one caller may have. */
async function longAnswers(token: string): Promise<RawConnection[]> {
  const connections = await Promise.all(Array.from({ length: LONG_EACH }, () => ask('/long', token)));
  for (const connection of connections)
    await until(
      () => connection.unread,
      (unread) => unread !== '',
    );
  return connections;
}

it('refuses another long answer to a caller at its limit, but not to other callers, and frees the capacity afterwards', async () => {
  for (let round = 0; round < 2; round++) {
    hold();
    const long = await longAnswers('greedy');
    const refused = await (await ask('/long', 'greedy')).answer();
    expect(refused?.status).toBe(429);
    expect(refused?.headers.get('retry-after')).toBe('1');
    // The fields that the protocol of the operation requires in an error, for example `errorCode` of OpenFeature.
    expect(JSON.parse(String(refused?.body))).toMatchObject({ refused: 'TooManyRequestsError of long' });
    expect((await (await ask('/short', 'greedy')).answer())?.status).toBe(200);
    const others = await ask('/long', 'other');
    finish();
    for (const connection of [...long, others]) {
      expect((await connection.answer())?.status).toBe(200);
      connection.destroy();
    }
  }
  hold();
  // A caller that disconnects frees its capacity.
  const gone = await longAnswers('greedy');
  expect((await (await ask('/long', 'greedy')).answer())?.status).toBe(429);
  for (const connection of gone) connection.destroy();
  finish();
  await expect.poll(async () => (await (await ask('/long', 'greedy')).answer())?.status).toBe(200);
});
