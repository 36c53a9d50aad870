import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpoint, startTestServer, type TestServer } from '../../support/http/http-server.ts';
import { head, RawConnection } from '../../support/http/raw-http.ts';

let server: TestServer;

const ping = endpoint({
  operationId: 'ping',
  tag: 'Test',
  summary: '',
  access: { permission: 'NONE' },
  errors: [],
  method: 'get',
  path: '/ping',
  responses: { 200: { description: '', schema: Type.Unknown() } },
  handle: () => ({ status: 200, body: 'pong' }),
});

beforeAll(async () => {
  server = await startTestServer([ping]);
  server.server.open();
});

afterAll(() => server.server.close());

/** A head as browsers send it behind a single sign-on: many fields, none of them long. */
function headOf(sizeBytes: number): string {
  const lines: string[] = [];
  for (let left = sizeBytes; left > 0; left -= 2_000)
    lines.push(`x-${left}: ${'a'.repeat(Math.min(left, 2_000) - 10)}`);
  return head('GET /ping HTTP/1.1', ...lines);
}

async function answerTo(text: string, pieceBytes = text.length) {
  const connection = await RawConnection.open(server.url);
  for (let at = 0; at < text.length; at += pieceBytes) {
    connection.write(text.slice(at, at + pieceBytes));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const answer = await connection.answer();
  connection.destroy();
  return answer;
}

describe('the head of a request', () => {
  it('may be 30 KB long', async () => {
    expect((await answerTo(headOf(30_000)))?.status).toBe(200);
  });

  it('may be 30 KB long and arrive in pieces', async () => {
    expect((await answerTo(headOf(30_000), 1_500))?.status).toBe(200);
  });

  it('gets 400 in JSON when it is longer than 32 KB', async () => {
    for (const pieceBytes of [undefined, 10_000]) {
      const answer = await answerTo(headOf(40_000), pieceBytes);
      expect(answer?.status).toBe(400);
      expect(JSON.parse(String(answer?.body))).toMatchObject({ name: 'ValidationError' });
    }
  });

  it('gets 400 or 431 when it is longer than 64 KB and arrives in pieces', async () => {
    const answer = await answerTo(headOf(200_000), 20_000);
    expect([400, 431]).toContain(answer?.status);
    expect((await answerTo(headOf(1_000)))?.status).toBe(200);
  });
});
