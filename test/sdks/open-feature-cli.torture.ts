import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Flags } from '../support/flags.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, useService } from '../support/service.ts';
import { Absence, type Installed, installGo, removeInstalled } from './toolchains.ts';

const MODULE = fileURLToPath(new URL('open-feature-cli', import.meta.url));
const PROGRAM = 'github.com/open-feature/cli/cmd/openfeature';
const NODE_MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const COMPILER = join(NODE_MODULES, 'typescript/bin/tsc');

/** A program that uses the generated code: the compiler knows the type of each flag. */
const USER = `
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature, type JsonValue } from '@openfeature/server-sdk';
import { FlagKeys, getGeneratedClient } from './openfeature.ts';

const [url = '', token = ''] = process.argv.slice(2);
await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: url, headers: [['authorization', token]] }));
const client = getGeneratedClient({ targetingKey: 'me' });
const colour: string = await client.buttonColour();
const seats: number = await client.seats();
const share: number = await client.share();
const layout: JsonValue = await client.layout();
const isNew: boolean = await client.newCart();
const isOff: string = (await client.footerTextDetails()).value;
console.log(JSON.stringify({ key: FlagKeys.BUTTON_COLOUR, colour, seats, share, layout, isNew, isOff }));
await OpenFeature.close();
`;

const service = useService();
let flags: Flags;
let absence: string | undefined;
let cli: Installed;
let folder: string;

beforeAll(async () => {
  const installed = await installGo(MODULE, PROGRAM);
  if (installed instanceof Absence) {
    absence = installed.reason;
    console.warn(`OpenFeature CLI: ${absence}`);
    return;
  }
  cli = installed;
  flags = new Flags(service);
  folder = mkdtempSync(join(tmpdir(), 'burgee-open-feature-cli-'));
  symlinkSync(NODE_MODULES, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
});

beforeEach(({ skip }) => skip(absence !== undefined, absence));

afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
  removeInstalled();
});

function run(program: string, args: readonly string[]): Promise<{ failed: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, output: stdout + stderr }),
    );
  });
}

const openfeature = (...args: readonly string[]) => run(cli.command, [...args, '--no-input']);
const remote = (token = ADMIN_TOKEN, path = '') => ['--provider-url', service.url + path, '--auth-token', token];
const manifest = () => JSON.parse(readFileSync(join(folder, 'flags.json'), 'utf8')).flags;
const writeManifest = (entries: object) =>
  writeFileSync(join(folder, 'flags.json'), JSON.stringify({ flags: entries }));

async function succeeded(answer: Promise<{ failed: boolean; output: string }>): Promise<string> {
  const { failed, output } = await answer;
  expect(failed, output).toBe(false);
  return output;
}

/** A flag that is on in development, with one variant. */
async function flagWith(name: string, type: string, value: string): Promise<void> {
  await flags.call('createFeature', {}, { name, description: `What ${name} is for` });
  const params = { featureName: name, environment: 'development' };
  const variant = {
    name: 'only',
    weight: 1000,
    weightType: 'variable',
    stickiness: 'default',
    payload: { type, value },
  };
  await flags.call('addFeatureStrategy', params, { name: 'default', parameters: {}, variants: [variant] });
  await flags.call('toggleFeatureEnvironmentOn', params);
}

describe('the OpenFeature CLI, unmodified', () => {
  it('pulls the flags, and the code that it generates compiles and gets their values', async () => {
    await flagWith('button-colour', 'string', 'red');
    await flagWith('seats', 'number', '4');
    await flagWith('share', 'number', '0.5');
    await flagWith('layout', 'json', '{"columns":[1,2]}');
    await flags.call('createFeature', {}, { name: 'new-cart' });
    writeManifest({ 'footer-text': { flagType: 'string', defaultValue: 'Imprint', description: 'Foot of the page' } });
    await succeeded(openfeature('push', ...remote()));
    await succeeded(openfeature('pull', ...remote()));
    expect(manifest()).toEqual({
      'button-colour': { flagType: 'string', defaultValue: 'red', description: 'What button-colour is for' },
      seats: { flagType: 'integer', defaultValue: 4, description: 'What seats is for' },
      share: { flagType: 'float', defaultValue: 0.5, description: 'What share is for' },
      layout: { flagType: 'object', defaultValue: { columns: [1, 2] }, description: 'What layout is for' },
      'new-cart': { flagType: 'boolean', defaultValue: false, description: '' },
      'footer-text': { flagType: 'string', defaultValue: 'Imprint', description: 'Foot of the page' },
    });
    await succeeded(openfeature('generate', 'nodejs', '--output', folder));
    writeFileSync(join(folder, 'main.ts'), USER);
    const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
    const written = ['--rewriteRelativeImportExtensions', '--skipLibCheck', '--outDir', 'built'];
    await succeeded(run(process.execPath, [COMPILER, ...options, ...written, 'main.ts']));
    const output = await succeeded(run(process.execPath, [join(folder, 'built/main.js'), service.url, FRONTEND_TOKEN]));
    expect(JSON.parse(output.trim().split('\n').at(-1) ?? '')).toEqual({
      key: 'button-colour',
      colour: 'red',
      seats: 4,
      share: 0.5,
      layout: { columns: [1, 2] },
      isNew: false,
      isOff: 'Imprint',
    });
  });

  it('pushes new and changed flags to a project, and nothing when it pushes again', async () => {
    const path = '/api/admin/projects/shop';
    await flags.call('createProject', {}, { id: 'shop', name: 'Shop' });
    const declared = {
      'shop.title': { flagType: 'string', defaultValue: 'Welcome', description: 'Title of the shop' },
      'shop.open': { flagType: 'boolean', defaultValue: true },
      'shop.rows': { flagType: 'integer', defaultValue: 3 },
      'shop.tax': { flagType: 'float', defaultValue: 0.19 },
      'shop.menu': { flagType: 'object', defaultValue: { items: ['a'] } },
    };
    writeManifest(declared);
    expect(await succeeded(openfeature('push', ...remote(ADMIN_TOKEN, path), '--dry-run'))).toContain('Would Create');
    expect((await flags.call('getFeatures', { projectId: 'shop' })).body.features).toEqual([]);
    expect(await succeeded(openfeature('push', ...remote(ADMIN_TOKEN, path)))).toContain('Created (5)');
    expect(await succeeded(openfeature('push', ...remote(ADMIN_TOKEN, path)))).toContain('No changes needed');
    writeManifest({ ...declared, 'shop.rows': { flagType: 'integer', defaultValue: 5, description: 'Rows' } });
    expect(await succeeded(openfeature('push', ...remote(ADMIN_TOKEN, path)))).toContain('Updated (1)');
    await succeeded(openfeature('pull', ...remote(ADMIN_TOKEN, `${path}/`)));
    expect(manifest()['shop.rows']).toEqual({ flagType: 'integer', defaultValue: 5, description: 'Rows' });
    const { body } = await flags.call('getFeatures', { projectId: 'shop' });
    expect(body.features.map(({ name, enabled }: { name: string; enabled: boolean }) => [name, enabled])).toHaveLength(
      5,
    );
    expect(body.features.every(({ enabled }: { enabled: boolean }) => !enabled)).toBe(true);
  });

  it('shows why Burgee refuses: no valid token, a token of SDKs, a type that cannot change', async () => {
    for (const [token, message] of [
      ['*:*.wrong', 'has no valid token'],
      [CLIENT_TOKEN, 'needs an admin token'],
    ] as const) {
      const refused = await openfeature('pull', ...remote(token));
      expect(refused.failed).toBe(true);
      expect(refused.output).toContain(message);
    }
    await flags.call('createFeature', {}, { name: 'typed' });
    writeManifest({ typed: { flagType: 'string', defaultValue: 'a' } });
    await succeeded(openfeature('push', ...remote()));
    writeManifest({ typed: { flagType: 'integer', defaultValue: 1 } });
    const refused = await openfeature('push', ...remote());
    expect(refused.failed).toBe(true);
    expect(refused.output).toContain('cannot change to integer');
  });
});
