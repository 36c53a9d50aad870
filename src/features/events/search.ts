import { PerKeyQuota } from '../../base/per-key-quota.ts';
import { Slicer, STRETCH_BUDGET_MS } from '../../base/yield-control.ts';
import type { EventEntry } from '../../stores/store.ts';
import type { BulkPool } from '../bulk/pool.ts';
import type { EventIndex, FoundPage } from './event-index.ts';
import type { EventQuery, PageRange } from './query.ts';

/** Searches for text under way at once, and those of one caller. Each holds a few batches of events; what waits for its turn holds none. */
const SEARCHES_MAX = 8;
const SEARCHES_OF_CALLER_MAX = 4;

/** Batches of one search that threads have at a time. */
const BATCHES_MAX = 4;

/** What a batch is meant to come to, and its events at the least and at the most: they may have a hundred bytes or a megabyte each. */
const BATCH_BYTES = 256 * 1024;
const BATCH_EVENTS_MIN = 8;
const BATCH_EVENTS_MAX = 256;
const BATCH_EVENTS_FIRST = 16;

/** How long a search goes on before it tells how far it came: well within what a request may take. */
const BUDGET_MS = 10_000;

export interface TextPage extends FoundPage {
  /** When the search was cut off: the oldest event it looked at. Null: it looked at all of them. */
  readonly searchedDownTo: number | null;
}

interface EventSearchOptions {
  readonly index: EventIndex;
  readonly pool: BulkPool;
  readonly budgetMs?: number;
}

/**
 * Finds audit events by what they tell (the index) and by text. Text is looked for in the events themselves, which are read newest first and handed
 * to the threads of bulk evaluation in batches: the event loop reads and hands on, and does not look into them.
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

  /** As `EventIndex.search`, of events that hold the text. Undefined: the caller, or all of them together, search for too much already. @throws StoreError */
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
    const underWay: Promise<readonly number[]>[] = [];
    const ids: number[] = [];
    let [total, before, searchedDownTo] = [0, 0, null as number | null];
    const take = async () => {
      for (const id of (await underWay.shift()) ?? []) {
        total++;
        if (id <= fromId && ids.length < limit && before++ >= skip) ids.push(id);
      }
    };
    const endMs = performance.now() + this.#budgetMs;
    // Memory that is given back afterwards is of the same turn.
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
      const holding = this.#holding(text, entries);
      // A failure is looked at when its turn comes; until then it must not count as unhandled.
      holding.catch(() => {});
      underWay.push(holding);
      size = nextSize(entries);
      lookedDownTo = batch.at(-1) as number;
      if (underWay.length >= BATCHES_MAX) await take();
    }
    while (underWay.length > 0) await take();
    return { events: this.#index.events(ids, query), total, firstId, searchedDownTo };
  }

  /** The ids of those that hold the text. */
  async #holding(text: string, entries: readonly EventEntry[]): Promise<readonly number[]> {
    if (entries.length === 0) return [];
    const ends: number[] = [];
    let sizeBytes = 0;
    for (const { bytes } of entries) {
      sizeBytes += bytes.length;
      ends.push(sizeBytes);
    }
    const bytes = new Uint8Array(sizeBytes);
    for (const [place, entry] of entries.entries()) bytes.set(entry.bytes, place === 0 ? 0 : ends[place - 1]);
    // What the answer is waited with is small: not the events.
    const ids = entries.map(({ id }) => id);
    const places = await this.#pool.search({ bytes, ends, text });
    return places.map((place) => ids[place] as number);
  }
}

/** What was found in batches of so many, as is asked before each; and nothing, for a pause, where none is full yet. */
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

/** As many events as these have come to, for a batch. */
function nextSize(entries: readonly EventEntry[]): number {
  const sizeBytes = entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const fitting = Math.floor((BATCH_BYTES * entries.length) / Math.max(1, sizeBytes));
  return Math.max(BATCH_EVENTS_MIN, Math.min(BATCH_EVENTS_MAX, fitting));
}
