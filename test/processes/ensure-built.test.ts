import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Root may write everywhere, unless it drops the capability. */
const WRAPPER = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];

/** The files that a build reads and creates, without content: the script looks at their names and times. */
const FILES = [
  'src/main.ts',
  'bench/fleet.bench.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'console/package.json',
  'console/package-lock.json',
  'node_modules/typescript/bin/tsc',
];
const BUILT = ['dist/src/main.js', 'dist/packed/program/main.js', 'dist/vendor/page.js', 'dist/built-from'];

/** A checkout that its user can only read. */
function readOnlyCheckout(files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-read-only-'));
  onTestFinished(() => {
    setModes(folder, 0o755);
    rmSync(folder, { recursive: true, force: true });
  });
  cpSync(join(ROOT, 'tools'), join(folder, 'tools'), { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  utimesSync(join(folder, 'src/main.ts'), new Date(), new Date());
  setModes(folder, 0o555);
  return folder;
}

/** Sets the modes of the folder and of all folders in it. */
function setModes(folder: string, mode: number): void {
  chmodSync(folder, mode);
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) setModes(join(folder, entry.name), mode);
}

function ensureBuilt(folder: string, ...args: string[]) {
  const [file = '', ...rest] = [...WRAPPER, process.execPath, join(folder, 'tools/ensure-built.mjs'), ...args];
  return spawnSync(file, rest, { encoding: 'utf8' });
}

describe('a checkout that cannot be written', () => {
  it('is used as it was built, and a sentence says so', () => {
    const folder = readOnlyCheckout([...FILES, ...BUILT, 'dist/console/index.html']);
    const { status, stderr } = ensureBuilt(folder, '--console', '--first-console-aside');
    expect([status, stderr.split('\n').length]).toEqual([0, 3]);
    expect(stderr).toContain('cannot be written (EACCES): Burgee runs as it was built before.\n');
    expect(stderr).toContain('Burgee runs with the one that was built before. To build it later, run: npm run build\n');
  });

  it('is used without a console, if none was built', () => {
    const { status, stderr } = ensureBuilt(readOnlyCheckout([...FILES, ...BUILT]), '--console');
    expect(status).toBe(0);
    expect(stderr).toMatch(/The console cannot be built \(EACCES.*\): Burgee runs without it\./);
    expect(stderr).not.toContain('    at ');
  });

  it('is refused with a sentence, if nothing was built or a build was demanded', () => {
    for (const [files, ...args] of [[FILES], [[...FILES, ...BUILT], '--force']] as const) {
      const { status, stderr } = ensureBuilt(readOnlyCheckout(files), ...args);
      expect([status, stderr.split('\n').length]).toEqual([1, 2]);
      expect(stderr).toContain('cannot be written (EACCES)');
    }
  });
});
