import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { DamagedRecordError, UnknownFormatError } from '../../state/stored-schema.ts';
import { STORE_FILES } from '../../stores/lmdb/data-file.ts';
import { UnusableDataError } from '../../stores/store.ts';

/** Whether the stored data cannot be used as it is. Other errors, such as a full disk or another process, say nothing about the data. */
export function isUnusableData(error: unknown): boolean {
  return [UnusableDataError, DamagedRecordError, UnknownFormatError].some((kind) => error instanceof kind);
}

/**
 * Moves the files of a store that cannot be used into a folder of their own, so that the service starts with an empty store and fetches its data again.
 * Only for services whose data is a copy: nothing is deleted, because a wrong DATA_DIR may be that of a server.
 * @throws errors of the file system
 */
export async function setAside(directory: string, error: Error, nowMs: number, logger: Logger): Promise<void> {
  const folder = join(directory, `unusable-${isoTime(nowMs).replaceAll(':', '-')}`);
  await mkdir(folder, { mode: 0o700 });
  for (const name of STORE_FILES) {
    await rename(join(directory, name), join(folder, name)).catch((problem: NodeJS.ErrnoException) => {
      if (problem.code !== 'ENOENT') throw problem;
    });
  }
  logger.error(
    { reason: error.message, folder },
    'the stored data cannot be used: it was moved to `folder`, and everything is fetched again from upstream',
  );
}
