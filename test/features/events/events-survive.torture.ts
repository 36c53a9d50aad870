import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { RedisServer } from '../../support/programs/redis.ts';

const headers = { authorization: '*:*.events-admin', 'content-type': 'application/json' };
const tokens = { INIT_ADMIN_API_TOKENS: headers.authorization };
const FLAGS = 70;

let root: string;
let running: BurgeeProcess[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'burgee-events-'));
});
afterEach(async () => {
  for (const service of running) await service.stop();
  running = [];
  rmSync(root, { recursive: true, force: true });
});

async function start(env: Readonly<Record<string, string>>): Promise<{ service: BurgeeProcess; url: string }> {
  const service = new BurgeeProcess({ ...tokens, ...env });
  running.push(service);
  return { service, url: await service.url() };
}

async function createFlags(url: string, project: string, names: readonly string[]): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const body = JSON.stringify({ name });
      const answer = await fetch(`${url}/api/admin/projects/${project}/features`, { method: 'POST', headers, body });
      expect(answer.status).toBe(201);
    }),
  );
}

async function found(url: string, project: string): Promise<{ names: string[]; totalEvents: number }> {
  const answer = await fetch(`${url}/api/admin/events?project=${project}`, { headers });
  const { events, totalEvents } = (await answer.json()) as { events: { featureName: string }[]; totalEvents: number };
  return { names: events.map(({ featureName }) => featureName).sort(), totalEvents };
}

const names = Array.from({ length: FLAGS }, (_, index) => `flag-${String(index).padStart(2, '0')}`);

it('every event of a project is found once after the service was killed', async () => {
  const env = { DATA_DIR: join(root, 'data') };
  const first = await start(env);
  await fetch(`${first.url}/api/admin/projects`, { method: 'POST', headers, body: '{"id":"shop","name":"Shop"}' });
  const before = (await found(first.url, 'shop')).totalEvents;
  await createFlags(first.url, 'shop', names);
  await first.service.stop();
  const second = await start(env);
  const after = await found(second.url, 'shop');
  expect(after.totalEvents).toBe(before + FLAGS);
  expect(after.names.filter((name) => names.includes(name))).toEqual(names);
  await createFlags(second.url, 'shop', ['one-more']);
  expect((await found(second.url, 'shop')).totalEvents).toBe(before + FLAGS + 1);
});

it('replicas find each other’s events', async () => {
  const redis = await RedisServer.start();
  try {
    const replica = (name: string) => start({ REDIS_URL: redis.url, DATA_DIR: join(root, name) });
    const [one, other] = [await replica('one'), await replica('other')];
    await createFlags(one.url, 'default', names.slice(0, 30));
    await createFlags(other.url, 'default', names.slice(30));
    for (const { url } of [one, other]) {
      // The event of the default project's creation has no flag.
      await expect
        .poll(async () => (await found(url, 'default')).names.filter((name) => names.includes(name)))
        .toEqual(names);
    }
  } finally {
    for (const service of running) await service.stop();
    await redis.dispose();
  }
});
