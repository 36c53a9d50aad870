import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { runProgram } from '../../../src/products/program/program.ts';
import { ProgramError } from '../../../src/products/program/subcommand.ts';

const SECRET = '*:*.very-secret';
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function rehearse(url: string, ...args: readonly string[]) {
  let said = '';
  const add = (text: string) => {
    said += text;
  };
  const environment = { FROM_TOKEN: SECRET };
  const code = await runProgram(['migrate', '--from', url, '--dry-run', ...args], { environment, out: add, err: add });
  return { code, said };
}

it.each([
  [401, /rejected the token/],
  [403, /must belong to an admin/],
  [404, /Check the address/],
  [302, /redirect/],
  [400, /refused GET \/api\/admin\/environments: 400/],
])('reports a source that answers %d in one line, without the token', async (status, message) => {
  const url = await serve((_request, response) => {
    response.writeHead(status, { location: 'https://elsewhere.example' }).end(JSON.stringify({ message: 'No.' }));
  });
  const { code, said } = await rehearse(url);
  expect(code).toBe(1);
  expect(said).toMatch(message);
  expect(said.trim().split('\n')).toHaveLength(1);
  expect(said).not.toContain('very-secret');
});

it('a refusal that quotes the message of the source has one full stop after it', async () => {
  for (const message of ['expected a different token type', 'expected a different token type.']) {
    const url = await serve((_request, response) => void response.writeHead(403).end(JSON.stringify({ message })));
    expect((await rehearse(url)).said).toContain(
      '403: expected a different token type). The token must belong to an admin.',
    );
    server?.closeAllConnections();
    server?.close();
  }
});

it.each([['--verify'], ['--follow'], ['--invites', 'links.txt']])(
  'refuses a dry run with %s, which would have no effect',
  async (...args) => {
    const { code, said } = await rehearse('http://127.0.0.1:1', ...args);
    expect([code, said]).toEqual([2, expect.stringMatching(/^burgee migrate: --dry-run changes nothing: .+\n$/)]);
  },
);

it('reports an HTML page instead of JSON, and a truncated answer', async () => {
  const page = await serve((_request, response) => void response.end('<!doctype html><title>Unleash</title>'));
  expect((await rehearse(page)).said).toMatch(/not JSON\. Check the address/);
  server?.close();
  const cut = await serve((_request, response) => void response.end('{"version":1,"environments":[{"name":"dev'));
  expect((await rehearse(cut)).said).toMatch(/not JSON/);
});

it('reports an invalid address and a missing token before the first request', async () => {
  const said: string[] = [];
  const io = {
    environment: {},
    out: (text: string) => void said.push(text),
    err: (text: string) => void said.push(text),
  };
  expect(await runProgram(['migrate'], io)).toBe(2);
  expect(await runProgram(['migrate', '--from', 'unleash.example.com', '--token', SECRET], io)).toBe(2);
  expect(await runProgram(['migrate', '--from', 'http://127.0.0.1:1'], io)).toBe(1);
  expect(await runProgram(['migrate', '--from', 'http://127.0.0.1:1', '--token', SECRET], io)).toBe(1);
  expect(
    await runProgram(['migrate', '--from', 'http://127.0.0.1:1', '--token', SECRET, '--interval', '0'], {
      ...io,
      environment: { BURGEE_TOKEN: SECRET },
    }),
  ).toBe(2);
  expect(said.join('')).toMatch(
    /specify the source.*must be an address.*set FROM_TOKEN.*set BURGEE_TOKEN.*--interval must be/s,
  );
});

function clientOf(url: string): { readonly client: InstanceClient; readonly waits: number[] } {
  const waits: number[] = [];
  const wait = async (ms: number) => void waits.push(ms);
  return { client: new InstanceClient({ role: 'the source', url, token: SECRET, random: () => 1, wait }), waits };
}

it('retries after 429 and 5xx with the delay of Retry-After, and fails after the last attempt', async () => {
  let count = 0;
  const url = await serve((_request, response) => {
    count++;
    if (count === 1) response.writeHead(429, { 'retry-after': '3' }).end();
    else if (count === 2) response.writeHead(502).end();
    else response.end('{"fine":true}');
  });
  const { client, waits } = clientOf(url);
  expect(await client.get('/x')).toEqual({ fine: true });
  expect(waits).toEqual([3_000, 1_000]);
  server?.close();
  const broken = clientOf(await serve((_request, response) => void response.writeHead(503).end()));
  await expect(broken.client.get('/x')).rejects.toThrow(ProgramError);
  expect(broken.waits).toHaveLength(5);
});

it('retries when no server answers, then reports an error', async () => {
  const { client, waits } = clientOf('http://127.0.0.1:1');
  await expect(client.get('/x')).rejects.toThrow(/no answer from the source http:\/\/127\.0\.0\.1:1/);
  expect(waits).toHaveLength(5);
});

it('sends at most six requests at once, and does not report a token in a path', async () => {
  let underWay = 0;
  let most = 0;
  const url = await serve((_request, response) => {
    most = Math.max(most, ++underWay);
    setTimeout(() => {
      underWay--;
      response.writeHead(400).end('{}');
    }, 20);
  });
  const { client } = clientOf(url);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, () => client.get(`/api/admin/api-tokens/${SECRET}`)),
  );
  expect(most).toBe(6);
  for (const outcome of outcomes)
    expect(String((outcome as PromiseRejectedResult).reason)).not.toContain('very-secret');
});
