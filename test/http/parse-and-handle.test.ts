import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { SERVICE } from '../../src/base/asking/asker.ts';
import { silentLogger } from '../../src/base/logger.ts';
import type { Endpoint } from '../../src/http/endpoint.ts';
import { parseAndHandle } from '../../src/http/parse-and-handle.ts';
import type { EncodedAnswer } from '../../src/http/sending/encoded-answer.ts';

const Body = Type.Object({ items: Type.Array(Type.String({ maxLength: 10 })) });

/** Dispatches a body. The handler answers the number of its items; `turns` counts the turns of the event loop until the handler runs. */
function setUp(body: unknown) {
  const seen = { turns: 0, handledAt: -1 };
  const endpoint = {
    operationId: 'test',
    body: Body,
    handle: (request: { body: { items: string[] } }) => {
      seen.handledAt = seen.turns;
      return { status: 200, body: request.body.items.length };
    },
  } as unknown as Endpoint<object>;
  const count = () => {
    seen.turns++;
    if (seen.handledAt < 0 && seen.turns < 1_000) setImmediate(count);
  };
  setImmediate(count);
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const answer = parseAndHandle(endpoint, { asker: SERVICE } as never, bytes, {}, silentLogger);
  return { seen, answer };
}

const textOf = (answer: EncodedAnswer) => answer.text ?? '';
const items = (count: number, item = 'item') => ({ items: Array.from({ length: count }, () => item) });

describe('the body of an ordinary request', () => {
  it('is handled in the same turn of the event loop when it is small', () => {
    const { seen, answer } = setUp(items(100));
    expect(answer).not.toBeInstanceOf(Promise);
    expect(textOf(answer as EncodedAnswer)).toBe('100');
    expect(seen.handledAt).toBe(0);
  });

  it('is scanned, parsed, and handled in separate turns of the event loop when it is large', async () => {
    const { seen, answer } = setUp(items(30_000));
    expect(textOf(await answer)).toBe('30000');
    expect(seen.handledAt).toBeGreaterThanOrEqual(2);
  });

  it('whose answer cannot be encoded as JSON gets 500, not an empty answer', async () => {
    const answering = {
      operationId: 'nothing',
      handle: () => ({ status: 200, body: { toJSON: () => undefined } }),
    } as unknown as Endpoint<object>;
    const answer = await parseAndHandle(answering, {} as never, Buffer.alloc(0), {}, silentLogger);
    expect(answer.status).toBe(500);
  });

  it('is refused with the same error, whatever its size', async () => {
    for (const [small, large] of [
      [items(10, 'much too long'), items(30_000, 'much too long')],
      [{ items: 'x' }, { items: 'x'.repeat(200_000) }],
      ['{"items":[]', `{"items":[${' '.repeat(200_000)}]`],
      ['{"items":["\\ud800"]}', `{"items":["\\ud800"${' '.repeat(200_000)}]}`],
      ['{"__proto__":1}', `{"__proto__":1${' '.repeat(200_000)}}`],
    ]) {
      const [one, other] = [await setUp(small).answer, await setUp(large).answer];
      const detailsOf = (answer: EncodedAnswer) => {
        const { name, message, details } = JSON.parse(textOf(answer));
        return { status: answer.status, name, message: message.replace(/position.*/, ''), details };
      };
      expect(one.status).toBe(400);
      expect({ ...detailsOf(other), details: [] }).toEqual({ ...detailsOf(one), details: [] });
    }
    expect((await setUp(items(50_001)).answer).status).toBe(400);
  });
});
