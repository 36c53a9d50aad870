import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, describe, expect, it } from 'vitest';
import { missingBinary } from '../../../src/http/front/fast/missing-binary.ts';
import { BUILT_PROGRAM } from '../../support/programs/built-program.ts';

const HEAD =
  'This version of uWS.js supports only Node.js versions 16, 18, 20, 21, 22, 24 and 25 on (glibc) Linux, macOS and Windows.';
const thrown = (reason: string) => new Error(`${HEAD}\n\nError: ${reason}`);
const dataUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
const directory = mkdtempSync(join(tmpdir(), 'burgee-front-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const DEBIAN_12 = { node: '24.11.0', platform: 'linux', arch: 'x64', glibc: '2.36' };

describe('the reason why the binary of the fast front does not load', () => {
  it('names the C library that is needed and the one that is there', () => {
    const reason =
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /app/uws_linux_x64_137.node)";
    expect(missingBinary(thrown(reason), DEBIAN_12)).toMatch(/for Node 24\.11\.0 needs glibc 2\.38.*has 2\.36$/);
  });

  it('distinguishes a Linux without glibc, a Node without a binary on any system, and a package that is not installed', () => {
    const missing = thrown('Cannot find module ./uws_linux_x64_147.node');
    expect(missingBinary(missing, { ...DEBIAN_12, glibc: undefined })).toContain('Alpine');
    // Debian 12 has an old C library, too: a newer one would not help.
    expect(missingBinary(missing, { ...DEBIAN_12, node: '26.10.0' })).toMatch(
      /no binary for Node 26\.10\.0 on linux x64/,
    );
    expect(missingBinary(new Error("Cannot find module 'uWebSockets.js'\nRequire stack:"), DEBIAN_12)).toMatch(
      /not installed/,
    );
  });

  it('is of this process if no other system is given', () => {
    const { node } = process.versions;
    const glibc = "/lib/libc.so.6: version `GLIBC_9.99' not found";
    expect(missingBinary(thrown(glibc))).toMatch(
      new RegExp(
        `^the binary of uWebSockets\\.js for Node ${node} needs glibc 9\\.99 or newer, and this system has (\\d|an)`,
      ),
    );
    expect(missingBinary(thrown(glibc), { ...DEBIAN_12, glibc: undefined })).toMatch(/has an older one$/);
  });

  it('is not given for other errors', () => {
    expect(missingBinary(new Error('something else'), DEBIAN_12)).toBeUndefined();
    expect(missingBinary('no error', DEBIAN_12)).toBeUndefined();
  });
});

/** Arguments of Node with which the package fails with this error. */
const failingWith = (message: string) => [
  '--import',
  dataUrl(`import Module from 'node:module';
    const load = Module._load;
    Module._load = function (name, ...rest) {
      if (name === 'uWebSockets.js') throw new Error(${JSON.stringify(message)});
      return load.call(this, name, ...rest);
    };`),
];

/** Arguments with which it fails as where it has no binary. */
const WITHOUT_BINARY = failingWith(`${HEAD}\n\nError: Cannot find module`);

it('A fast front that fails for another reason ends the start: the service does not silently use another front', () => {
  const run = spawnSync(process.execPath, [...failingWith('broken in another way'), BUILT_PROGRAM, 'serve'], {
    encoding: 'utf8',
    env: { HTTP_PORT: '0', HTTP_HOST: '127.0.0.1', DATA_DIR: directory },
    // A service that serves does not end.
    timeout: 60_000,
  });
  expect(run.status).toBe(1);
  expect(run.stderr).toContain('broken in another way');
});

describe('where the fast front has no binary', () => {
  it.each([
    ['serve', []],
    ['relay', ['--upstream-url', 'http://127.0.0.1:9', '--tokens', '*:development.a']],
    ['offline', ['--bootstrap-file', 'test/fixtures/none.json', '--tokens', 'a']],
  ])('%s says so in one line and exits with 1 if that front is wanted', (command, args) => {
    const run = spawnSync(process.execPath, [...WITHOUT_BINARY, BUILT_PROGRAM, command, ...args], {
      encoding: 'utf8',
      env: { HTTP_FRONT: 'fast', HTTP_PORT: '0', HTTP_HOST: '127.0.0.1', DATA_DIR: directory },
    });
    expect([command, run.status]).toEqual([command, 1]);
    expect(run.stderr.trim().split('\n').at(-1)).toMatch(
      /^burgee cannot start: HTTP_FRONT is fast, but uWebSockets\.js has no binary for Node/,
    );
  });

  it('the service serves on the front of Node, and says so at the start, in /ready and in its metrics', async () => {
    const env = { HTTP_PORT: '0', HTTP_HOST: '127.0.0.1', DATA_DIR: directory, LOG_FORMAT: 'json' };
    const child = spawn(process.execPath, [...WITHOUT_BINARY, BUILT_PROGRAM, 'serve'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    try {
      const lines: Record<string, unknown>[] = [];
      for await (const line of createInterface(child.stderr)) {
        if (!line.startsWith('{')) continue;
        lines.push(JSON.parse(line));
        if (lines.at(-1)?.msg === 'burgee serves') break;
      }
      expect(lines.at(-1)).toMatchObject({ front: 'node' });
      const warnings = lines.filter(({ msg }) => /server of Node.*no binary for Node/.test(String(msg)));
      expect(warnings).toHaveLength(1);
      const url = `http://127.0.0.1:${lines.at(-1)?.port}`;
      expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({ status: 'READY', front: 'node' });
      const metrics = await (await fetch(`${url}/internal-backstage/prometheus`)).text();
      expect(metrics).toContain('burgee_http_front{front="node"} 1');
      expect(metrics).toContain('burgee_http_front{front="fast"} 0');
    } finally {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    }
  });
});
