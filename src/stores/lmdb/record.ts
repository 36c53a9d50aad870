import { crc32 } from 'node:zlib';
import type { Steps } from '../../base/yield-control.ts';
import { UnusableDataError } from '../store.ts';
import { LOST_DATA_ADVICE } from './data-file.ts';

const CHECKSUM_BYTES = 4;

/**
 * A stored record is its CRC-32 and then its bytes. LMDB has no checksums: without this checksum, a page that the disk lost would be read as zeros
 * and accepted as a commit. The CRC of a numbered record starts with the number, so that a record with a damaged key is not accepted under that
 * key.
 */
export function sealRecord(bytes: Uint8Array, number = 0): Buffer {
  const sealed = Buffer.allocUnsafe(CHECKSUM_BYTES + bytes.length);
  sealed.writeUInt32LE(crc32(bytes, number >>> 0), 0);
  sealed.set(bytes, CHECKSUM_BYTES);
  return sealed;
}

/** The number of bytes that `sealInSteps` copies in one step. */
const STEP_BYTES = 256 * 1024;

/** Same as `sealRecord`, in steps: the record of an import can have tens of megabytes. */
export function* sealInSteps(bytes: Uint8Array, number: number): Steps<Buffer> {
  if (bytes.length <= STEP_BYTES) return sealRecord(bytes, number);
  const sealed = Buffer.allocUnsafeSlow(CHECKSUM_BYTES + bytes.length);
  let checksum = number >>> 0;
  for (let start = 0; start < bytes.length; start += STEP_BYTES) {
    const piece = bytes.subarray(start, start + STEP_BYTES);
    checksum = crc32(piece, checksum);
    sealed.set(piece, CHECKSUM_BYTES + start);
    yield;
  }
  sealed.writeUInt32LE(checksum, 0);
  return sealed;
}

/** The bytes of a sealed record. `name` is the record's name in messages. @throws StoreError when the checksum does not match. */
export function unsealRecord(sealed: Uint8Array, name: string, number = 0): Uint8Array {
  const bytes = sealed.subarray(CHECKSUM_BYTES);
  const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  const isDamaged =
    !Number.isSafeInteger(number) ||
    sealed.length < CHECKSUM_BYTES ||
    view.getUint32(0, true) !== crc32(bytes, number >>> 0);
  if (isDamaged) {
    throw new UnusableDataError(`${name} is damaged: its checksum does not match. ${LOST_DATA_ADVICE}`);
  }
  return bytes;
}
