import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { noHoldings } from '../../../src/products/migrate/holdings.ts';
import type { MigrationResult } from '../../../src/products/migrate/importer.ts';
import { InstanceClient } from '../../../src/products/migrate/instance-client.ts';
import { importProtections, readProtections, remainingProtections } from '../../../src/products/migrate/protections.ts';

let asked: string[] = [];
let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  asked = [];
});

/** An instance that answers these paths, and 404 for all others. */
async function instanceOf(answers: Readonly<Record<string, readonly [status: number, body: unknown]>>) {
  server = createServer(({ method = '', url = '' }, response) => {
    asked.push(`${method} ${url}`);
    const [status, body] = answers[`${method} ${url}`] ?? [404, { message: 'No.' }];
    response.writeHead(status).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return new InstanceClient({ role: 'an instance', url, token: 't' });
}

const REQUESTS = '/api/admin/projects/shop/change-requests';
const CONFIG = `${REQUESTS}/config`;
const protection = { project: 'shop', environment: 'production', requiredApprovals: 2 };

async function readFrom(client: InstanceClient, sent: unknown) {
  const holdings = noHoldings();
  await readProtections(client, holdings, { project: 'shop', sent });
  return { protections: holdings.protections, notes: holdings.notes.map(({ about, text }) => `${about}: ${text}`) };
}

it('sends no further request for a project without reviews', async () => {
  const client = await instanceOf({});
  const sent = [{ environment: 'development', changeRequestsEnabled: false }, { environment: 'production' }];
  expect(await readFrom(client, sent)).toEqual({ protections: [], notes: [] });
  expect(asked).toEqual([]);
});

it('reads the number of approvals, also from an old version that lists environments by name only', async () => {
  const config = [
    { environment: 'development', changeRequestEnabled: false, requiredApprovals: null },
    { environment: 'production', changeRequestEnabled: true, requiredApprovals: 2 },
  ];
  const requests = [
    { id: 1, state: 'Applied' },
    { id: 2, state: 'In review' },
  ];
  const client = await instanceOf({ [`GET ${CONFIG}`]: [200, config], [`GET ${REQUESTS}`]: [200, requests] });
  const notes = ['open change requests of shop: decide them in the source, or create them again in this service: 2'];
  for (const sent of [['production'], [{ environment: 'production', changeRequestsEnabled: true }]])
    expect(await readFrom(client, sent)).toEqual({ protections: [protection], notes });
});

it('imports reviews with one approval when their number is not shown, and adds a note', async () => {
  const client = await instanceOf({});
  expect(await readFrom(client, [{ environment: 'production', changeRequestsEnabled: true }])).toEqual({
    protections: [{ ...protection, requiredApprovals: 1 }],
    notes: [
      'reviews of production of shop: the source does not show the number of approvals: imported as one',
      'open change requests of shop: they cannot be read: check them in the source',
    ],
  });
});

it('reports reviews that the target refuses, with the reason', async () => {
  const client = await instanceOf({});
  const result: MigrationResult = { items: [], unchanged: 0 };
  await importProtections(client, [protection], result);
  expect(result.items).toEqual([
    { kind: 'protections', name: 'production of shop', outcome: 'refused', reason: 'No.' },
  ]);
});

it('reports reviews that are disabled in the source and stay in the target', () => {
  const before = { ...noHoldings(), protections: [protection] };
  expect(remainingProtections(before, before)).toEqual([]);
  expect(remainingProtections(before, noHoldings())).toMatchObject([
    { name: 'production of shop', outcome: 'refused', reason: expect.stringContaining('until a user disables them') },
  ]);
});
