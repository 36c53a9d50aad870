import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unleash, UnleashEvents } from 'unleash-client';
import { UnleashClient } from 'unleash-proxy-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { endSdk } from '../../support/programs/end-sdk.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../support/service.ts';

const TOKENS = {
  INIT_ADMIN_API_TOKENS: ADMIN_TOKEN,
  INIT_CLIENT_API_TOKENS: CLIENT_TOKEN,
  INIT_FRONTEND_API_TOKENS: FRONTEND_TOKEN,
};

let directory: string;
const processes: BurgeeProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-relay-'));
});

afterAll(async () => {
  for (const each of processes) await each.stop();
  await rm(directory, { recursive: true, force: true });
});

function start(environment: Record<string, string>, args: string[] = []): BurgeeProcess {
  const started = new BurgeeProcess(environment, [], args);
  processes.push(started);
  return started;
}

function relayOf(upstreamUrl: string, folder: string): BurgeeProcess {
  const environment = { UPSTREAM_URL: upstreamUrl, TOKENS: CLIENT_TOKEN, BACKUP_FOLDER: join(directory, folder) };
  return start({ ...environment, PORT: '0', FEATURES_REFRESH_INTERVAL_SECONDS: '1' }, ['relay']);
}

async function isOnInServer(url: string, flag: string): Promise<boolean> {
  const client = new Unleash({
    url: `${url}/api`,
    appName: 'relayed',
    refreshInterval: 500,
    disableMetrics: true,
    customHeaders: { Authorization: CLIENT_TOKEN },
    storageProvider: { set: async () => {}, get: async () => undefined },
  });
  try {
    await once(client, UnleashEvents.Synchronized);
    return client.isEnabled(flag);
  } finally {
    endSdk(client);
  }
}

async function isOnInBrowser(url: string, flag: string): Promise<boolean> {
  const client = new UnleashClient({
    url: `${url}/api/frontend`,
    clientKey: FRONTEND_TOKEN,
    appName: 'page',
    disableMetrics: true,
    fetch,
    createAbortController: () => new AbortController(),
    disableRefresh: true,
  });
  await client.start();
  return client.isEnabled(flag);
}

it('SDKs are served through two relays, also after upstream has stopped and after a relay restarts without it', async () => {
  const upstream = start({ DATA_DIR: join(directory, 'upstream'), ...TOKENS });
  const upstreamUrl = await upstream.url();
  const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json' };
  const post = (path: string, body: object = {}) =>
    fetch(`${upstreamUrl}/api/admin/projects/default/features${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
  expect((await post('', { name: 'through' })).status).toBe(201);
  expect((await post('/through/environments/development/on')).status).toBe(200);
  const near = relayOf(upstreamUrl, 'near');
  const nearUrl = await near.url();
  const far = relayOf(nearUrl, 'far');
  const farUrl = await far.url();
  for (const url of [nearUrl, farUrl]) {
    expect(await isOnInServer(url, 'through')).toBe(true);
    expect(await isOnInBrowser(url, 'through')).toBe(true);
  }
  await upstream.stop();
  for (const url of [nearUrl, farUrl]) expect(await isOnInServer(url, 'through')).toBe(true);
  await near.stop();
  await far.stop();
  const again = await relayOf(upstreamUrl, 'near').url();
  expect(await isOnInServer(again, 'through')).toBe(true);
  expect(await isOnInBrowser(again, 'through')).toBe(true);
  for (const { stdout, stderr } of processes) {
    for (const secret of [CLIENT_TOKEN, FRONTEND_TOKEN, ADMIN_TOKEN]) expect(stdout + stderr).not.toContain(secret);
  }
});
