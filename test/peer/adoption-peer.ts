import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Unleash, UnleashEvents } from 'unleash-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUILT_PROGRAM } from '../support/programs/built-program.ts';
import { endSdk } from '../support/programs/end-sdk.ts';
import { type ServiceProcess, spawnService, untilReady } from '../support/programs/process.ts';
import { ADMIN_TOKEN } from '../support/service.ts';
import { ask, control, isSince, PEER } from './unleash.ts';

const EXPIRES_AT = '2099-01-05T00:00:00.000Z';
const OPTIONS = { ADOPT_TOKENS_FROM: PEER.url, ADOPT_TOKENS_ADMIN_TOKEN: PEER.adminToken, LOG_LEVEL: 'info' };

let directory: string;
let target: ServiceProcess;

/** Whole texts, as Unleash shows them once. */
const secrets: Record<string, string> = {};
/** What its list shows, by name. */
const shown: Record<string, string> = {};

async function start(env: Readonly<Record<string, string>>): Promise<void> {
  target = await spawnService(directory, env);
  await untilReady(target);
}

beforeAll(async () => {
  if (!isSince(8)) return;
  directory = await mkdtemp(join(tmpdir(), 'burgee-peer-adoption-'));
  await control('stop');
  await control('start-secure');
  const make = async (tokenName: string, type: string, more: object = {}) => {
    const { secret } = await ask('POST', '/api-tokens', { tokenName, type, environment: 'development', ...more });
    secrets[tokenName] = secret;
  };
  await make('secure client', 'client', { projects: ['default'], expiresAt: EXPIRES_AT });
  await make('secure backend', 'backend');
  await make('secure frontend', 'frontend');
  await make('secure and late', 'client');
  for (const { tokenName, secret } of (await ask('GET', '/api-tokens')).tokens)
    if (tokenName in secrets) shown[tokenName] = secret;
  await start(OPTIONS);
});

afterAll(async () => {
  if (!isSince(8)) return;
  await target?.end();
  await rm(directory, { recursive: true, force: true });
  for (const secret of Object.values(secrets)) await ask('DELETE', `/api-tokens/${encodeURIComponent(secret)}`);
  for (const secret of Object.values(shown)) await ask('DELETE', `/api-tokens/${encodeURIComponent(secret)}`);
  await control('stop');
  await control('start');
});

async function statusOf(token: string, path = '/api/client/features', url = target.url): Promise<number> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: token } });
  await answer.arrayBuffer();
  return answer.status;
}

/** Texts that somebody can make from what the list shows of a token. */
function guesses(tokenName: string): string[] {
  const selector = shown[tokenName] ?? '';
  const [before = ''] = (secrets[tokenName] ?? '').split('v2_');
  expect(selector).toMatch(/^[\w-]{22}$/);
  return [selector, `v2_${selector}`, before + selector, `${before}v2_${selector}`, `${before}v2_${selector}_x`];
}

async function expectGuessesRefused(): Promise<void> {
  for (const tokenName of Object.keys(secrets))
    for (const guess of guesses(tokenName)) {
      expect(await statusOf(guess), guess).toBe(401);
      expect(await statusOf(guess, '/api/frontend'), guess).toBe(401);
    }
}

it.runIf(isSince(8))('migrate imports no secure token, names each, ends with 3, and imports the rest', async () => {
  const child = spawn(process.execPath, [BUILT_PROGRAM, 'migrate', '--url', target.url, '--from', PEER.url], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, FROM_TOKEN: PEER.adminToken, BURGEE_TOKEN: ADMIN_TOKEN },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  const [code] = await once(child, 'close');
  expect(code, out).toBe(3);
  for (const tokenName of Object.keys(secrets))
    expect(out).toContain(`${tokenName}: the source does not show its whole secret`);
  await expectGuessesRefused();
});

it.runIf(isSince(8))('an unmodified SDK with its old token gets its flags at the first try', async () => {
  const sdk = new Unleash({
    url: `${target.url}/api/`,
    appName: 'adopted',
    customHeaders: { Authorization: secrets['secure client'] ?? '' },
  });
  await once(sdk, UnleashEvents.Synchronized);
  endSdk(sdk);
  expect(await statusOf(secrets['secure backend'] ?? '')).toBe(200);
  expect(await statusOf(secrets['secure frontend'] ?? '', '/api/frontend')).toBe(200);
  expect(await statusOf(secrets['secure frontend'] ?? '')).toBe(403);
});

it.runIf(isSince(8))('the adopted tokens have their names, scopes and expiry times', async () => {
  const answer = await fetch(`${target.url}/api/admin/api-tokens`, { headers: { authorization: ADMIN_TOKEN } });
  const { tokens } = (await answer.json()) as { tokens: { tokenName: string; [field: string]: unknown }[] };
  const found = (name: string) => tokens.find(({ tokenName }) => tokenName === name);
  const common = { environment: 'development', secure: false };
  expect(found('secure client')).toMatchObject({
    ...common,
    type: 'client',
    projects: ['default'],
    expiresAt: EXPIRES_AT,
  });
  expect(found('secure backend')).toMatchObject({ ...common, type: 'backend', projects: ['*'], expiresAt: null });
  expect(found('secure frontend')).toMatchObject({ ...common, type: 'frontend', projects: ['*'] });
});

it.runIf(isSince(8))('what the list of Unleash shows of a token gives no access, also after its adoption', async () => {
  await expectGuessesRefused();
});

it.runIf(isSince(8))(
  'while Unleash is away, adopted tokens are served and others get 503, until it is back',
  async () => {
    await control('kill');
    expect(await statusOf(secrets['secure client'] ?? '')).toBe(200);
    expect(await statusOf(secrets['secure and late'] ?? '')).toBe(503);
    await control('start-secure');
    expect(await statusOf(secrets['secure and late'] ?? '')).toBe(200);
  },
);

it.runIf(isSince(8))('without the option, adopted tokens are served as other tokens are', async () => {
  await target.end();
  await start({});
  for (const name of ['secure client', 'secure backend', 'secure and late'])
    expect(await statusOf(secrets[name] ?? '')).toBe(200);
  await expectGuessesRefused();
  expect(target.log()).not.toContain(shown['secure client']);
});
