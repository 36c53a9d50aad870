import type { Steps } from '../../base/yield-control.ts';
import type { EventEntry, LogEntry } from '../store.ts';
import type { NumberedRecord } from './read-slices.ts';
import { sealInSteps, sealRecord } from './record.ts';

/** The bytes of a record's key and node header. */
const RECORD_OVERHEAD_BYTES = 32;

/** A batch as it is put into the tables. */
interface SealedBatch {
  readonly log: readonly NumberedRecord[];
  readonly events: readonly NumberedRecord[];
  readonly contentBytes: number;
}

export function* sealBatch(entries: readonly LogEntry[], events: readonly EventEntry[]): Steps<SealedBatch> {
  const log: NumberedRecord[] = [];
  const sealedEvents: NumberedRecord[] = [];
  let contentBytes = 0;
  for (const { seq, bytes } of entries) {
    const value = yield* sealInSteps(bytes, seq);
    log.push({ key: seq, value });
    contentBytes += value.length + RECORD_OVERHEAD_BYTES;
    yield;
  }
  for (const { id, bytes } of events) {
    const value = sealRecord(bytes, id);
    sealedEvents.push({ key: id, value });
    contentBytes += value.length + RECORD_OVERHEAD_BYTES;
    yield;
  }
  return { log, events: sealedEvents, contentBytes };
}
