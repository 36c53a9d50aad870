import { type Asker, assertAsked } from '../../base/asking/asker.ts';
import { isoTime } from '../../base/clock.ts';
import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { Slicer, STRETCH_BUDGET_MS } from '../../base/yield-control.ts';
import type { EventEntry } from '../../stores/store.ts';
import type { BulkPool } from '../bulk/pool.ts';
import type { DecodeEvent, EventIndex, FoundPage } from './event-index.ts';
import type { PageRange, ReadersQuery } from './query.ts';

/** Maximum number of concurrent text searches of all callers, and of one caller. Each search has a few batches of events in memory. */
const SEARCHES_MAX = 8;
const SEARCHES_OF_CALLER_MAX = 4;

/** Maximum number of batches of one search that the threads process at the same time. */
const BATCHES_MAX = 4;

/** The intended size of a batch, and the bounds of its number of events. One event may have a hundred bytes or a megabyte. */
const BATCH_BYTES = 256 * 1024;
const BATCH_EVENTS_MIN = 8;
const BATCH_EVENTS_MAX = 256;
const BATCH_EVENTS_FIRST = 16;

/** After this time a search reads no more events, and reports how far it came. The time is much shorter than the time limit of a request. */
const BUDGET_MS = 10_000;

/** After this additional time it does not wait for the threads any more: others keep them busy. */
const LAST_BATCHES_MS = 2_000;

const BUSY = new Rejection(
  'TooManyRequestsError',
  'Too many text searches are running. Try again, or search without a text: a search with only filters has no such limit.',
  [],
  1,
);

const NOT_READY = unavailable(
  'The search index of the audit log is not complete yet, because the service started a short time ago. Try again.',
  2,
);

/** The oldest event that was searched. */
interface Searched {
  readonly id: number;
  /** When it happened; undefined if it was deleted during the search. */
  readonly at: string | undefined;
}

export interface TextPage extends FoundPage {
  /** How far the search came when it ran out of time. Null: all events were searched. */
  readonly searchedDownTo: Searched | null;
}

/** A batch of events that the threads search. */
interface Batch {
  /** The ids of the events that contain the text. */
  readonly found: Promise<readonly number[]>;
  /** The id of the oldest event of the batch. */
  readonly downTo: number;
}

interface EventSearchOptions {
  readonly index: EventIndex;
  readonly pool: BulkPool;
  readonly budgetMs?: number;
  readonly lastBatchesMs?: number;
}

/**
 * Finds audit events by their fields (with the index) and by text. For a text search, the events are read newest first and passed in batches to the
 * threads of bulk evaluation, which decode and search them. The event loop only reads events and passes them to the threads.
 */
export class EventSearch {
  readonly #index: EventIndex;
  readonly #pool: BulkPool;
  readonly #budgetMs: number;
  readonly #lastBatchesMs: number;
  readonly #quota = new PerKeyQuota<string>(SEARCHES_MAX, SEARCHES_OF_CALLER_MAX);

  constructor({ index, pool, budgetMs = BUDGET_MS, lastBatchesMs = LAST_BATCHES_MS }: EventSearchOptions) {
    this.#index = index;
    this.#pool = pool;
    this.#budgetMs = budgetMs;
    this.#lastBatchesMs = lastBatchesMs;
  }

  /**
   * Like `EventIndex.search`, for events that contain the text. Rejects if too many text searches of the caller, or of all callers, run. A text
   * search ends at most `LAST_BATCHES_MS` after its budget. @throws StoreError
   */
  async find(
    query: ReadersQuery,
    text: string,
    page: PageRange,
    asker: Asker,
    decode?: DecodeEvent,
  ): Promise<TextPage | Rejection> {
    if (text === '') return { ...(await this.#index.search(query, page, asker, decode)), searchedDownTo: null };
    const { holder } = asker;
    if (!this.#quota.take(holder)) return BUSY;
    const batches: Batch[] = [];
    try {
      const startMs = performance.now();
      const firstId = await within(this.#index.catchUp(), startMs + this.#budgetMs + this.#lastBatchesMs);
      if (firstId === TIMED_OUT) return NOT_READY;
      const found = await this.#findText(query, text, page, { asker, batches, endMs: startMs + this.#budgetMs });
      if (found instanceof Rejection) return found;
      const { ids, total, searchedDownTo } = found;
      return { events: this.#index.events(ids, query, asker, decode), total, firstId, searchedDownTo };
    } finally {
      // Threads may still search batches that the search did not wait for. They count until then, so that the number of tasks stays limited.
      void Promise.allSettled(batches.map(({ found }) => found)).then(() => this.#quota.give(holder));
    }
  }

  /** Adds the batches that the threads have to `batches`, and removes those whose result it used. */
  async #findText(
    query: ReadersQuery,
    text: string,
    { fromId, limit, skip = 0 }: PageRange,
    { asker, batches, endMs }: { readonly asker: Asker; readonly batches: Batch[]; readonly endMs: number },
  ) {
    const ids: number[] = [];
    let [total, skipped, searchedId] = [0, 0, null as number | null];
    /** Returns false if the threads did not return in time. */
    const takeOldestBatch = async () => {
      const { found, downTo } = batches[0] as Batch;
      const idsInBatch = await within(found, endMs + this.#lastBatchesMs);
      if (idsInBatch === TIMED_OUT) return false;
      batches.shift();
      searchedId = downTo;
      for (const id of idsInBatch) {
        total++;
        if (id <= fromId && ids.length < limit && skipped++ >= skip) ids.push(id);
      }
      return true;
    };
    // The budget is smaller than usual, because the memory of a batch is freed in the same slice.
    const slicer = Slicer.of(asker, STRETCH_BUDGET_MS);
    let size = BATCH_EVENTS_FIRST;
    let [hasBegun, isCut] = [false, false];
    for (const batch of batchesOf(this.#index.matchingIds(query), () => size)) {
      if (slicer.spent) await slicer.pause();
      assertAsked(asker);
      if (batch.length === 0) continue;
      isCut = hasBegun && performance.now() >= endMs;
      if (isCut) break;
      hasBegun = true;
      const entries = await within(this.#index.read(batch), endMs + this.#lastBatchesMs);
      isCut = entries === TIMED_OUT;
      if (entries === TIMED_OUT) break;
      const found = this.#idsWithText(text, entries);
      // `takeOldestBatch` handles a failure later; until then it must not count as an unhandled rejection.
      found.catch(() => {});
      batches.push({ found, downTo: batch.at(-1) as number });
      size = nextSize(entries);
      isCut = batches.length >= BATCHES_MAX && !(await takeOldestBatch());
      if (isCut) break;
    }
    while (batches.length > 0 && (await takeOldestBatch()));
    isCut ||= batches.length > 0;
    if (!isCut) return { ids, total, searchedDownTo: null };
    return searchedId === null ? BUSY : { ids, total, searchedDownTo: this.#searched(searchedId) };
  }

  #searched(id: number): Searched {
    const timeMs = this.#index.timeMsOf(id);
    return { id, at: timeMs === undefined ? undefined : isoTime(timeMs) };
  }

  /** The ids of the events that contain the text. */
  async #idsWithText(text: string, entries: readonly EventEntry[]): Promise<readonly number[]> {
    if (entries.length === 0) return [];
    const ends: number[] = [];
    let sizeBytes = 0;
    for (const { bytes } of entries) {
      sizeBytes += bytes.length;
      ends.push(sizeBytes);
    }
    const bytes = new Uint8Array(sizeBytes);
    for (const [position, entry] of entries.entries()) bytes.set(entry.bytes, position === 0 ? 0 : ends[position - 1]);
    // While the search waits for the threads, only the ids stay in memory, not the events.
    const ids = entries.map(({ id }) => id);
    const positions = await this.#pool.search({ bytes, ends, text });
    return positions.map((position) => ids[position] as number);
  }
}

const TIMED_OUT = Symbol('timed out');

/** The result of the promise, or `TIMED_OUT` if there is none at this time of `performance.now()`. */
async function within<T>(promise: Promise<T>, endMs: number): Promise<T | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, endMs - performance.now()), TIMED_OUT);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The found ids in batches of `size()`, which is called for each batch. After each list of ids, yields an empty batch, so that the caller can pause.
 */
function* batchesOf(found: Iterable<readonly number[]>, size: () => number): Generator<readonly number[], void, void> {
  let waiting: readonly number[] = [];
  for (const ids of found) {
    waiting = waiting.length === 0 ? ids : [...waiting, ...ids];
    let at = 0;
    for (let end = size(); end <= waiting.length; end = at + size()) {
      yield waiting.slice(at, end);
      at = end;
    }
    waiting = waiting.slice(at);
    yield [];
  }
  if (waiting.length > 0) yield waiting;
}

/** The number of events for the next batch, estimated from the size of these entries. */
function nextSize(entries: readonly EventEntry[]): number {
  const sizeBytes = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const fitting = Math.floor((BATCH_BYTES * entries.length) / Math.max(1, sizeBytes));
  return Math.max(BATCH_EVENTS_MIN, Math.min(BATCH_EVENTS_MAX, fitting));
}
