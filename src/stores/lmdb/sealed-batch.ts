import type { Steps } from '../../base/yield-control.ts';
import type { NumberedFact } from '../facts.ts';
import type { EventEntry, LogEntry } from '../store.ts';
import { factContentBytes } from './fact-pages.ts';
import type { NumberedRecord } from './read-slices.ts';
import { sealInSteps, sealRecord } from './record.ts';

/** Key and node header of a record. */
const RECORD_OVERHEAD_BYTES = 32;

/** A batch as it is put. */
interface SealedBatch {
  readonly log: readonly NumberedRecord[];
  readonly trail: readonly NumberedRecord[];
  readonly facts: readonly NumberedFact[];
  readonly contentBytes: number;
}

export function* sealBatch(entries: readonly LogEntry[], events: readonly EventEntry[]): Steps<SealedBatch> {
  const log: NumberedRecord[] = [];
  const trail: NumberedRecord[] = [];
  const facts: NumberedFact[] = [];
  let contentBytes = 0;
  for (const { seq, bytes } of entries) {
    const value = yield* sealInSteps(bytes, seq);
    log.push({ key: seq, value });
    contentBytes += value.length + RECORD_OVERHEAD_BYTES;
    yield;
  }
  for (const { id, bytes, fact } of events) {
    const value = sealRecord(bytes, id);
    if (fact) facts.push({ id, fact });
    trail.push({ key: id, value });
    contentBytes += value.length + RECORD_OVERHEAD_BYTES;
    yield;
  }
  if (facts.length > 0) contentBytes += factContentBytes(facts.length);
  return { log, trail, facts, contentBytes };
}
