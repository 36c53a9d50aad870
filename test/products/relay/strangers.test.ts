import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { plainRequest } from '../../support/http/request.ts';
import { startTestRelay, type TestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const KNOWN = '*:development.known';
const NEW = '*:development.new';

/** An upstream that can delay its answers about tokens, and the tokens of each request that it received. */
let isHolding = false;
let release: () => void = () => {};
const questions: string[][] = [];
const upstream = createServer((request, response) => {
  if (request.url?.startsWith('/api/client/features'))
    return void response.setHeader('etag', 'one').end('{"version":2,"features":[{"name":"a","enabled":true}]}');
  if (!request.url?.startsWith('/edge/validate')) return void response.writeHead(404).end();
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const { tokens: asked } = JSON.parse(body) as { tokens: string[] };
    questions.push(asked);
    const tokens = asked
      .filter((token) => token === KNOWN || token === NEW)
      .map((token) => ({ token, type: 'client' }));
    const answer = () => response.setHeader('content-type', 'application/json').end(JSON.stringify({ tokens }));
    if (!isHolding) return answer();
    const before = release;
    release = () => {
      release = () => {};
      before();
      answer();
    };
  });
});
let relay: TestRelay;

beforeAll(async () => {
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  // The relay distinguishes callers by their addresses, which a trusted proxy sends.
  relay = await startTestRelay(url, { tokens: [KNOWN], timeoutMs: 60_000 }, { env: { TRUSTED_PROXIES: 'true' } });
});

afterAll(async () => {
  isHolding = false;
  release();
  await relay.close();
  upstream.closeAllConnections();
  await new Promise((resolve) => upstream.close(resolve));
});

async function status(token: string, address: string): Promise<number> {
  const headers = { authorization: token, 'x-forwarded-for': address };
  return (await plainRequest(`${relay.url}/api/client/features`, { headers })).status;
}

it('a caller that invents any number of tokens blocks neither known tokens nor a new token from another address', async () => {
  await until(
    () => status(KNOWN, '192.0.2.1'),
    (code) => code === 200,
  );
  isHolding = true;
  questions.length = 0;
  const statuses: number[] = [];
  // From all networks of one IPv6 site, which count as one caller. The number exceeds the capacity.
  const attack = Array.from({ length: 2_200 }, (_, index) =>
    status(`*:development.made-up-${index}`, `2001:db8:7:${index.toString(16)}::1`).then((code) => statuses.push(code)),
  );
  await until(
    () => statuses.length,
    (count) => count >= 1_000,
    60_000,
  );
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect(await status(KNOWN, '192.0.2.1')).toBe(200);
  const fresh = status(NEW, '192.0.2.7');
  // It enters the queue, and the next request to upstream contains it.
  await new Promise((resolve) => setTimeout(resolve, 200));
  isHolding = false;
  const before = questions.length;
  release();
  expect(await fresh).toBe(200);
  expect(questions.slice(before)[0]).toContain(NEW);
  await Promise.all(attack);
  expect(statuses.filter((code) => code === 401).length).toBeGreaterThan(0);
});
