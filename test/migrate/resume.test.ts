import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accepted } from '../support/admin.ts';
import { ADMIN_TOKEN, startTestService, type TestService } from '../support/service.ts';
import { beginMigrate, clientList, runMigrate, startTarget, TARGET_ADMIN, until } from './run-migrate.ts';
import { fillSource, type SourceTokens } from './source-world.ts';

const MAIN = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

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

it('a run that is killed half way is finished by the next one', async () => {
  const target = await newTarget();
  let parts = 0;
  const kill = () => void child.kill('SIGKILL');
  const before = createServer((request, response) => {
    if (request.url === '/api/admin/take-over' && ++parts > 6) return kill();
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      const { method = 'GET', url = '', headers } = request;
      const sent = { authorization: headers.authorization ?? '', 'content-type': 'application/json' };
      const body = chunks.length > 0 ? { body: Buffer.concat(chunks) } : {};
      const answer = await fetch(`${target.url}${url}`, { method, headers: sent, ...body });
      response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  before.listen(0, '127.0.0.1');
  await once(before, 'listening');
  const url = `http://127.0.0.1:${(before.address() as AddressInfo).port}`;
  const child = spawn(process.execPath, [MAIN, 'migrate', '--from', source.url, '--url', url], {
    stdio: 'ignore',
    env: { PATH: process.env.PATH, FROM_TOKEN: ADMIN_TOKEN, BURGEE_TOKEN: TARGET_ADMIN },
  });
  expect((await once(child, 'close'))[1]).toBe('SIGKILL');
  before.closeAllConnections();
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

it('what a limit does not let in is told, and the others are taken', async () => {
  const target = await newTarget({ UNLEASH_SEGMENTS_LIMIT: '2' });
  const { code, out } = await runMigrate(source.url, target.url);
  expect(code).toBe(2);
  expect(out).toMatch(/2 segments created/);
  expect(out).toMatch(/segments: segment-2: There may be at most 2 segments/);
  expect(out).toMatch(/flags: rollout: In production: The segment segment-2 is not here\./);
  expect(out).toMatch(/6 flags created/);
});

it('follows what changes there, and what is gone there is gone here', async () => {
  const target = await newTarget();
  const stop = new AbortController();
  const following = beginMigrate(source.url, target.url, ['--follow', '--interval', '1'], stop.signal);
  const { state } = target.running.services;
  const said = () => following.out() + following.err();
  await until(() => state.get('apiTokens', tokens.mobile) !== undefined, said);
  await accepted(source, 'createFeature', { params: { projectId: 'default' }, body: { name: 'later' } });
  await until(() => state.get('features', 'later') !== undefined, said);
  const place = { projectId: 'default', featureName: 'later', environment: 'development' };
  await accepted(source, 'toggleFeatureEnvironmentOn', { params: place });
  await until(() => state.get('features', 'later')?.environments[0]?.enabled === true, said);
  await until(() => said().includes('1 flags read'), said);
  await accepted(source, 'deleteApiToken', { params: { token: tokens.mobile } });
  await accepted(source, 'archiveFeature', { params: { projectId: 'default', featureName: 'custom' } });
  await accepted(source, 'archiveFeature', { params: { projectId: 'default', featureName: 'later' } });
  await accepted(source, 'deleteFeature', { params: { featureName: 'later' } });
  await until(() => state.get('apiTokens', tokens.mobile) === undefined, said);
  await until(() => state.get('features', 'later') === undefined, said);
  await until(() => state.get('features', 'custom')?.archived === true, said);
  const answer = await fetch(`${target.url}/api/client/features`, { headers: { authorization: tokens.mobile } });
  expect(answer.status).toBe(401);
  stop.abort();
  expect(await following.ended).toBe(0);
  expect(said()).not.toContain(tokens.mobile);
});
