import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN_TOKEN, useService } from '../../support/service.ts';

/** The generator runs on an older compiler than Burgee's own: both are of a package of their own, package.json in this folder. */
const PACKAGES = fileURLToPath(new URL('./node_modules', import.meta.url));
const GENERATOR = join(PACKAGES, 'openapi-typescript/bin/cli.js');
const COMPILER = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** What somebody writes who has nothing but the document. */
const CLIENT = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';

const [url = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl: url, headers: { authorization: token } });
const flags = '/api/admin/projects/{projectId}/features';

const made = await client.POST(flags, {
  params: { path: { projectId: 'default' } },
  body: { name: 'typed', type: 'release', description: 'Made by a typed client' },
});
const name: string = made.data?.name ?? '';
await client.POST(\`\${flags}/{featureName}/environments/{environment}/on\`, {
  params: { path: { projectId: 'default', featureName: name, environment: 'development' } },
});
const read = await client.GET(\`\${flags}/{featureName}\`, {
  params: { path: { projectId: 'default', featureName: name } },
});
const enabled: boolean | undefined = read.data?.environments?.find((one) => one.name === 'development')?.enabled;
const search = await client.POST('/api/admin/events/search', { body: { feature: name, limit: 10 } });
const types: string[] = search.data?.events.map((event) => event.type) ?? [];
const twice = await client.POST(flags, { params: { path: { projectId: 'default' } }, body: { name } });
console.log(JSON.stringify({ name, enabled, types, refused: [twice.response.status, twice.error?.name] }));
`;

/** The same client, wrong in ways that the document does not allow. */
const MISTAKES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  'a body without what it needs': ["body: { name: 'typed', type: 'release', description", 'body: { description'],
  'a path that is not there': ["'/api/admin/events/search'", "'/api/admin/events/find'"],
  'a field of a wrong type': ['limit: 10', "limit: 'ten'"],
  'an answer that has no such field': ['read.data?.environments', 'read.data?.surroundings'],
};

const service = useService();
let folder: string;

function run(script: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { cwd: folder });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Compiles these files of the folder together. */
async function compile(sources: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  for (const [name, source] of Object.entries(sources)) writeFileSync(join(folder, name), source);
  const options = [
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    '--skipLibCheck',
    '--ignoreConfig',
  ];
  return run(COMPILER, [...options, ...Object.keys(sources)]);
}

beforeAll(async () => {
  // Among the packages, so that the client finds the one it imports.
  folder = mkdtempSync(join(PACKAGES, '.work-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const document = await (await fetch(`${service.url}/docs/openapi.json`)).text();
  writeFileSync(join(folder, 'openapi.json'), document);
  const { code, output } = await run(GENERATOR, ['openapi.json', '-o', 'schema.d.ts']);
  expect(code, output).toBe(0);
  expect(readFileSync(join(folder, 'schema.d.ts'), 'utf8')).toContain('/api/admin/events/search');
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
});

describe('a client made of the document', () => {
  it('compiles, and works with the service', async () => {
    const compiled = await compile({ 'client.ts': CLIENT });
    expect(compiled.code, compiled.output).toBe(0);
    const { code, output } = await run('client.js', [service.url, ADMIN_TOKEN]);
    expect(code, output).toBe(0);
    expect(JSON.parse(output)).toEqual({
      name: 'typed',
      enabled: true,
      types: ['feature-environment-enabled', 'feature-strategy-add', 'feature-created'],
      refused: [409, 'NameExistsError'],
    });
  });

  it('does not compile with a mistake: each of them is found', async () => {
    const mistakes = Object.values(MISTAKES).map(([from, to], index) => {
      expect(CLIENT).toContain(from);
      return [`mistake-${index}.ts`, CLIENT.replace(from, to)] as const;
    });
    const { code, output } = await compile(Object.fromEntries(mistakes));
    expect(code).not.toBe(0);
    const withErrors = new Set([...output.matchAll(/^(mistake-\d+\.ts)\(/gm)].map(([, name]) => name));
    expect([...withErrors].sort()).toEqual(mistakes.map(([name]) => name));
  });
});
