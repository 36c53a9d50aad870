import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { differenceFromList, PACKAGE, recordedHashes, sha256Of } from '../../../tools/pinned-binaries.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'burgee-uws-'));
afterAll(() => rmSync(folder, { recursive: true }));

function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** The binary of uWebSockets.js that this Node looks for. Some systems and versions of Node have none. */
const OWN = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
const OTHER = 'uws_linux_arm64_115.node';

describe('the package of the HTTP server', () => {
  it('is the reviewed one: each of its binaries has the recorded SHA-256', () => {
    expect(recordedHashes().size).toBe(56);
    const { status, stdout } = spawnSync(process.execPath, ['tools/pinned-binaries.mjs'], {
      cwd: root,
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([0, expect.stringContaining('have the recorded hashes')]);
  });

  it('is refused in a sentence that names each changed, added or missing file', () => {
    const copy = emptyFolder('changed');
    for (const name of ['uws.js', 'ESM_wrapper.mjs', OTHER]) cpSync(join(PACKAGE, name), join(copy, name));
    const bytes = readFileSync(join(copy, OTHER));
    bytes[bytes.length - 1] = ~(bytes.at(-1) ?? 0) & 0xff;
    writeFileSync(join(copy, OTHER), bytes);
    writeFileSync(join(copy, 'more.js'), '');
    const sentence = differenceFromList(copy);
    expect(sentence).toContain(`changed: ${OTHER}; unknown: more.js; missing: `);
    expect(sentence).toContain('Do not run them before you know why');
    expect(sentence).toContain('uws_linux_x64_137.node');
    expect(sentence).not.toContain('ESM_wrapper.mjs');
  });

  it('is pinned to one version, with the hash of docs/reference/dependencies.md', () => {
    const { dependencies } = JSON.parse(read('package.json'));
    const { version, integrity } = JSON.parse(read('package-lock.json')).packages['node_modules/uWebSockets.js'];
    expect(dependencies['uWebSockets.js']).toBe(`npm:uwebsockets@${version}`);
    const page = read('docs/reference/dependencies.md');
    expect(page).toContain(`uwebsockets@${version}`);
    expect(page).toContain(integrity);
  });
});

/** Serves archives as upstream does: ref → the files in it. Any other path is 404. */
async function withUpstream<T>(
  refs: Readonly<Record<string, readonly string[]>>,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const archives = emptyFolder('archives');
  for (const [ref, names] of Object.entries(refs)) {
    const files = emptyFolder(`archives/project-${ref}`);
    for (const name of names) cpSync(join(PACKAGE, name), join(files, name));
    const { stdout } = spawnSync('tar', ['-cf', '-', '-C', archives, `project-${ref}`], { maxBuffer: 2 ** 26 });
    writeFileSync(join(archives, `${ref}.tar.gz`), gzipSync(stdout, { level: 1 }));
  }
  const server = createServer(({ url = '' }, response) => {
    const file = join(archives, url.replace(/^\/archive\//, ''));
    if (existsSync(file)) response.end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Runs the comparison beside this process, which serves the archives. */
async function compare(...words: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ['tools/compare-upstream.mjs', ...words], { cwd: root });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}

describe('the comparison with upstream', () => {
  const list = join(folder, 'list.sha256');
  const listed = ['uws_linux_x64_115.node', 'uws_linux_x64_137.node'] as const;
  writeFileSync(list, listed.map((name) => `${sha256Of(join(PACKAGE, name))}  ${name}\n`).join(''));

  it('passes if each binary is in one of the releases', async () => {
    await withUpstream({ 'v2.0.0': [listed[1]], 'v1.0.0': [listed[0], OTHER] }, async (url) => {
      const { status, output } = await compare('--from', url, '--list', list, '--refs', 'v2.0.0,v1.0.0');
      expect([status, output]).toEqual([0, expect.stringContaining(`ok    ${listed[0]} is ${listed[0]} of v1.0.0\n`)]);
      expect(output).toContain('2 passed, 0 failed');
    });
  });

  it('fails for a binary that no release has, and names releases that cannot be had', async () => {
    await withUpstream({ 'v3.0.0': [listed[1]] }, async (url) => {
      const { status, output } = await compare('--from', url, '--list', list, '--refs', 'v9.9.9,v3.0.0');
      expect([status, output]).toEqual([1, expect.stringContaining(`FAIL  ${listed[0]} is in none of the 1 releases`)]);
      expect(output).toMatch(/not compared: .*v9\.9\.9.*answered 404/);
      expect(output).toContain('1 passed, 1 failed');
    });
  });

  it('says that nothing was compared if upstream cannot be reached, with an exit code of its own', async () => {
    const url = await withUpstream({}, async (address) => address);
    for (const words of [[], ['--refs', 'v1.0.0']]) {
      const { status, output } = await compare('--from', url, ...words);
      expect([status, output]).toEqual([3, expect.stringMatching(/^NOT COMPARED with upstream/)]);
    }
    expect(await compare('--most', 'all')).toEqual({
      status: 2,
      output: 'compare-upstream: --most is a number above 0\n',
    });
  });
});

describe('slim', () => {
  /** A folder of packages with the binaries of that names; the one for this Node is what this system can load, or nothing that any can. */
  function packages(name: string, own: Buffer | undefined): string {
    const modules = emptyFolder(`${name}/node_modules`);
    const uws = emptyFolder(`${name}/node_modules/uWebSockets.js`);
    for (const file of ['uws.js', OTHER]) cpSync(join(PACKAGE, file), join(uws, file));
    if (own) writeFileSync(join(uws, OWN), own);
    return modules;
  }
  const slim = (...words: string[]) =>
    spawnSync(process.execPath, ['tools/slim.mjs', ...words], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    });
  const left = (modules: string) => readdirSync(join(modules, 'uWebSockets.js')).sort();

  /** The binary for this Node, if this system loads it. */
  const loads = spawnSync(process.execPath, ['-e', 'require("uWebSockets.js")'], { cwd: root }).status === 0;
  const own = loads ? readFileSync(join(PACKAGE, OWN)) : undefined;

  it('keeps the one binary that this Node on this system loads, or none', () => {
    const modules = packages('loads', own);
    expect(slim(modules)).toMatchObject({ status: 0, stderr: '' });
    expect(left(modules)).toEqual(loads ? ['uws.js', OWN].sort() : ['uws.js']);
  });

  it('keeps no binary that does not load, and none if the Node front was chosen', () => {
    const broken = packages('broken', Buffer.from('no binary'));
    expect(slim(broken).status).toBe(0);
    expect(left(broken)).toEqual(['uws.js']);
    const unwanted = packages('unwanted', own);
    expect(slim(unwanted, '--front', 'node').status).toBe(0);
    expect(left(unwanted)).toEqual(['uws.js']);
  });

  it('removes nothing if the fast front was chosen and does not load, and for wrong usage', () => {
    const modules = packages('wanted', Buffer.from('no binary'));
    const before = left(modules);
    expect(slim(modules, '--front', 'fast')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not load here'),
    });
    for (const [words, problem] of [
      [[modules, '--front', 'quick'], 'the front is one of auto, fast, node'],
      [[], 'one folder is needed'],
      [[join(folder, 'nowhere')], 'does not exist'],
    ] as const)
      expect(slim(...words)).toMatchObject({ status: 1, stderr: expect.stringContaining(problem) });
    expect(left(modules)).toEqual(before);
  });
});
