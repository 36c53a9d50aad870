import { SERVICE } from '../../base/asking/asker.ts';
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

/**
 * Reads and decodes at most `limit` records, beginning at `start`. Does not block the event loop for longer than a slice. `currentTable` is called
 * after every pause, because the files of the store may have been replaced during the pause.
 */
export async function readSlices<T>(
  currentTable: () => NumberedTable,
  { start: from, limit, reverse = false }: SliceRange,
  decode: (record: NumberedRecord, index: number) => T,
): Promise<T[]> {
  const slicer = Slicer.of(SERVICE);
  const results: T[] = [];
  let start = from;
  while (results.length < limit) {
    let hasMore = false;
    for (const record of currentTable().getRange({ start, limit: limit - results.length, reverse })) {
      results.push(decode(record, results.length));
      start = reverse ? record.key - 1 : record.key + 1;
      hasMore = slicer.spent;
      if (hasMore) break;
    }
    if (!hasMore) break;
    await slicer.pause();
  }
  return results;
}
