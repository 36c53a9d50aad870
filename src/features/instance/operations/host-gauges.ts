import { statSync } from 'node:fs';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { DATA_FILE } from '../../../stores/lmdb/data-file.ts';
import { diskOf } from '../../../stores/local/disk-space.ts';
import { type Gauge, gauge } from '../../shared/gauge.ts';

/** The disk and the memory that Burgee has, so that alerts need no metrics of other programs. */
export const HOST_GAUGES: readonly Gauge[] = [
  gauge(
    'burgee_disk_free_bytes',
    'Free space on the disk of DATA_DIR; left out if there is no such directory',
    ({ config }) => diskOf(config.dataDirectory)?.freeBytes,
  ),
  gauge(
    'burgee_disk_size_bytes',
    'Size of the disk of DATA_DIR; left out if there is no such directory',
    ({ config }) => diskOf(config.dataDirectory)?.sizeBytes,
  ),
  gauge(
    'burgee_data_file_bytes',
    'Size of the data file of the embedded store; left out if there is none',
    ({ config }) => sizeOf(join(config.dataDirectory, DATA_FILE)),
  ),
  gauge(
    'burgee_memory_limit_bytes',
    'Memory that the process may use: the limit of its container, or the memory of the machine',
    () => Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
  ),
];

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
