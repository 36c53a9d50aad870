import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import type { Logger } from '../../../src/base/logger.ts';
import { silentLogger } from '../../../src/base/logger.ts';
import { readConfig } from '../../../src/config.ts';
import { OfflineSource, readBootstrapFile } from '../../../src/products/offline/offline-source.ts';
import { offlineTokens } from '../../../src/products/offline/offline-tokens.ts';
import { type RunningService, startService } from '../../../src/products/server/service.ts';
import { MemoryStore } from '../../../src/stores/memory/memory-store.ts';
import { BurgeeProcess } from '../../support/programs/burgee-process.ts';
import { untilTrue } from '../../support/until.ts';

let directory: string;
let file: string;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-offline-'));
  file = join(directory, 'flags.json');
});

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await rm(directory, { recursive: true, force: true });
});

const write = (value: unknown) => writeFile(file, typeof value === 'string' ? value : JSON.stringify(value));

/** The fields of both kinds of answers. */
interface Answer {
  readonly features: readonly { readonly name: string }[];
  readonly toggles: readonly { readonly name: string; readonly variant: { name: string; enabled: boolean } }[];
}

interface Offline {
  readonly service: RunningService;
  readonly logged: string[];
  get(path: string, token: string): Promise<{ status: number; body: Answer; etag: string | null }>;
}

/** A service that serves the file, in this process. */
async function startOffline(
  clientTokens: string[],
  frontendTokens: string[] = [],
  reloadIntervalMs = 0,
): Promise<Offline> {
  const logged: string[] = [];
  const note = (what: unknown, text?: string) => void logged.push(text ?? String(what));
  const logger = { ...silentLogger, child: () => logger, info: note, warn: note, error: note } as unknown as Logger;
  const tokens = offlineTokens({ clientTokens, frontendTokens });
  const content = await readBootstrapFile(file);
  const source = new OfflineSource({ bootstrapFile: file, content, tokens, reloadIntervalMs, logger });
  const config = readConfig({ HTTP_HOST: '127.0.0.1', HTTP_PORT: '0', DATA_DIR: join(directory, 'never') });
  const parts = { config, store: new MemoryStore(), clock: systemClock, random: Math.random, logger, source };
  const service = await startService(parts);
  ends.push(() => service.close());
  return {
    service,
    logged,
    async get(path, token) {
      const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, { headers: { authorization: token } });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? null : JSON.parse(text), etag: answer.headers.get('etag') };
    },
  };
}

const namesOf = ({ body }: { readonly body: Answer }) => body.features.map(({ name }) => name).sort();

describe('burgee offline', () => {
  it('serves the same flags in the environment of every token, but only those of its projects', async () => {
    const flag = (name: string, project: string) => ({
      name,
      project,
      enabled: true,
      strategies: [{ name: 'default' }],
    });
    await write({ version: 2, features: [flag('a', 'shop'), flag('b', 'stock'), flag('c', 'default')] });
    const tokens = ['*:development.s1', 'shop:production.s2', '[]:staging.s3', 'any text', 'elsewhere:development.s4'];
    const { get } = await startOffline(tokens, ['stock:production.web']);
    const seen = await Promise.all(tokens.map(async (token) => namesOf(await get('/api/client/features', token))));
    expect(seen).toEqual([['a', 'b', 'c'], ['a'], ['a', 'b', 'c'], ['a', 'b', 'c'], []]);
    const { body } = await get('/api/frontend', 'stock:production.web');
    expect(body.toggles.map(({ name }) => name)).toEqual(['b']);
    expect((await get('/api/client/features', 'stock:production.web')).status).toBe(403);
    expect((await get('/api/client/features', '*:development.wrong')).status).toBe(401);
    expect((await get('/api/admin/projects', '*:development.s1')).status).toBe(404);
    expect((await get('/ready', '')).status).toBe(200);
  });

  it('warns of a flag that costs much more to evaluate than a server accepts, when browsers ask for it', async () => {
    const constraints = Array.from({ length: 100 }, (_, index) => ({
      contextName: 'userId',
      operator: 'STR_CONTAINS',
      values: [`value ${index}`],
      inverted: true,
    }));
    const strategies = [{ name: 'default', constraints }];
    await write({ version: 2, features: [{ name: 'dear', project: 'default', enabled: true, strategies }] });
    const { get, logged } = await startOffline(['*:development.s1'], ['*:development.web']);
    const warnings = () => logged.filter((text) => text.startsWith('a flag may take too long to evaluate'));
    expect(namesOf(await get('/api/client/features', '*:development.s1'))).toEqual(['dear']);
    expect(warnings()).toEqual([]);
    for (const userId of ['1', '2']) {
      const { body } = await get(`/api/frontend?userId=${userId}`, '*:development.web');
      expect(body.toggles.map(({ name }) => name)).toEqual(['dear']);
    }
    expect(warnings()).toHaveLength(1);
  });

  it('serves the variant of the simplified form to all users', async () => {
    await write({
      shop: { enabled: true, variant: 'blue' },
      off: { enabled: false, variant: 'red' },
      plain: { enabled: true },
    });
    const { get } = await startOffline(['dev'], ['web']);
    for (const user of ['1', '2', '3']) {
      const { body } = await get(`/api/frontend?userId=${user}`, 'web');
      expect(body.toggles.map(({ name, variant }) => [name, variant.name, variant.enabled])).toEqual([
        ['plain', 'disabled', false],
        ['shop', 'blue', true],
      ]);
    }
    expect(namesOf(await get('/api/client/features', 'dev'))).toEqual(['off', 'plain', 'shop']);
  });

  it('reads a changed file, keeps its flags while the file is damaged or missing, and logs this once', async () => {
    await write({ a: { enabled: true } });
    const { get, logged } = await startOffline(['dev'], ['web'], 10);
    const first = await get('/api/client/features', 'dev');
    await write('{"a": {"enabled": true}, "b"');
    await untilTrue(() => logged.some((line) => line.includes('its end is missing; the served flags do not change')));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(logged.filter((line) => line.includes('its end is missing'))).toHaveLength(1);
    expect(await get('/api/client/features', 'dev')).toEqual(first);
    await rm(file);
    await untilTrue(() =>
      logged.some((line) => line.includes('there is no such file; the served flags do not change')),
    );
    expect(await get('/api/client/features', 'dev')).toEqual(first);
    await writeFile(join(directory, 'new.json'), '{"b": {"enabled": true}}');
    await rename(join(directory, 'new.json'), file);
    await untilTrue(async () => namesOf(await get('/api/client/features', 'dev')).join() === 'b');
    // Reading a file with the same content changes nothing.
    const { etag } = await get('/api/client/features', 'dev');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect((await get('/api/client/features', 'dev')).etag).toBe(etag);
  });

  it('accepts registrations and metrics of SDKs', async () => {
    await write({ a: { enabled: true } });
    const { service } = await startOffline(['dev']);
    const headers = { authorization: 'dev', 'content-type': 'application/json' };
    const post = (path: string, body: unknown) =>
      fetch(`http://127.0.0.1:${service.port}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const time = new Date().toISOString();
    const registration = { appName: 'x', interval: 1, started: time, strategies: [] };
    expect((await post('/api/client/register', registration)).status).toBe(202);
    const bucket = { start: time, stop: time, toggles: { a: { yes: 3, no: 0 } } };
    expect((await post('/api/client/metrics', { appName: 'x', bucket })).status).toBe(202);
  });

  it('has the operation pages of Unleash Edge', async () => {
    await write({ a: { enabled: true } });
    const { service } = await startOffline(['dev']);
    const ask = async (page: string) => {
      const answer = await fetch(`http://127.0.0.1:${service.port}/internal-backstage/${page}`);
      return { status: answer.status, text: await answer.text() };
    };
    for (const page of ['health', 'ready', 'prometheus', 'metrics'])
      expect([page, (await ask(page)).status]).toEqual([page, 200]);
    const served = JSON.parse((await ask('features')).text);
    expect(Object.values(served).flatMap((answer) => namesOf({ body: answer as Answer }))).toContain('a');
  });

  it('does not start without a valid file, and reports the reason', async () => {
    await expect(startOffline(['dev'])).rejects.toThrow(`BOOTSTRAP_FILE ${file}: there is no such file`);
    await write('{"a": {"enabled": yes}}');
    await expect(startOffline(['dev'])).rejects.toThrow('it is not JSON: line 1, column 19 is not understood');
    await write({ a: { enabled: 1 } });
    await expect(startOffline(['dev'])).rejects.toThrow('the flag "a" must have "enabled"');
    expect(() => offlineTokens({ clientTokens: ['*:*.s'], frontendTokens: [] })).toThrow(
      'CLIENT_TOKENS, item 1: SDKs need a token of one environment',
    );
    expect(() => offlineTokens({ clientTokens: ['a', 'b'], frontendTokens: ['b'] })).toThrow(
      'CLIENT_TOKENS, item 2, is also in FRONTEND_TOKENS',
    );
  });
});

describe('burgee offline as a process', () => {
  it('is configured by options and by variables, and stops without an error', async () => {
    await write({ a: { enabled: true } });
    const burgee = new BurgeeProcess(
      { CLIENT_TOKENS: 'dev' },
      [],
      ['offline', '-b', file, '--frontend-tokens', 'web', '-p', '0'],
    );
    ends.push(() => burgee.stop());
    const url = await burgee.url();
    const answer = await fetch(`${url}/api/frontend`, { headers: { authorization: 'web' } });
    expect(await answer.json()).toMatchObject({ toggles: [{ name: 'a' }] });
    burgee.process.kill('SIGTERM');
    expect(await burgee.exited).toBe(0);
    expect(burgee.stderr).toMatch(/"msg":"burgee has stopped"}\n$/);
  });

  it('ends with one line when a setting is missing, or the file is damaged', async () => {
    await write('{');
    for (const [args, said] of [
      [
        ['--client-tokens', 'dev'],
        /or BOOTSTRAP_FILE; the environment holds BOOTSTRAPFILE, .*: is BOOTSTRAP_FILE meant\?\n$/,
      ],
      [[], /^burgee cannot start: specify the file with the flags: --bootstrap-file FILE, or BOOTSTRAP_FILE\n$/],
      [['-b', file], /^burgee cannot start: specify the tokens that SDKs may use: .*\n$/],
      [['-b', file, '-c', 'dev'], /BOOTSTRAP_FILE .*flags.json: it is not JSON: its end is missing\n$/],
    ] as const) {
      const misspelled: Record<string, string> = args[0] === '--client-tokens' ? { BOOTSTRAPFILE: file } : {};
      const burgee = new BurgeeProcess(misspelled, [], ['offline', ...args]);
      ends.push(() => burgee.stop());
      expect([args, await burgee.exited]).toEqual([args, 1]);
      expect(burgee.stderr).toMatch(said);
    }
  });
});
