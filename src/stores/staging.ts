import { begin, type LogPosition } from './lineage.ts';
import type { EventEntry } from './store.ts';

/** What a place is told of the history that it is filled with. */
export interface StagedHistory {
  /** The state's sequence number: the log goes on after it. */
  readonly seq: number;
  /** Id of the newest audit event, 0 when there never was one. */
  readonly lastEventId: number;
  /** The history it was taken from. Replicas that knew that one up to there may go on with this one. */
  readonly ancestor: LogPosition;
}

/**
 * A whole history on its way into an empty place. It is filled aside, read back, and put in place at once: whatever happens before `commit`,
 * nobody who opens the place finds any of it. In order: `putSnapshot`, `putEvents` as often as needed, `seal`, reads, `commit`, `close`.
 * What goes wrong is a StoreError with a message for people.
 */
export interface Staging {
  putSnapshot(pieces: AsyncIterable<Uint8Array>): Promise<void>;
  /** Ids ascend over all calls. */
  putEvents(events: readonly EventEntry[]): Promise<void>;
  /** Nothing more is put. */
  seal(): Promise<void>;
  /** What was put, read from the place. */
  readSnapshot(): AsyncIterable<Uint8Array>;
  /** What was put, in batches, read from the place. */
  readEvents(): AsyncIterable<readonly EventEntry[]>;
  /** Puts it in place under an epoch of its own, which it resolves with, once that is durable. */
  commit(): Promise<string>;
  /** Gives the place back; without `commit`, as it was found. */
  close(): Promise<void>;
}

/**
 * The line of a place that is filled with the history, under the epoch. Whoever fills a place decides that its history ends where it was taken: replicas that
 * knew more of it give that up. `id` names the write where nobody knows it any more, in both places alike.
 */
export function lineOf({ seq, ancestor }: StagedHistory, epoch: string, id: string): LogPosition {
  const isTip = ancestor.seq === seq;
  const writeId = (isTip && ancestor.writeId) || id;
  const [newest, ...older] = begin(epoch, isTip ? { ...ancestor, writeId } : ancestor).ancestors;
  return { epoch, seq, writeId, ancestors: newest ? [{ ...newest, isDecided: true }, ...older] : [] };
}

/** Events read at a time. */
const READ_EVENTS = 256;
/** Bytes of a batch, beside those of its last event: it is encoded, hashed and stored in one go. */
const BATCH_BYTES = 256 * 1024;

/** Every event that `read` finds, oldest first, in batches. `read` takes the id to begin at and the most it may bring. */
export async function* inBatches(
  read: (fromId: number, limit: number) => Promise<readonly EventEntry[]>,
): AsyncGenerator<readonly EventEntry[], void, void> {
  for (let fromId = 1; ; ) {
    const events = await read(fromId, READ_EVENTS);
    const last = events.at(-1);
    if (!last) return;
    yield* bySize(events);
    fromId = last.id + 1;
  }
}

function* bySize(events: readonly EventEntry[]): Generator<readonly EventEntry[], void, void> {
  let [start, batchBytes] = [0, 0];
  for (const [index, { bytes }] of events.entries()) {
    batchBytes += bytes.length;
    if (batchBytes < BATCH_BYTES && index + 1 < events.length) continue;
    yield events.slice(start, index + 1);
    [start, batchBytes] = [index + 1, 0];
  }
}
