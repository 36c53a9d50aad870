import { Slicer } from '../../base/yield-control.ts';
import type { NumberedTable } from './lmdb-environment.ts';

export interface NumberedRecord {
  readonly key: number;
  readonly value: Buffer;
}

/** At most `limit` records from `start` on (downwards when `reverse`), without holding the event loop for longer than a slice. */
export async function readSlices(
  table: () => NumberedTable,
  range: { start: number; limit: number; reverse?: boolean },
): Promise<NumberedRecord[]> {
  const { limit, reverse = false } = range;
  const slicer = new Slicer();
  const records: NumberedRecord[] = [];
  let { start } = range;
  while (records.length < limit) {
    let more = false;
    for (const { key, value } of table().getRange({ start, limit: limit - records.length, reverse })) {
      records.push({ key, value });
      start = reverse ? key - 1 : key + 1;
      more = slicer.spent;
      if (more) break;
    }
    if (!more) break;
    await slicer.pause();
  }
  return records;
}
