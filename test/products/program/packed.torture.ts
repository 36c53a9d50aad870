import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/base/version.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Not the folder of a build: other tests read that at the same time. */
const FOLDER = `dist/packed-${process.pid}`;
const MAIN = join(ROOT, FOLDER, 'program/main.js');
const directory = mkdtempSync(join(tmpdir(), 'burgee-packed-'));

beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, ['tools/bundle.mjs', `${FOLDER}/program`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});
afterAll(() => {
  for (const folder of [directory, join(ROOT, FOLDER)]) rmSync(folder, { recursive: true, force: true });
});

const run = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env: {} });

/** Serves from the bundle, on a free port, until the test has ended. */
async function serving<T>(
  args: readonly string[],
  env: Record<string, string>,
  test: (url: string) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { HTTP_HOST: '127.0.0.1', HTTP_PORT: '0', DATA_DIR: directory, ...env },
  });
  const exited = once(child, 'exit');
  let log = '';
  try {
    for await (const chunk of child.stderr) {
      log += String(chunk);
      const port = /"port":(\d+).*"burgee serves"/.exec(log)?.[1];
      if (port !== undefined) return await test(`http://127.0.0.1:${port}`);
    }
    throw new Error(`it does not serve:\n${log}`);
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}

describe('the packed program', () => {
  it('has every command of the modules', () => {
    expect(run('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n` });
    const [modules, packed] = [join(ROOT, 'dist/src/main.js'), MAIN].map(
      (main) => spawnSync(process.execPath, [main, '--help'], { encoding: 'utf8', env: {} }).stdout,
    );
    expect(packed).toBe(modules);
    expect(run('bench', '--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('--clients') });
    expect(run('store', 'digest')).toMatchObject({ status: 2, stderr: expect.stringContaining('--from') });
  });

  it('serves a file, and evaluates many contexts in its threads', async () => {
    const file = join(directory, 'flags.json');
    writeFileSync(file, JSON.stringify({ a: { enabled: true, variant: 'blue' } }));
    await serving(['offline', '-b', file, '-c', 'dev'], {}, async (url) => {
      const headers = { authorization: 'dev', 'content-type': 'application/x-ndjson' };
      const body = '{"userId":"1"}\n{"userId":"2"}\n';
      const answer = await fetch(`${url}/api/client/evaluate`, { method: 'POST', headers, body });
      const text = await answer.text();
      expect([answer.status, text.trim().split('\n').length]).toEqual([200, 2]);
      expect(text).toContain('blue');
    });
  });

  it('contains the SDK of MCP, with the licences of its packages', () => {
    const [code, licences] = ['mcp-worker.js', 'licences.txt'].map((name) =>
      readFileSync(join(ROOT, FOLDER, 'program', name), 'utf8'),
    );
    expect(code).not.toMatch(/from ["']@?(modelcontextprotocol|zod|ajv)/);
    for (const name of ['@modelcontextprotocol/server', 'zod', 'ajv', 'fast-uri'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    const environment = { BURGEE_URL: 'http://127.0.0.1:1', BURGEE_TOKEN: 'some' };
    const clientInfo = { name: 'a test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
    const { status, stdout } = spawnSync(process.execPath, [MAIN, 'mcp'], {
      input,
      encoding: 'utf8',
      env: environment,
    });
    expect([status, JSON.parse(stdout).result.serverInfo.name]).toEqual([0, 'burgee']);
  });

  it('serves from a store, with the documentation page and the console', async () => {
    const { status, stderr } = spawnSync(process.execPath, ['tools/build-console.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    await serving([], { INIT_CLIENT_API_TOKENS: '*:development.s' }, async (url) => {
      const headers = { authorization: '*:development.s' };
      expect((await fetch(`${url}/api/client/features`, { headers })).status).toBe(200);
      expect((await fetch(`${url}/docs`)).status).toBe(200);
      const page = await (await fetch(`${url}/`)).text();
      const [, script = ''] = /src="(\/assets\/[\w.-]+\.js)"/.exec(page) ?? [];
      expect((await fetch(url + script)).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    });
  });
});
