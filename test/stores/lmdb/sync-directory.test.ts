import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import type * as Files from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { saveDivergentCommits } from '../../../src/engine/divergent-commits.ts';
import { State } from '../../../src/state/state.ts';
import { KIND, writeFramedFile } from '../../../src/stores/local/framed-file.ts';
import { syncDirectory } from '../../../src/stores/local/private-files.ts';

const disk = vi.hoisted(() => ({ error: '' }));

/** A disk that stores files, and fails to sync directories. */
vi.mock('node:fs/promises', async (importActual) => {
  const actual = await importActual<typeof Files>();
  const open = async (...args: Parameters<typeof Files.open>) => {
    const file = await actual.open(...args);
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

/** Writers of files beside the store, which must survive a crash. */
const WRITERS: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['a framed file', () => writeFramedFile(join(directory, 'copy'), frames())],
  [
    'divergent commits',
    () => {
      const divergence = { position: { epoch: 'e1', writeId: 'w1', seq: 7, ancestors: [] }, commonSeq: 5 };
      return saveDivergentCommits(directory, divergence, [], { before: new State(), after: new State() }, systemClock);
    },
  ],
];

it.each(WRITERS)('Writing %s fails if the disk fails to sync the directory', async (_what, write) => {
  for (const code of ['EIO', 'ENOSPC']) {
    disk.error = code;
    await expect(write()).rejects.toMatchObject({ code });
  }
});

it.each(WRITERS)('Writing %s succeeds on a file system that cannot sync directories', async (_what, write) => {
  disk.error = 'EINVAL';
  await write();
});

it('Syncing a directory that cannot be opened does nothing', async () => {
  await syncDirectory(join(directory, 'missing'));
  expect(existsSync(join(directory, 'missing'))).toBe(false);
});
