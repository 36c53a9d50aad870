import { Packr } from 'msgpackr/pack';
import { assert } from '../base/assert.ts';
import type { Steps } from '../base/yield-control.ts';

// Long msgpack lists, packed and unpacked a few items per step. A list is its head followed by its items.

const packr = new Packr({ useRecords: false, moreTypes: false });

/** Maximum number of items unpacked in one step. */
const STEP_ITEMS = 16;

/** Maximum number of bytes unpacked in one step, unless a single change is larger. A record of at most this size is unpacked in one step. */
export const STEP_BYTES = 16 * 1024;

const ARRAY_32 = 0xdd;

/** The head of a list with this number of items. */
export function listHead(length: number): Uint8Array {
  const head = Buffer.alloc(5);
  head[0] = ARRAY_32;
  head.writeUInt32BE(length, 1);
  return head;
}

/** Unpacks `count` consecutive values from `start`. Returns the end of the last one. */
export function unpackItems(bytes: Uint8Array, start: number, count: number, take: (value: unknown) => void): number {
  let end = start;
  for (let takenCount = 0; takenCount < count; ) {
    end = unpackSome(bytes, end, count - takenCount, (value) => {
      take(value);
      takenCount++;
    });
  }
  return end;
}

/** Same as `unpackItems`, but stops after `countMax` values or `STEP_BYTES` bytes. */
function unpackSome(bytes: Uint8Array, start: number, countMax: number, take: (value: unknown) => void): number {
  let remaining = countMax;
  let read = 0;
  packr.unpackMultiple(bytes.subarray(start), (value: unknown, _from?: number, to?: number) => {
    take(value);
    assert(to !== undefined && to > read, 'it ends before its values do');
    read = to;
    remaining--;
    return remaining > 0 && read < STEP_BYTES;
  });
  assert(remaining === 0 || read >= STEP_BYTES, 'it ends before its values do');
  return start + read;
}

/** Unpacks the `count` items from `start` on, a few per step. Returns the end of the last one. */
export function* unpackInSteps(
  bytes: Uint8Array,
  start: number,
  count: number,
  take: (item: unknown) => void,
): Steps<number> {
  let at = start;
  for (let taken = 0; taken < count; ) {
    at = unpackSome(bytes, at, Math.min(STEP_ITEMS, count - taken), (item) => {
      take(item);
      taken++;
    });
    yield;
  }
  return at;
}

/** Joins the pieces into one buffer, several pieces per step: tens of megabytes must not be copied in one step. */
export function* joinPieces(pieces: readonly Uint8Array[]): Steps<Uint8Array> {
  const result = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    result.set(piece, at);
    at += piece.byteLength;
    yield;
  }
  return result;
}
