import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Slicer, STRETCH_BUDGET_MS } from '../../base/yield-control.ts';
import type { EventEntry } from '../../stores/store.ts';
import type { BulkPool } from '../bulk/pool.ts';
import type { EventIndex, FoundPage } from './event-index.ts';
import type { EventQuery, PageRange } from './query.ts';

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

/** After this time a search stops and reports how far it came. The time is much shorter than the time limit of a request. */
const BUDGET_MS = 10_000;

export interface TextPage extends FoundPage {
  /** The id of the oldest event that was searched, if the search ran out of time. Null: all events were searched. */
  readonly searchedDownTo: number | null;
}

interface EventSearchOptions {
  readonly index: EventIndex;
  readonly pool: BulkPool;
  readonly budgetMs?: number;
}

/**
 * Finds audit events by their fields (with the index) and by text. For a text search, the events are read newest first and passed in batches to the
 * threads of bulk evaluation, which decode and search them. The event loop only reads events and passes them to the threads.
 */
export class EventSearch {
  readonly #index: EventIndex;
  readonly #pool: BulkPool;
  readonly #budgetMs: number;
  readonly #quota = new PerKeyQuota<string>(SEARCHES_MAX, SEARCHES_OF_CALLER_MAX);

  constructor({ index, pool, budgetMs = BUDGET_MS }: EventSearchOptions) {
    this.#index = index;
    this.#pool = pool;
    this.#budgetMs = budgetMs;
  }

  /**
   * Like `EventIndex.search`, for events that contain the text. Returns undefined if too many text searches of the caller, or of all callers, run.
   * @throws StoreError
   */
  async find(query: EventQuery, text: string, page: PageRange, holder: string): Promise<TextPage | undefined> {
    if (text === '') return { ...(await this.#index.search(query, page)), searchedDownTo: null };
    if (!this.#quota.take(holder)) return undefined;
    try {
      return await this.#findText(query, text, page);
    } finally {
      this.#quota.give(holder);
    }
  }

  async #findText(query: EventQuery, text: string, { fromId, limit, skip = 0 }: PageRange): Promise<TextPage> {
    const firstId = await this.#index.catchUp();
    const results: Promise<readonly number[]>[] = [];
    const ids: number[] = [];
    let [total, skipped, searchedDownTo] = [0, 0, null as number | null];
    const takeOldestResult = async () => {
      for (const id of (await results.shift()) ?? []) {
        total++;
        if (id <= fromId && ids.length < limit && skipped++ >= skip) ids.push(id);
      }
    };
    const endMs = performance.now() + this.#budgetMs;
    // The budget is smaller than usual, because the memory of a batch is freed in the same slice.
    const slicer = new Slicer(STRETCH_BUDGET_MS);
    let size = BATCH_EVENTS_FIRST;
    let lookedDownTo: number | null = null;
    for (const batch of batchesOf(this.#index.matchingIds(query), () => size)) {
      if (slicer.spent) await slicer.pause();
      if (batch.length === 0) continue;
      if (lookedDownTo !== null && performance.now() >= endMs) {
        searchedDownTo = lookedDownTo;
        break;
      }
      const entries = await this.#index.read(batch);
      const result = this.#idsWithText(text, entries);
      // `takeOldestResult` handles a failure later; until then it must not count as an unhandled rejection.
      result.catch(() => {});
      results.push(result);
      size = nextSize(entries);
      lookedDownTo = batch.at(-1) as number;
      if (results.length >= BATCHES_MAX) await takeOldestResult();
    }
    while (results.length > 0) await takeOldestResult();
    return { events: this.#index.events(ids, query), total, firstId, searchedDownTo };
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
