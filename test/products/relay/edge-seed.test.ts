import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { loggerTo } from '../../../src/base/logger.ts';
import { ScriptedUpstream } from '../../support/http/scripted-upstream.ts';
import { startTestRelay } from '../../support/relay.ts';
import { until } from '../../support/until.ts';

const UNREACHABLE = 'http://127.0.0.1:9';
const SERVER = '*:development.server';
const PROJECT = 'shop:production.project';
const BROWSER = '*:development.browser';

const flag = (name: string, project: string | undefined = 'default', changes: object = {}) => ({
  name,
  enabled: true,
  strategies: [{ name: 'default', segments: [3] }],
  ...changes,
  ...(project !== undefined && { project }),
});
const segments = [{ id: 3, name: 'gold', constraints: [{ contextName: 'plan', operator: 'IN', values: ['gold'] }] }];
const list = (...features: object[]) => ({ version: 2, features, segments });
const token = (secret: string, changes: object = {}) => {
  const [, project, environment] = /^([^:]+):([^.]+)/.exec(secret) ?? [];
  return { token: secret, type: 'client', environment, projects: [project], status: 'Validated', ...changes };
};
const TOKENS = [token(SERVER), token(PROJECT), token(BROWSER, { type: 'frontend' })];
const LISTS = [
  ['development', list(flag('both'), flag('one'))],
  ['production', list(flag('both'), flag('sold', 'shop'))],
];

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A folder with the files of Edge. */
async function edgeFolder(files: Readonly<Record<string, unknown>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'burgee-edge-'));
  closing.push(() => rm(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files))
    await writeFile(join(directory, name), typeof content === 'string' ? content : JSON.stringify(content));
  return directory;
}

async function relayOn(directory: string, options: Parameters<typeof startTestRelay>[1] = {}, url = UNREACHABLE) {
  const lines: string[] = [];
  const logger = loggerTo(
    'info',
    (line) => lines.push(line),
    () => performance.now(),
  );
  const relay = await startTestRelay(
    url,
    { tokens: [SERVER], ...(url === UNREACHABLE && { timeoutMs: 500 }), ...options },
    { directory, logger },
  );
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await relay.close();
    isClosed = true;
  };
  closing.push(close);
  return { url: relay.url, relay, close, log: () => lines.join('') };
}

async function flagNames(url: string, authorization: string, path = '/api/client/features'): Promise<string | number> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization, 'unleash-client-spec': '5.2.0' } });
  if (answer.status !== 200) return answer.status;
  const { features, toggles } = (await answer.json()) as Record<string, { name: string }[]>;
  return (features ?? toggles ?? []).map(({ name }) => name).join();
}

it('the first start in a folder of Edge serves the data of the folder without upstream', async () => {
  const directory = await edgeFolder({ 'unleash_features.json': LISTS, 'unleash_tokens.json': TOKENS });
  const { url, log } = await relayOn(directory);
  expect((await fetch(`${url}/ready`)).status).toBe(200);
  expect(await flagNames(url, SERVER)).toBe('both,one');
  // Of the flags of the environment, the token sees those of its project only.
  expect(await flagNames(url, PROJECT)).toBe('sold');
  expect(await flagNames(url, BROWSER, '/api/frontend?properties[plan]=gold')).toBe('both,one');
  expect(await flagNames(url, BROWSER, '/api/frontend?properties[plan]=free')).toBe('');
  expect(log()).toContain('serving the data that Unleash Edge stored in this folder until upstream answers');
  for (const secret of [SERVER, PROJECT, BROWSER]) expect(log()).not.toContain(secret);
});

it('the first answer of upstream replaces the data of Edge, and the next start ignores the files of Edge', async () => {
  const directory = await edgeFolder({ 'unleash_features.json': LISTS, 'unleash_tokens.json': TOKENS });
  const upstream = await ScriptedUpstream.start({ [SERVER]: { features: [flag('newer')], segments } });
  closing.push(() => upstream.close());
  upstream.unknown.add(PROJECT);
  const first = await relayOn(directory, {}, upstream.url);
  await until(
    () => flagNames(first.url, SERVER),
    (names) => names === 'newer',
  );
  await until(
    () => flagNames(first.url, PROJECT),
    (status) => status === 401,
  );
  await first.close();
  const again = await relayOn(directory);
  expect(await flagNames(again.url, SERVER)).toBe('newer');
  expect(await flagNames(again.url, PROJECT)).toBe(503);
  expect(again.log()).not.toContain('Edge stored');
});

it('tokens that upstream rejected do not come back from the files of Edge', async () => {
  const directory = await edgeFolder({ 'unleash_features.json': LISTS, 'unleash_tokens.json': TOKENS });
  const upstream = await ScriptedUpstream.start({});
  closing.push(() => upstream.close());
  for (const secret of [SERVER, PROJECT, BROWSER]) upstream.unknown.add(secret);
  const first = await relayOn(directory, {}, upstream.url);
  await until(
    () => first.relay.running.services.state.size('apiTokens'),
    (count) => count === 0,
  );
  await first.close();
  const again = await relayOn(directory);
  for (const secret of [SERVER, PROJECT]) expect(await flagNames(again.url, secret)).toBe(503);
});

it('with STRICT, the relay serves only those tokens of the folder that TOKENS cover', async () => {
  const directory = await edgeFolder({ 'unleash_features.json': LISTS, 'unleash_tokens.json': TOKENS });
  const { url, log } = await relayOn(directory, { isStrict: true });
  expect(await flagNames(url, SERVER)).toBe('both,one');
  expect(await flagNames(url, PROJECT)).toBe(503);
  expect(log()).toContain('STRICT: some accepted tokens have a wider scope');
});

it('does not use admin tokens, or stored tokens that upstream did not know or that Edge trusted without asking', async () => {
  const kept = [
    token(SERVER),
    token('*:development.wrong', { status: 'Invalid' }),
    token('*:development.trusted', { status: 'Trusted', type: 'frontend' }),
    token('*:*.admin', { type: 'admin' }),
  ];
  const directory = await edgeFolder({ 'unleash_features.json': LISTS, 'unleash_tokens.json': kept });
  const { url } = await relayOn(directory);
  expect(await flagNames(url, SERVER)).toBe('both,one');
  for (const { token: secret } of kept.slice(1)) expect(await flagNames(url, secret)).toBe(503);
});

it('logs damaged data and does not serve it', async () => {
  const damaged = [
    ['development', list(flag('both'), { name: 'no-switch' })],
    ['production', list(flag('elsewhere', 'other'))],
  ];
  const directory = await edgeFolder({ 'unleash_features.json': damaged, 'unleash_tokens.json': TOKENS });
  const { url, log } = await relayOn(directory);
  for (const secret of [SERVER, PROJECT]) expect(await flagNames(url, secret)).toBe(503);
  expect((await fetch(`${url}/ready`)).status).toBe(503);
  expect(log()).toContain('the list of development is not valid');
  // No client gets an empty list.
  expect(log()).toContain('the flags of production are not used: Edge stored no flags of the projects shop');
});

it.each([
  [
    'a truncated list',
    { 'unleash_features.json': '[["development",{"fea', 'unleash_tokens.json': TOKENS },
    'is truncated',
  ],
  ['a string', { 'unleash_features.json': '"ab"', 'unleash_tokens.json': TOKENS }, 'contains no lists of flags'],
  ['no list', { 'unleash_features.json': '[1]', 'unleash_tokens.json': TOKENS }, 'contains no lists of flags'],
  ['truncated tokens', { 'unleash_features.json': LISTS, 'unleash_tokens.json': '[{"token":"*:dev' }, 'is truncated'],
  ['other tokens', { 'unleash_features.json': LISTS, 'unleash_tokens.json': { a: 1 } }, 'does not contain tokens'],
  ['no tokens', { 'unleash_features.json': LISTS }, 'there is no unleash_tokens.json'],
])('%s: the relay starts without data and logs the reason', async (_what, files, why) => {
  const { url, log } = await relayOn(await edgeFolder(files));
  expect(await flagNames(url, SERVER)).toBe(503);
  expect(log()).toContain(why);
  expect(log()).not.toContain('development.server');
});

it('also reads lists that are an object with tokens as keys', async () => {
  const lists = { [SERVER]: list(flag('by-token')), 'shop:production.other': list(flag('sold', 'shop')) };
  const directory = await edgeFolder({ 'unleash_features.json': lists, 'unleash_tokens.json': TOKENS });
  const { url } = await relayOn(directory);
  expect([await flagNames(url, SERVER), await flagNames(url, PROJECT)]).toEqual(['by-token', 'sold']);
});
