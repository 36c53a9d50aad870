import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accepted } from '../../support/admin.ts';
import { personalTokenOf } from '../../support/people.ts';
import { BUILT_PROGRAM } from '../../support/programs/built-program.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../../support/service.ts';
import { untilTrue } from '../../support/until.ts';
import { beginMigrate, clientList, runMigrate, startTarget, TARGET_ADMIN } from './run-migrate.ts';
import { fillSource, type SourceTokens } from './source-world.ts';

let source: TestService;
let tokens: SourceTokens;
const targets: TestService[] = [];

beforeAll(async () => {
  source = await startTestService();
  tokens = await fillSource(source);
});

afterAll(async () => {
  for (const target of targets) await target.close();
  await source?.close();
});

async function newTarget(env: Readonly<Record<string, string>> = {}): Promise<TestService> {
  const target = await startTarget(env);
  targets.push(target);
  return target;
}

/** A proxy of the service. It forwards the requests that `isDealtWith` does not answer. */
async function standBefore(
  service: TestService,
  isDealtWith: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    if (isDealtWith(request, response)) return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = 'GET', url = '', headers } = request;
      const sent = { authorization: headers.authorization ?? '', 'content-type': 'application/json' };
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const answer = await fetch(`${service.url}${url}`, { method, headers: sent, ...body });
      response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

it('the next run completes a run that was killed', async () => {
  const target = await newTarget();
  let parts = 0;
  const before = await standBefore(target, ({ url }) => {
    const isNext = url === '/api/admin/take-over' && ++parts > 6;
    if (isNext) child.kill('SIGKILL');
    return isNext;
  });
  const child = spawn(process.execPath, [BUILT_PROGRAM, 'migrate', '--from', source.url, '--url', before.url], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, FROM_TOKEN: ADMIN_TOKEN, BURGEE_TOKEN: TARGET_ADMIN },
  });
  expect((await once(child, 'close'))[1]).toBe('SIGKILL');
  before.close();
  const { state } = target.running.services;
  expect(state.size('segments')).toBe(3);
  expect(state.get('projects', 'mobile')).toBeDefined();
  expect(state.size('features')).toBe(0);
  const { code, out } = await runMigrate(source.url, target.url);
  expect(code, out).toBe(0);
  expect(out).not.toMatch(/segments created/);
  expect(await clientList(target, tokens.client)).toEqual(await clientList(source, tokens.client));
  const { seq } = state;
  expect((await runMigrate(source.url, target.url)).code).toBe(0);
  expect(state.seq).toBe(seq);
});

it('reports what a limit refuses, and imports the rest', async () => {
  const target = await newTarget({ UNLEASH_SEGMENTS_LIMIT: '2' });
  const { code, out } = await runMigrate(source.url, target.url);
  expect(code).toBe(3);
  expect(out).toMatch(/2 segments created/);
  expect(out).toMatch(/segments: segment-2: There may be at most 2 segments/);
  expect(out).toMatch(/flags: rollout: In production: This instance has no segment segment-2\./);
  expect(out).toMatch(/6 flags created/);
});

it('follows changes and deletions in the source', async () => {
  const target = await newTarget();
  const stop = new AbortController();
  const following = beginMigrate(source.url, target.url, ['--follow', '--interval', '1'], stop.signal);
  const { state } = target.running.services;
  const said = () => following.out() + following.err();
  await untilTrue(() => state.get('apiTokens', tokens.mobile) !== undefined, said);
  await accepted(source, 'createFeature', { params: { projectId: 'default' }, body: { name: 'later' } });
  await untilTrue(() => state.get('features', 'later') !== undefined, said);
  const location = { projectId: 'default', featureName: 'later', environment: 'development' };
  await accepted(source, 'toggleFeatureEnvironmentOn', { params: location });
  await untilTrue(() => state.get('features', 'later')?.environments[0]?.enabled === true, said);
  await untilTrue(() => said().includes('1 flags read'), said);
  await accepted(source, 'deleteApiToken', { params: { token: tokens.mobile } });
  await accepted(source, 'archiveFeature', { params: { projectId: 'default', featureName: 'custom' } });
  await accepted(source, 'archiveFeature', { params: { projectId: 'default', featureName: 'later' } });
  await accepted(source, 'deleteFeature', { params: { featureName: 'later' } });
  await untilTrue(() => state.get('apiTokens', tokens.mobile) === undefined, said);
  await untilTrue(() => state.get('features', 'later') === undefined, said);
  await untilTrue(() => state.get('features', 'custom')?.archived === true, said);
  const answer = await fetch(`${target.url}/api/client/features`, { headers: { authorization: tokens.mobile } });
  expect(answer.status).toBe(401);
  stop.abort();
  expect(await following.ended).toBe(0);
  expect(said()).not.toContain(tokens.mobile);
});

it('deletes what the source deleted once nothing here depends on it: former parents, renamed segments', async () => {
  const make = (name: string) =>
    accepted(source, 'createFeature', { params: { projectId: 'default' }, body: { name } });
  for (const name of ['old-parent', 'old-child', 'local-parent']) await make(name);
  const depend = { projectId: 'default', child: 'old-child' };
  await accepted(source, 'addFeatureDependency', { params: depend, body: { feature: 'old-parent' } });
  const target = await newTarget();
  const stop = new AbortController();
  const following = beginMigrate(source.url, target.url, ['--follow', '--interval', '1'], stop.signal);
  const { state } = target.running.services;
  const said = () => following.out() + following.err();
  await untilTrue(() => said().includes('following'), said);
  await accepted(target, 'createFeature', {
    params: { projectId: 'default' },
    body: { name: 'local-child' },
    token: TARGET_ADMIN,
  });
  await accepted(target, 'addFeatureDependency', {
    params: { projectId: 'default', child: 'local-child' },
    body: { feature: 'local-parent' },
    token: TARGET_ADMIN,
  });
  await accepted(source, 'deleteFeatureDependencies', { params: depend });
  for (const featureName of ['old-parent', 'local-parent']) {
    await accepted(source, 'archiveFeature', { params: { projectId: 'default', featureName } });
    await accepted(source, 'deleteFeature', { params: { featureName } });
  }
  const [segment] = source.running.services.state.lookup('segmentsByName', 'segment-0');
  const { id = 0, constraints = [] } = segment ?? {};
  await accepted(source, 'updateSegment', { params: { id }, body: { name: 'renamed', constraints } });
  const names = () => [...state.values('segments')].map(({ name }) => name);
  await untilTrue(() => names().includes('renamed') && !names().includes('segment-0'), said);
  await untilTrue(() => state.get('features', 'old-parent') === undefined, said);
  expect(state.get('features', 'old-child')?.dependencies).toEqual([]);
  // A flag that exists only in the target depends on it.
  await untilTrue(
    () => /flags: local-parent: it was deleted in the source, but this service refused to delete it: /.test(said()),
    said,
  );
  expect(state.get('features', 'local-parent')?.archived).toBe(false);
  expect(said()).not.toMatch(/removed: [^\n]*local-parent/);
  await accepted(target, 'deleteFeatureDependencies', {
    params: { projectId: 'default', child: 'local-child' },
    token: TARGET_ADMIN,
  });
  await accepted(source, 'createTag', { body: { type: 'team', value: 'another-look' } });
  await untilTrue(() => state.get('features', 'local-parent') === undefined, said);
  stop.abort();
  expect(await following.ended).toBe(0);
});

it('follows favourites, lifetimes, origins and banners, and reports a favourite that was removed', async () => {
  const target = await newTarget();
  const stop = new AbortController();
  const following = beginMigrate(source.url, target.url, ['--follow', '--interval', '1'], stop.signal);
  const { state } = target.running.services;
  const said = () => following.out() + following.err();
  await untilTrue(() => said().includes('following'), said);
  const ann = [...source.running.services.state.values('users')].find(({ email }) => email === 'ann@example.org');
  const token = await personalTokenOf(source, ann?.id ?? 0);
  const marks = () => [...state.values('favorites')].map(({ name }) => name).sort();
  const of = (featureName: string) => ({ params: { projectId: 'default', featureName }, token });
  await accepted(source, 'addFavoriteFeature', of('child'));
  await untilTrue(() => marks().includes('child'), said);
  await untilTrue(() => said().includes('favourites read'), said);
  const before = marks();
  await accepted(source, 'removeFavoriteFeature', of('child'));
  await untilTrue(() => said().includes('favourites: child of ann@example.org: it was removed in the source'), said);
  expect(marks()).toEqual(before);
  await accepted(source, 'updateFeatureTypeLifetime', { params: { id: 'release' }, body: { lifetimeDays: 77 } });
  await untilTrue(() => state.get('featureTypes', 'release')?.lifetimeDays === 77, said);
  await accepted(source, 'setCors', { body: { frontendApiOrigins: ['https://later.example.org'] } });
  await untilTrue(async () => {
    const { body } = await accepted(target, 'getUiConfig', { token: TARGET_ADMIN });
    return body.frontendApiOrigins[0] === 'https://later.example.org';
  }, said);
  const messages = () => [...state.values('banners')].map(({ message }) => message);
  const { body: banner } = await accepted(source, 'createBanner', { body: { message: 'Soon' } });
  await untilTrue(() => messages().includes('Soon'), said);
  await accepted(source, 'updateBanner', { params: { id: banner.id }, body: { ...banner, message: 'Now' } });
  await untilTrue(() => messages().includes('Now') && !messages().includes('Soon'), said);
  await accepted(source, 'deleteBanner', { params: { id: banner.id } });
  await untilTrue(() => !messages().includes('Now'), said);
  expect(messages()).toHaveLength(2);
  stop.abort();
  expect(await following.ended).toBe(0);
});

it('reports what it cannot import from a source without readable events, and reads all data each time', async () => {
  const target = await newTarget();
  const before = await standBefore(source, ({ url = '' }, response) => {
    const isOfEvents = url.includes('/events');
    if (isOfEvents) response.writeHead(404).end();
    return isOfEvents;
  });
  const stop = new AbortController();
  const following = beginMigrate(before.url, target.url, ['--follow', '--interval', '1'], stop.signal);
  const said = () => following.out() + following.err();
  await untilTrue(() => said().includes('all data each time, because it shows no events'), said);
  expect(said()).toMatch(/favourites: this token may not read the events/);
  await accepted(source, 'updateFeatureTypeLifetime', { params: { id: 'release' }, body: { lifetimeDays: 78 } });
  const { state } = target.running.services;
  await untilTrue(() => state.get('featureTypes', 'release')?.lifetimeDays === 78, said);
  stop.abort();
  expect(await following.ended).toBe(0);
  before.close();
});
