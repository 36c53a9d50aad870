import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { missingBinary } from '../src/http/front/fast/missing-binary.ts';
import { BUILT_PROGRAM } from './support/built-program.ts';

const HEAD =
  'This version of uWS.js supports only Node.js versions 16, 18, 20, 21, 22, 24 and 25 on (glibc) Linux, macOS and Windows.';
const thrown = (reason: string) => new Error(`${HEAD}\n\nError: ${reason}`);
const dataUrl = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`;
const DEBIAN_12 = { node: '24.11.0', platform: 'linux', arch: 'x64', glibc: '2.36' };

describe('the message when the binary of the HTTP server does not load', () => {
  it('contains the required C library, the present one, and a solution', () => {
    const reason =
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /app/uws_linux_x64_137.node)";
    const message = missingBinary(thrown(reason), DEBIAN_12);
    expect(message).toMatch(/glibc 2\.38.*has 2\.36.*Node 20/);
    expect(message).not.toContain('\n');
  });

  it('distinguishes a Linux without glibc, a Node without a binary, and an old glibc', () => {
    const missing = thrown('Cannot find module ./uws_linux_x64_131.node');
    expect(missingBinary(missing, { ...DEBIAN_12, glibc: undefined })).toContain('Alpine');
    expect(missingBinary(missing, { ...DEBIAN_12, node: '23.1.0', glibc: '2.41' })).toMatch(
      /no binary for Node 23\.1\.0 on linux x64/,
    );
  });

  it('is printed as one line by each command that serves, with the exit code 1', () => {
    const failing = dataUrl(
      `export default undefined; throw new Error(${JSON.stringify(`${HEAD}\n\nError: Cannot find module`)})`,
    );
    const hook = `export const resolve = (name, context, next) =>
      name.includes('uWebSockets') ? { url: ${JSON.stringify(failing)}, shortCircuit: true } : next(name, context);`;
    const preload = dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))});`);
    for (const command of [
      ['serve'],
      ['relay', '--upstream-url', 'http://127.0.0.1:9'],
      ['offline', '-b', 'x', '-c', 'y'],
    ]) {
      const run = spawnSync(process.execPath, ['--import', preload, BUILT_PROGRAM, ...command], {
        encoding: 'utf8',
        env: {},
      });
      expect([command, run.status, run.stdout]).toEqual([command, 1, '']);
      expect(run.stderr).toMatch(new RegExp(`^burgee ${command[0]}: the HTTP server.*\\n$`));
    }
  });

  it('is not used for other errors', () => {
    expect(missingBinary(new Error('something else'), DEBIAN_12)).toBeUndefined();
    expect(missingBinary('no error', DEBIAN_12)).toBeUndefined();
  });
});
