import { describe, expect, it } from 'vitest';
import { missingBinary } from '../src/products/program/missing-binary.ts';

const HEAD =
  'This version of uWS.js supports only Node.js versions 16, 18, 20, 21, 22, 24 and 25 on (glibc) Linux, macOS and Windows.';
const thrown = (reason: string) => new Error(`${HEAD}\n\nError: ${reason}`);
const DEBIAN_12 = { node: '24.11.0', platform: 'linux', arch: 'x64', glibc: '2.36' };

describe('the message when the binary of the HTTP server does not load', () => {
  it('names the C library that is needed, the one that is there, and what to do', () => {
    const reason =
      "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.38' not found (required by /app/uws_linux_x64_137.node)";
    const message = missingBinary(thrown(reason), DEBIAN_12);
    expect(message).toMatch(/glibc 2\.38.*has 2\.36.*Node 20/);
    expect(message).not.toContain('\n');
  });

  it('tells a Linux without glibc, and a Node without a binary, from an old glibc', () => {
    const missing = thrown('Cannot find module ./uws_linux_x64_131.node');
    expect(missingBinary(missing, { ...DEBIAN_12, glibc: undefined })).toContain('Alpine');
    expect(missingBinary(missing, { ...DEBIAN_12, node: '23.1.0', glibc: '2.41' })).toMatch(
      /no binary for Node 23\.1\.0 on linux x64/,
    );
  });

  it('leaves every other error alone', () => {
    expect(missingBinary(new Error('something else'), DEBIAN_12)).toBeUndefined();
    expect(missingBinary('no error', DEBIAN_12)).toBeUndefined();
  });
});
