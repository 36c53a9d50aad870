import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readBoundedFile } from '../../src/base/bounded-file.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'burgee-bounded-'));
});

afterAll(() => rm(directory, { recursive: true, force: true }));

const at = (name: string) => join(directory, name);

it('reads a file up to the bound, through links, also when the system reports no size for it', async () => {
  const bytes = Buffer.alloc(3_000_000, 'x');
  await writeFile(at('file'), bytes);
  await symlink('file', at('link'));
  for (const name of ['file', 'link']) {
    expect((await readBoundedFile(at(name), bytes.length)).equals(bytes)).toBe(true);
    await expect(readBoundedFile(at(name), bytes.length - 1)).rejects.toThrow('it is larger than 2999999 bytes');
  }
  await writeFile(at('empty'), '');
  expect(await readBoundedFile(at('empty'), 0)).toHaveLength(0);
  // The system reports a size of 0 for it.
  const status = await readBoundedFile('/proc/self/status', 1_000_000);
  expect(status.toString()).toContain('Pid:');
  await expect(readBoundedFile('/proc/self/status', 10)).rejects.toThrow('it is larger than 10 bytes');
});

it('refuses everything except regular files: devices, pipes, directories', async () => {
  await symlink('/dev/zero', at('endless'));
  execFileSync('mkfifo', [at('pipe')]);
  await mkdir(at('directory'));
  for (const name of ['endless', 'pipe'])
    await expect(readBoundedFile(at(name), 1_000)).rejects.toThrow('it is a pipe or a device');
  await expect(readBoundedFile(at('directory'), 1_000)).rejects.toThrow('it is a directory');
  await expect(readBoundedFile(at('nothing'), 1_000)).rejects.toMatchObject({ code: 'ENOENT' });
});
