import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const PACKAGE = new URL('../node_modules/uWebSockets.js/', import.meta.url).pathname;

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** The hashes that were recorded when the version was chosen: file → SHA-256. */
const recorded = new Map(
  read('tools/uwebsockets.sha256')
    .trimEnd()
    .split('\n')
    .map((line) => [line.slice(66), line.slice(0, 64)] as const),
);

/** Files of the package that run on some platform and differ from the recorded ones. */
function differences(folder: string): string[] {
  const installed = readdirSync(folder).filter((name) => /\.(node|m?js)$/.test(name));
  const isSame = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex') === recorded.get(name);
  return [
    ...installed.filter((name) => !isSame(name)),
    ...[...recorded.keys()].filter((name) => !installed.includes(name)),
  ];
}

it('the package of the HTTP server is the reviewed one: each of its binaries has the recorded SHA-256', () => {
  expect([...recorded.keys()]).toContain(`uws_${process.platform}_${process.arch}_${process.versions.modules}.node`);
  expect(differences(PACKAGE), 'see SECURITY.md').toEqual([]);
});

it('a changed, added or missing file of the package is detected', () => {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-uws-'));
  try {
    for (const name of ['uws.js', 'ESM_wrapper.mjs']) cpSync(join(PACKAGE, name), join(folder, name));
    writeFileSync(join(folder, 'uws.js'), `${readFileSync(join(folder, 'uws.js'), 'utf8')}\n`);
    writeFileSync(join(folder, 'more.js'), '');
    const found = differences(folder);
    expect(found).toEqual(expect.arrayContaining(['uws.js', 'more.js', 'uws_linux_x64_137.node']));
    expect(found).not.toContain('ESM_wrapper.mjs');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('the package is pinned to one version, with the hash of SECURITY.md', () => {
  const { dependencies } = JSON.parse(read('package.json'));
  const { version, integrity } = JSON.parse(read('package-lock.json')).packages['node_modules/uWebSockets.js'];
  expect(dependencies['uWebSockets.js']).toBe(`npm:uwebsockets@${version}`);
  const security = read('SECURITY.md');
  expect(security).toContain(`uwebsockets@${version}`);
  expect(security).toContain(integrity);
});
