import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Holdings, noHoldings } from '../../../src/products/migrate/holdings.ts';
import { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { removeDeleted, removeDeletedTokens } from '../../../src/products/migrate/remover.ts';

/** What the source answers when it is asked for a flag. */
let answered = 404;
/** What the target answers to a deletion. */
let taken = (_request: string) => 200;
let deleted: string[] = [];
const servers: Server[] = [];
let clients: Parameters<typeof removeDeleted>[0];

async function clientOf(role: string, answer: (method: string, url: string) => number): Promise<InstanceClient> {
  const server = createServer(({ method = '', url = '' }, response) => {
    response.writeHead(answer(method, url)).end('{}');
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return new InstanceClient({ role, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' });
}

beforeAll(async () => {
  const source = await clientOf('the source', () => answered);
  const target = await clientOf('the target', (method, url) => {
    deleted.push(`${method} ${url}`);
    return taken(`${method} ${url}`);
  });
  clients = { source, target };
});

beforeEach(() => {
  [answered, deleted, taken] = [404, [], () => 200];
});

afterAll(() => {
  for (const server of servers) server.close();
});

function holding(flags: readonly string[], tokens: readonly string[], archived: readonly string[] = []): Holdings {
  const flag = (name: string, archivedAt: string | null): Holdings['features'][number] => ({
    name,
    project: 'default',
    type: 'release',
    description: null,
    stale: false,
    impressionData: false,
    archivedAt,
    environments: [],
    tags: [],
    dependencies: [],
    links: [],
  });
  const token = (secret: string): Holdings['apiTokens'][number] => ({
    secret,
    tokenName: 'sdk',
    type: 'client',
    environment: 'development',
    projects: ['*'],
    expiresAt: null,
  });
  return {
    ...noHoldings(),
    features: [
      ...flags.map((name) => flag(name, null)),
      ...archived.map((name) => flag(name, '2026-01-01T00:00:00.000Z')),
    ],
    apiTokens: tokens.map(token),
  };
}

/** Removes what is missing in `after`, as one round of `--follow` does. */
async function remove(before: Holdings, after: Holdings) {
  const tokens = await removeDeletedTokens(clients, before, after);
  const others = await removeDeleted(clients, before, after);
  return [...tokens.items, ...others.items];
}

const outcomes = (items: Awaited<ReturnType<typeof remove>>) =>
  items.map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`);

it('removes what the source has deleted', async () => {
  const items = await remove(holding(['a', 'b'], ['1', '2']), holding(['b'], ['2']));
  expect(outcomes(items)).toEqual(['apiTokens sdk (client, development) removed', 'features a removed']);
  expect(deleted).toEqual([
    'DELETE /api/admin/api-tokens/1',
    'DELETE /api/admin/projects/default/features/a',
    'DELETE /api/admin/archive/a',
  ]);
});

it.each([403, 200])('keeps a flag that the source does not list, but answers with %i', async (status) => {
  answered = status;
  const items = await remove(holding(['a', 'b'], []), holding(['b'], []));
  expect([outcomes(items), deleted]).toEqual([['features a refused'], []]);
});

it('removes nothing when all or much of a kind is missing in the source', async () => {
  const many = Array.from({ length: 40 }, (_, index) => `flag-${index}`);
  const items = await remove(holding(many, ['1', '2', '3']), holding(many.slice(20), []));
  expect(new Set(items.map(({ kind, outcome }) => `${kind} ${outcome}`))).toEqual(
    new Set(['apiTokens refused', 'features refused']),
  );
  expect([items.length, deleted]).toEqual([23, []]);
});

it('removes no flag when the archive of the source is missing: the flag may be in it', async () => {
  const items = await remove(holding(['a', 'b'], [], ['old']), holding(['b'], []));
  expect([outcomes(items).sort(), deleted]).toEqual([['features a refused', 'features old refused'], []]);
});

it('reports a flag that may not be archived here as refused, and keeps it for the next round', async () => {
  taken = (request) => (request.includes('/features/') ? 403 : 200);
  const { items, remaining } = await removeDeleted(clients, holding(['a', 'b'], []), holding(['b'], []));
  expect(outcomes(items)).toEqual(['features a refused']);
  expect(deleted).toEqual(['DELETE /api/admin/projects/default/features/a']);
  expect(remaining.features.map(({ name }) => name)).toEqual(['a']);
});

it('keeps a token that may not be deleted here for the next round', async () => {
  taken = () => 403;
  const { items, remaining } = await removeDeletedTokens(clients, holding([], ['1', '2']), holding([], ['2']));
  expect(outcomes(items)).toEqual(['apiTokens sdk (client, development) refused']);
  expect(remaining.apiTokens.map(({ secret }) => secret)).toEqual(['1']);
});
