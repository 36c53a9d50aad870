import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { saveDivergentCommits } from '../../src/engine/divergent-commits.ts';
import { State } from '../../src/state/state.ts';
import { KIND, writeFramedFile } from '../../src/stores/local/framed-file.ts';
import { syncDirectory } from '../../src/stores/local/private-files.ts';

const disk = vi.hoisted(() => ({ error: '' }));

/** A disk that takes files, and fails when a directory is to be made durable. */
vi.mock('node:fs/promises', async (importActual) => {
  const actual = await importActual<typeof Files>();
  const open = async (...given: Parameters<typeof Files.open>) => {
    const file = await actual.open(...given);
    if (disk.error !== '' && (await file.stat()).isDirectory())
      file.sync = () => Promise.reject(Object.assign(new Error(disk.error), { code: disk.error }));
    return file;
  };
  return { ...actual, open };
});

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'burgee-sync-'));
});

afterEach(() => {
  disk.error = '';
  rmSync(directory, { recursive: true });
});

async function* frames() {
  yield { kind: KIND.end, bytes: Buffer.from('{}') };
}

/** Whatever is written beside the store and has to be there after a crash. */
const WRITERS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a framed file', () => writeFramedFile(join(directory, 'copy'), frames())],
  [
    'what was given up',
    () => {
      const divergence = { position: { epoch: 'e1', writeId: 'w1', seq: 7, ancestors: [] }, commonSeq: 5 };
      return saveDivergentCommits(directory, divergence, [], { before: new State(), after: new State() }, systemClock);
    },
  ],
];

it.each(WRITERS)('The name of %s is not told to be durable when the disk fails', async (_what, write) => {
  for (const code of ['EIO', 'ENOSPC']) {
    disk.error = code;
    await expect(write()).rejects.toMatchObject({ code });
  }
});

it.each(WRITERS)('The name of %s is left to a file system that makes no directory durable', async (_what, write) => {
  disk.error = 'EINVAL';
  await write();
});

it('A directory that cannot be opened to be made durable is left to its file system', async () => {
  await syncDirectory(join(directory, 'missing'));
  expect(existsSync(join(directory, 'missing'))).toBe(false);
});
