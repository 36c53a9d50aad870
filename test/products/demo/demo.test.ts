import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { Passwords } from '../../../src/features/sign-on/passwords/hashing.ts';
import { type Demo, startDemo } from '../../../src/products/demo/demo.ts';
import { ROLLOUT_FLAG } from '../../../src/products/demo/life.ts';
import { FRONTS } from '../../support/http/front.ts';
import { CHEAP } from '../../support/password-cost.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { burgee } from '../../support/programs/run-burgee.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
/** The demo acts often. */
const FAST = { pollMs: 200, reportMs: 200, rolloutMs: 20, colleagueMs: 20 };

let demo: Demo;
let cookie: string;
let isClosed = false;

function send(method: string, path: string, body?: unknown): Promise<Response> {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  if (cookie) headers.cookie = cookie;
  return fetch(`${demo.url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

// biome-ignore lint/suspicious/noExplicitAny: tests read any field
async function get(path: string): Promise<any> {
  const answer = await send('GET', `/api/admin${path}`);
  expect(answer.status, path).toBe(200);
  return answer.json();
}

/** The percentage of the rollout that is under way. */
async function percentage(): Promise<string> {
  const { strategies } = await get(`/projects/search/features/${ROLLOUT_FLAG}/environments/production`);
  return strategies[0].parameters.rollout;
}

describe('burgee demo as a process', () => {
  it('prints its address and how to sign on, ends without an error, and leaves no files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'burgee-demo-'));
    const inFolder = ['sh', '-c', `cd '${folder}' && exec "$@"`, 'sh'];
    const started = new BurgeeProcess({}, inFolder, ['demo', '--port', '0']);
    try {
      const [, url, username, password] = await started.printed(/ at (\S+) : sign on as (\S+) .* password (\S+) /);
      const body = JSON.stringify({ username, password });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${url}/auth/simple/login`, { method: 'POST', headers, body })).status).toBe(200);
      started.process.kill('SIGINT');
      expect(await started.exited).toBe(0);
      expect(await readdir(folder)).toEqual([]);
      // Where the fast front has no binary, one line says so.
      expect(started.stderr).toMatch(FRONTS.includes('fast') ? /^$/ : /^[^\n]*the server of Node[^\n]*\n$/);
      expect(started.stdout.split('\n').length).toBe(2);
    } finally {
      await started.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('refuses a port that is not a number', async () => {
    const err = 'burgee demo: --port must be a number from 0 to 65535, not "high"\n';
    expect(await burgee(['demo', '--port', 'high'])).toEqual({ code: 2, out: '', err });
  });
});

describe('burgee demo', () => {
  // After the tests of processes: an open demo works all the time.
  beforeAll(async () => {
    const parts = { passwords: new Passwords({ cost: CHEAP }) };
    demo = await startDemo({ host: '127.0.0.1', port: 0, logger: silentLogger, pace: FAST, parts });
    const { username, password } = demo;
    const answer = await send('POST', '/auth/simple/login', { username, password });
    cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  });

  afterAll(async () => {
    if (!isClosed) await demo.close();
  });

  it('has projects, flags, people, segments and change requests in several states', async () => {
    expect((await get('/projects')).projects.length).toBeGreaterThanOrEqual(5);
    expect((await get('/search/features?limit=100')).total).toBeGreaterThanOrEqual(25);
    expect((await get('/user-admin')).users.length).toBe(6);
    expect((await get('/segments')).segments.length).toBe(4);
    const requests = await get('/projects/shop/change-requests');
    const states = new Set(requests.map(({ state }: { state: string }) => state));
    expect([...states].sort()).toEqual(
      ['Applied', 'Approved', 'Cancelled', 'In review', 'Rejected', 'Scheduled'].sort(),
    );
  });

  it('has a history of several weeks, in which nothing is newer than now', async () => {
    const dayOf = (daysAgo: number) => new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    const eventsOf = async (from: number, to: number): Promise<number> =>
      (await get(`/search/events?limit=1&from=IS:${dayOf(from)}&to=IS:${dayOf(to)}`)).total;
    for (const [from, to] of [
      [28, 20],
      [19, 10],
      [9, 1],
    ] as const)
      expect(await eventsOf(from, to), `${from} to ${to} days ago`).toBeGreaterThan(5);
    const { events } = await get('/search/events?limit=1');
    expect(Date.parse(events[0].createdAt)).toBeLessThanOrEqual(Date.now());
  });

  it('has SDKs that report what they evaluate', async () => {
    const { applications } = await get('/metrics/applications');
    const names = applications.map(({ appName }: { appName: string }) => appName);
    expect(names.sort()).toEqual(['mobile-gateway', 'search-api', 'web-shop']);
    const evaluations = async () => {
      const { lastHourUsage } = await get('/client-metrics/features/shop.new-checkout');
      const of = lastHourUsage.find(({ environment }: { environment: string }) => environment === 'production');
      return { yes: of.yes, no: of.no };
    };
    const before = await evaluations();
    expect(before.yes).toBeGreaterThan(0);
    expect(before.no).toBeGreaterThan(before.yes);
    await until(evaluations, ({ no }) => no > before.no);
  });

  it('has a rollout that grows to 100 % and begins again, and colleagues who make changes', async () => {
    const seen = new Set<string>();
    await until(
      async () => seen.add(await percentage()),
      () => seen.has('100') && seen.has('1') && seen.size > 3,
    );
    const query = 'limit=1&feature=IS:search.synonyms&type=IS:feature-environment-enabled';
    const switches = async () => (await get(`/search/events?${query}`)).total;
    await until(switches, (count) => count > 2);
  });

  it('lets a viewer read and not write', async () => {
    const answer = await fetch(`${demo.url}/auth/simple/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'vera', password: demo.password }),
    });
    const viewer = { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', 'sec-fetch-site': 'same-origin' };
    const path = `${demo.url}/api/admin/projects/search/features/search.synonyms`;
    expect((await fetch(path, { headers: viewer })).status).toBe(200);
    const off = await fetch(`${path}/environments/development/off`, { method: 'POST', headers: viewer });
    expect(off.status).toBe(403);
  });

  it('ends all its parts when it closes', async () => {
    await demo.close();
    isClosed = true;
    await expect(fetch(`${demo.url}/health`)).rejects.toThrow();
  });
});
