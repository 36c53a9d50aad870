import { isSystemError } from '../../../base/system-error.ts';
import { StateReplacedError } from '../../../state/snapshot.ts';
import { NoSpaceError } from '../../../stores/local/disk-space.ts';
import { FramedFileError } from '../../../stores/local/framed-file.ts';
import { StoreError } from '../../../stores/store.ts';

/**
 * Why a backup could not be written, as the end of a sentence, if the cause is outside this program: the disk, its rights, the store. Undefined for
 * other errors, which are defects.
 */
export function failureOf(error: unknown): string | undefined {
  if (error instanceof StoreError) return `the store cannot be read now: ${error.message}`;
  if (error instanceof NoSpaceError || error instanceof FramedFileError) return error.message;
  if (error instanceof StateReplacedError) return 'the state was replaced by the one of Redis meanwhile';
  return isSystemError(error) ? `its file cannot be written or read: ${error.message}` : undefined;
}
