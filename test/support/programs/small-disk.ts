import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../../../src/base/logger.ts';
import { FreeDiskSpace } from '../../../src/stores/lmdb/free-disk-space.ts';
import { LmdbEnvironment } from '../../../src/stores/lmdb/lmdb-environment.ts';
import { LmdbStore } from '../../../src/stores/lmdb/lmdb-store.ts';
import { freeBytesOf } from '../../../src/stores/local/disk-space.ts';

const DISK_MEGABYTES = 48;
const MEGABYTE = 2 ** 20;

/** A small disk when this user may mount one; else a directory, with a store that gets its free space from the test. */
export class SmallDisk {
  readonly directory = mkdtempSync(join(tmpdir(), 'burgee-small-disk-'));
  readonly isReal: boolean;
  #simulated = Number.POSITIVE_INFINITY;

  constructor(sizeMegabytes = DISK_MEGABYTES) {
    const mount = ['-t', 'tmpfs', '-o', `size=${sizeMegabytes}m`, 'tmpfs', this.directory];
    this.isReal = process.platform === 'linux' && spawnSync('mount', mount, { stdio: 'ignore' }).status === 0;
  }

  store(): LmdbStore {
    const space = new FreeDiskSpace(this.isReal ? () => freeBytesOf(this.directory) : () => this.#simulated);
    const openEnvironment = (path: string) => new LmdbEnvironment(path, space);
    return new LmdbStore({ directory: this.directory, logger: silentLogger, openEnvironment });
  }

  /** Fills the disk from outside, except `leftBytes`. */
  fill(leftBytes: number): void {
    this.#simulated = leftBytes;
    if (!this.isReal) return;
    const file = openSync(join(this.directory, 'ballast'), 'a');
    const block = Buffer.alloc(MEGABYTE / 4);
    try {
      for (;;) {
        const { bavail, bsize } = statfsSync(this.directory);
        const bytes = Math.min(block.length, bavail * bsize - leftBytes);
        if (bytes <= 0 || writeSync(file, block, 0, bytes) === 0) return;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    this.#simulated = Number.POSITIVE_INFINITY;
    rmSync(join(this.directory, 'ballast'), { force: true });
  }

  dispose(): void {
    if (this.isReal) spawnSync('umount', ['-l', this.directory]);
    rmSync(this.directory, { recursive: true, force: true });
  }
}
