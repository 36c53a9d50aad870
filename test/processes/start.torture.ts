import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const directories: string[] = [];

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'burgee-start-'));
  directories.push(directory);
  return directory;
}

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** The environment without the variables of the npm that runs the tests. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_ENV)/.test(name)));
}

/** `npm start`, as a user runs it. */
async function npmStart() {
  const port = await freePort();
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...ownEnvironment(), HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port), DATA_DIR: temporary() },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += String(chunk)));
  // The pipes close when the last process that writes to them has ended.
  const everythingEnded = once(child, 'close').then(() => output);
  const url = `http://127.0.0.1:${port}`;
  const serves = () =>
    fetch(`${url}/ready`).then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await serves())) {
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { child, everythingEnded, serves };
}

describe('npm start', () => {
  it.each([
    ['SIGTERM', 'SIGTERM'],
    ['SIGINT', 'SIGINT'],
    ['SIGHUP', 'the end of npm'],
    ['SIGKILL', 'the end of npm'],
  ] as const)('stops the service gracefully on %s, and leaves no process behind', async (signal, reason) => {
    const { child, everythingEnded, serves } = await npmStart();
    child.kill(signal);
    expect(await everythingEnded).toContain(`stopping on ${reason}`);
    expect(await serves()).toBe(false);
  });

  it('reports the build command when the compiler and the build are missing', () => {
    const directory = temporary();
    for (const file of ['package.json', 'tools']) cpSync(join(ROOT, file), join(directory, file), { recursive: true });
    const { status, stderr } = spawnSync('npm', ['start'], { cwd: directory, env: ownEnvironment(), encoding: 'utf8' });
    expect(status).not.toBe(0);
    expect(stderr).toContain('npm run build');
    expect(stderr).not.toContain('not found');
  });

  it('compiles only when the files of the build have changed', () => {
    const directory = temporary();
    for (const file of [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.build.json',
      'tools',
      'src',
      'bench',
      'LICENSE',
    ])
      cpSync(join(ROOT, file), join(directory, file), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    // Written at the end of a build.
    const stamp = join(directory, 'dist/built-from');
    const ensured = () => {
      const { status, stderr } = spawnSync(process.execPath, ['tools/ensure-built.mjs'], {
        cwd: directory,
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      return statSync(stamp).mtimeMs;
    };
    const built = ensured();
    expect(ensured()).toBe(built);
    appendFileSync(join(directory, 'src/main.ts'), '// Changed.\n');
    expect(ensured()).toBeGreaterThan(built);
  });

  it('starts the build when the compiler is missing', () => {
    const directory = temporary();
    for (const file of ['package.json', 'tools', 'dist/packed/program/main.js']) {
      cpSync(join(ROOT, file), join(directory, file), { recursive: true });
    }
    const { stderr } = spawnSync('npm', ['start'], { cwd: directory, env: ownEnvironment(), encoding: 'utf8' });
    // Node reports that the copy lacks other modules: so it was started.
    expect(stderr).toContain('ERR_MODULE_NOT_FOUND');
  });
});

describe('the lockfile', () => {
  it('contains every dependency of its packages, also for other platforms, so that npm ci works', () => {
    type Entry = Readonly<Record<'dependencies' | 'optionalDependencies', Readonly<Record<string, string>>>>;
    const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, Entry>;
    };
    const isLocked = (name: string, asker: string): boolean => {
      for (let at = asker; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
        if (packages[at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`]) return true;
        if (at === '') return false;
      }
    };
    const missing = Object.entries(packages).flatMap(([asker, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter((name) => !isLocked(name, asker))
        .map((name) => `${asker} asks for ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry', () => {
    expect(existsSync(join(ROOT, 'package-lock.json'))).toBe(true);
    // A folder of this repository is allowed.
    expect(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).not.toMatch(/"resolved": "(?!test\/)/);
  });
});
