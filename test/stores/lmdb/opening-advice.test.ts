import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../src/base/logger.ts';
import { FreeDiskSpace } from '../../../src/stores/lmdb/free-disk-space.ts';
import { LmdbEnvironment } from '../../../src/stores/lmdb/lmdb-environment.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';

const MEGABYTE = 2 ** 20;

describe('the advice about a data directory that cannot be used', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'burgee-advice-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const messageOf = async (options: Partial<ConstructorParameters<typeof LmdbStore>[0]>) => {
    const store = new LmdbStore({ directory, logger: silentLogger, ...options });
    const error = await store.open().catch((caught: Error) => caught);
    await store.close();
    return (error as Error).message;
  };
  const systemError = (code: string) => Object.assign(new Error(`${code}: refused`), { code });

  it('is to free disk space if the disk is full at the first start, not to restore a backup', async () => {
    const openEnvironment = (path: string) => new LmdbEnvironment(path, new FreeDiskSpace(() => 8 * MEGABYTE));
    const message = await messageOf({ openEnvironment });
    expect(message).toMatch(/no space left.*disk is full.*at least 20 MB/);
    expect(message).not.toContain('backup');
  });

  it('is to change the owner of a directory that belongs to another user', async () => {
    const message = await messageOf({ lock: () => Promise.reject(systemError('EACCES')) });
    expect(message).toContain(`belongs to user ${process.getuid?.()}, and Burgee runs as user ${process.getuid?.()}`);
    expect(message).toContain('chown');
  });

  it('names the cause if the disk is read-only, or too full to create the lock', async () => {
    expect(await messageOf({ lock: () => Promise.reject(systemError('EROFS')) })).toContain('read-only');
    expect(await messageOf({ lock: () => Promise.reject(systemError('ENOSPC')) })).toContain('disk is full');
  });
});
