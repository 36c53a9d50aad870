import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import type { Logger } from '../../../src/base/logger.ts';
import { AnswerMemory } from '../../../src/products/relay/answer-memory.ts';
import { readEvents } from '../../../src/products/relay/event-lines.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const MEGABYTE = 1024 * 1024;
const LIMITS = { eachBytes: 100, totalBytes: 150 };

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function silent(): { warned: number; warn(): void } {
  return {
    warned: 0,
    warn() {
      this.warned++;
    },
  };
}

const settled = async (promise: Promise<void> | undefined) =>
  Promise.race([Promise.resolve(promise).then(() => true), new Promise((resolve) => setTimeout(resolve, 20, false))]);

it('one answer of the maximum size can always be read, whatever memory the others use; the rest wait, oldest first', async () => {
  const logger = silent();
  const memory = new AnswerMemory(LIMITS, logger as Pick<Logger, 'warn'>);
  const [small, large, third, fourth] = [memory.begin(), memory.begin(), memory.begin(), memory.begin()];
  expect(small.take(40)).toBeUndefined();
  // The shared memory has no capacity for it: it gets the reserve, up to the limit of one answer.
  expect(large.take(60)).toBeUndefined();
  expect(large.take(20)).toBeUndefined();
  const waiting = third.take(20);
  const behind = fourth.take(5);
  expect(large.take(20)).toBeUndefined();
  // Zero bytes need no memory.
  expect(memory.begin().take(0)).toBeUndefined();
  expect([memory.waitingCount, memory.bytes, logger.warned]).toEqual([2, 140, 1]);
  expect(await settled(waiting)).toBe(false);
  small.give();
  expect([await settled(waiting), await settled(behind)]).toEqual([true, true]);
  large.give();
  third.give();
  fourth.give();
  expect([memory.bytes, memory.waitingCount]).toEqual([0, 0]);
});

it('discards an answer that exceeds the size limit, and an answer that is released while it waits', async () => {
  const memory = new AnswerMemory(LIMITS, silent() as Pick<Logger, 'warn'>);
  const [first, second, third] = [memory.begin(), memory.begin(), memory.begin()];
  first.take(50);
  second.take(80);
  const waiting = third.take(30);
  expect(await settled(waiting)).toBe(false);
  third.give();
  expect(await settled(waiting)).toBe(true);
  expect(() => second.take(21)).toThrow(/larger than 100 bytes/);
  expect(memory.tooLargeCount).toBe(1);
  second.give();
  first.give();
  expect(memory.bytes).toBe(0);
});

const list = (name: string, bytes: number) =>
  JSON.stringify({
    version: 2,
    features: [{ name, enabled: true, project: 'default', description: 'x'.repeat(bytes), strategies: [] }],
  });

/** URL of an upstream. `answer` writes its lists, by the environment of the token. */
async function upstreamOf(answer: (environment: string, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    const { url = '', headers } = request;
    if (url.startsWith('/api/client/features')) {
      const [, environment = ''] = /:([^.]*)\./.exec(headers.authorization ?? '') ?? [];
      if (headers['if-none-match'] === environment) return void response.writeHead(304).end();
      return answer(environment, response);
    }
    if (!url.startsWith('/edge/validate')) return void response.writeHead(404).end();
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const tokens = (JSON.parse(body) as { tokens: string[] }).tokens.map((token) => ({ token, type: 'client' }));
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ tokens }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function relayOf(...args: Parameters<typeof startTestRelay>): Promise<TestRelay> {
  const relay = await startTestRelay(...args);
  closing.push(() => relay.close());
  return relay;
}

async function names(relay: TestRelay, token: string): Promise<string[]> {
  const headers = { authorization: token, 'unleash-client-spec': '5.2.0' };
  const answer = await fetch(`${relay.url}/api/client/features`, { headers });
  if (answer.status !== 200) return [];
  return ((await answer.json()) as { features: { name: string }[] }).features.map(({ name }) => name);
}

it('rejects a list that exceeds the size limit when decompressed: reads continue, and /ready reports the problem', async () => {
  const packed = new Map([10, 20, 8 * MEGABYTE].map((size) => [size, gzipSync(list(`of-${size}`, size))]));
  let bytes = 10;
  const url = await upstreamOf((_environment, response) => {
    response.setHeader('content-encoding', 'gzip').end(packed.get(bytes));
  });
  const token = '*:development.one';
  const relay = await relayOf(url, { tokens: [token], answers: { eachBytes: MEGABYTE, totalBytes: 2 * MEGABYTE } });
  await until(
    () => names(relay, token),
    (all) => all.includes('of-10'),
  );
  bytes = 8 * MEGABYTE;
  const { upstream } = await until(
    async () =>
      (await fetch(`${relay.url}/ready`)).json() as Promise<{ upstream: ReturnType<TestRelay['relay']['status']> }>,
    (ready) => ready.upstream.problem?.message.includes('UPSTREAM_ANSWER_MB') === true,
  );
  expect(upstream.failing).toBe(1);
  expect(upstream.answers.tooLarge).toBeGreaterThan(0);
  expect(await names(relay, token)).toEqual(['of-10']);
  bytes = 20;
  await until(
    () => names(relay, token),
    (all) => all.includes('of-20'),
  );
  // Between two requests to upstream.
  await until(
    () => relay.relay.status().answers,
    ({ bytes: used, waiting }) => used === 0 && waiting === 0,
  );
});

it('counts the overhead of the pieces of an event: an event of many lines, and an event that arrives byte by byte', async () => {
  const memory = new AnswerMemory({ eachBytes: 100_000, totalBytes: 200_000 }, silent() as Pick<Logger, 'warn'>);
  const read = async (pieces: readonly string[]) => {
    const body = async function* () {
      for (const piece of pieces) yield Buffer.from(piece);
    };
    let bytes = 0;
    for await (const { data } of readEvents(body(), memory)) bytes += data.length;
    return bytes;
  };
  expect(await read([`${'data:x\n'.repeat(300)}\n`])).toBe(599);
  await expect(read([`${'data:x\n'.repeat(1_000)}\n`])).rejects.toThrow(/larger than 100000 bytes/);
  expect(await read([`data:${'x'.repeat(1_000)}\n\n`])).toBe(1_000);
  await expect(read([...`data:${'x'.repeat(1_000)}\n\n`])).rejects.toThrow(/larger than 100000 bytes/);
  expect(memory.bytes).toBe(0);
});

it('keeps the memory for many large lists below the limit, and receives all of them', async () => {
  const environments = Array.from({ length: 12 }, (_, index) => `e${index}`);
  const tokens = environments.map((environment) => `*:${environment}.one`);
  const url = await upstreamOf((environment, response) => {
    response.setHeader('etag', environment).end(list(`of-${environment}`, 225_000));
  });
  const answers = { eachBytes: MEGABYTE / 4, totalBytes: (MEGABYTE / 4) * 3 };
  const relay = await relayOf(url, { tokens, answers, refreshMs: 200, timeoutMs: 400 });
  let mostBytes = 0;
  const look = setInterval(() => {
    mostBytes = Math.max(mostBytes, relay.relay.status().answers.bytes);
  }, 1);
  closing.push(async () => clearInterval(look));
  await until(
    async () => (await Promise.all(tokens.map((token) => names(relay, token)))).flat(),
    (all) => all.length === environments.length,
  );
  expect(mostBytes).toBeGreaterThan(0);
  expect(mostBytes).toBeLessThanOrEqual(answers.totalBytes);
});
