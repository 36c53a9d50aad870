import { begin, type LogPosition } from './lineage.ts';
import type { EventEntry } from './store.ts';

/** Describes the history with which an empty location is filled. */
export interface StagedHistory {
  /** The state's sequence number: the log continues after it. */
  readonly seq: number;
  /** Id of the newest audit event, 0 when there never was one. */
  readonly lastEventId: number;
  /** The position in the source history. Replicas that know the source up to there may continue with this history. */
  readonly ancestor: LogPosition;
}

/**
 * Fills an empty location with a whole history. The data is written aside and read back; `commit` then makes it the content of the location in one
 * step. Until then, a store that opens the location finds none of it. Order of calls: `putSnapshot`, `putEvents` as often as needed, `seal`, reads,
 * `commit`, `close`. Every failure is a StoreError with a message for people.
 */
export interface Staging {
  putSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Adds audit events. Ids ascend over all calls. */
  putEvents(events: readonly EventEntry[]): Promise<void>;
  /** Ends the adding of data: nothing is put after this call. */
  seal(): Promise<void>;
  /** The pieces that were put, read back from the location. */
  readSnapshot(): AsyncIterable<Uint8Array>;
  /** The events that were put, in batches, read back from the location. */
  readEvents(): AsyncIterable<readonly EventEntry[]>;
  /** Makes the data the content of the location, under a new epoch. Resolves with the epoch once this is durable. */
  commit(): Promise<string>;
  /** Releases the location. Without `commit`, the location is as it was before. */
  close(): Promise<void>;
}

/**
 * The line of a location that is filled with the history, under the epoch. The operator who fills a location decides that the history ends at this
 * state: replicas that know later entries discard them. `id` is used as the `writeId` if that is not known, both in the line and in its newest
 * ancestor.
 */
export function lineOf({ seq, ancestor }: StagedHistory, epoch: string, id: string): LogPosition {
  const isTip = ancestor.seq === seq;
  const writeId = (isTip && ancestor.writeId) || id;
  const [newest, ...older] = begin(epoch, isTip ? { ...ancestor, writeId } : ancestor).ancestors;
  return { epoch, seq, writeId, ancestors: newest ? [{ ...newest, isDecided: true }, ...older] : [] };
}

/** The number of events that one read returns. */
const READ_EVENTS = 256;
/** The most bytes of a batch without its last event. It is limited because a batch is encoded, hashed and stored in one step. */
const BATCH_BYTES = 256 * 1024;

/** Every event that `read` returns, oldest first, in batches. `read` gets the first id and the maximum number of events. */
export async function* inBatches(
  read: (fromId: number, limit: number) => Promise<readonly EventEntry[]>,
): AsyncGenerator<readonly EventEntry[], void, void> {
  for (let fromId = 1; ; ) {
    const events = await read(fromId, READ_EVENTS);
    const last = events.at(-1);
    if (!last) return;
    yield* splitBySize(events);
    fromId = last.id + 1;
  }
}

function* splitBySize(events: readonly EventEntry[]): Generator<readonly EventEntry[], void, void> {
  let [start, batchBytes] = [0, 0];
  for (const [index, { bytes }] of events.entries()) {
    batchBytes += bytes.length;
    if (batchBytes < BATCH_BYTES && index + 1 < events.length) continue;
    yield events.slice(start, index + 1);
    [start, batchBytes] = [index + 1, 0];
  }
}
