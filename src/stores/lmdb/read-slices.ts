import { Slicer } from '../../base/yield-control.ts';
import type { NumberedTable } from './lmdb-environment.ts';

export interface NumberedRecord {
  readonly key: number;
  /** The value as stored: it is still sealed. */
  readonly value: Buffer;
}

interface SliceRange {
  readonly start: number;
  readonly limit: number;
  /** Reads downwards from `start`. */
  readonly reverse?: boolean;
}

/** Reads and decodes at most `limit` records, beginning at `start`. Does not block the event loop for longer than a slice. */
export async function readSlices<T>(
  table: () => NumberedTable,
  { start: from, limit, reverse = false }: SliceRange,
  decode: (record: NumberedRecord, index: number) => T,
): Promise<T[]> {
  const slicer = new Slicer();
  const decoded: T[] = [];
  let start = from;
  while (decoded.length < limit) {
    let more = false;
    for (const record of table().getRange({ start, limit: limit - decoded.length, reverse })) {
      decoded.push(decode(record, decoded.length));
      start = reverse ? record.key - 1 : record.key + 1;
      more = slicer.spent;
      if (more) break;
    }
    if (!more) break;
    await slicer.pause();
  }
  return decoded;
}
