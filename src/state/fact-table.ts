import { assert } from '../base/assert.ts';
import type { Steps } from '../base/yield-control.ts';
import {
  type EventQuery,
  FACT,
  FACT_BYTES,
  FACT_WORDS,
  type FactPage,
  factMatcher,
  NO_USER,
  putFacts,
} from './event-facts.ts';

/** Facts of one page, and events that a search looks at in one step: some tens of microseconds. */
const PAGE_FACTS = 4_096;

/** Where a page of found events begins, and how long it is. */
export interface EventPage {
  /** The newest id that is on it. */
  readonly fromId: number;
  readonly limit: number;
  /** How many of those before are left out. */
  readonly skip?: number;
  /** Looks no further once the page is full: `total` is then only what was seen, from `fromId` on. */
  readonly untilFull?: boolean;
}

export interface FoundEvents {
  /** Newest first. */
  readonly ids: readonly number[];
  /** How many match, on this page or not. */
  readonly total: number;
}

/**
 * The facts of all events there are, in memory, as columns: 40 bytes an event. A search looks at every one of them, newest first, at about a nanosecond a
 * piece: a million take a few milliseconds, in steps. Indexes by value would take as much memory again, and find only what one of them is for.
 */
export class FactTable {
  /** By number. Those before the oldest event are dropped. */
  readonly #pages = new Map<number, FactPage>();
  /** As ids count from 1, the fact of an id is at `id - 1`. */
  #first = 0;
  #end = 0;

  /** The id of the next event that is added; all before it are there, from `firstId` on. */
  get nextId(): number {
    return this.#end + 1;
  }

  get firstId(): number {
    return this.#first + 1;
  }

  get size(): number {
    return this.#end - this.#first;
  }

  /** Adds the facts of the events from `nextId` on. */
  append(facts: Uint8Array): void {
    assert(facts.length % FACT_BYTES === 0, 'facts are of equal size');
    for (let at = 0; at < facts.length; ) {
      const place = this.#end % PAGE_FACTS;
      const length = Math.min(facts.length - at, (PAGE_FACTS - place) * FACT_BYTES);
      putFacts(this.#pageOf(this.#end), place, facts.subarray(at, at + length));
      this.#end += length / FACT_BYTES;
      at += length;
    }
  }

  /** The trail begins with this event: what comes before is found no longer, and its pages are given back. */
  dropBefore(firstId: number): void {
    const first = firstId - 1;
    if (first <= this.#first) return;
    const wholePages = Math.floor(Math.min(first, this.#end) / PAGE_FACTS);
    for (let page = Math.floor(this.#first / PAGE_FACTS); page < wholePages; page++) this.#pages.delete(page);
    if (first >= this.#end) this.#pages.clear();
    this.#first = first;
    this.#end = Math.max(this.#end, first);
  }

  /** The events that match, a step a few thousand of them. What is added meanwhile is not found. */
  *find(query: EventQuery, { fromId, limit, skip = 0, untilFull = false }: EventPage): Steps<FoundEvents> {
    const { first, matches } = factMatcher(query);
    const wanted = query.ids;
    const ids: number[] = [];
    let [total, before] = [0, 0];
    const [oldest, newest] = [this.#first, untilFull ? Math.min(this.#end, fromId) : this.#end];
    for (let index = Math.ceil(newest / PAGE_FACTS) - 1; index >= Math.floor(oldest / PAGE_FACTS); index--) {
      const page = this.#pages.get(index);
      // Dropped meanwhile, with all before it.
      if (!page) break;
      const { words, size } = page;
      const column = first ? first.word * size : 0;
      const start = index * PAGE_FACTS;
      for (let place = Math.min(newest - start, PAGE_FACTS) - 1; place >= Math.max(0, oldest - start); place--) {
        if (first && words[column + place] !== first.bits) continue;
        const id = start + place + 1;
        if (wanted && !wanted.has(id)) continue;
        if (!matches(page, place)) continue;
        total++;
        if (id > fromId || ids.length >= limit) continue;
        if (before++ < skip) continue;
        ids.push(id);
        if (untilFull && ids.length >= limit) return { ids, total };
      }
      yield;
    }
    return { ids, total };
  }

  /** Shows every fact from `fromId` on, oldest first, a step a few thousand of them. Tells the id to go on from. */
  *scan(fromId: number, look: (page: FactPage, place: number) => void): Steps<number> {
    const newest = this.#end;
    for (let at = Math.max(fromId - 1, this.#first); at < newest; ) {
      const number = Math.floor(at / PAGE_FACTS);
      const end = Math.min((number + 1) * PAGE_FACTS, newest);
      const page = this.#pages.get(number);
      // Dropped meanwhile.
      if (page) for (let place = at % PAGE_FACTS; place < end - number * PAGE_FACTS; place++) look(page, place);
      at = end;
      yield;
    }
    return newest + 1;
  }

  /** The ids of all who caused an event that matches, each with the newest of them, up to so many; a step a few thousand events. */
  *authors(query: EventQuery, most: number): Steps<ReadonlyMap<number, number>> {
    const newestOf = new Map<number, number>();
    const { matches } = factMatcher(query);
    const [oldest, newest] = [this.#first, this.#end];
    for (let index = Math.ceil(newest / PAGE_FACTS) - 1; index >= Math.floor(oldest / PAGE_FACTS); index--) {
      const page = this.#pages.get(index);
      if (!page) break;
      const start = index * PAGE_FACTS;
      const column = FACT.userId * page.size;
      for (let place = Math.min(newest - start, PAGE_FACTS) - 1; place >= Math.max(0, oldest - start); place--) {
        const userId = page.words[column + place] as number;
        if (userId === NO_USER || newestOf.has(userId) || !matches(page, place)) continue;
        if (newestOf.size >= most) return signed(newestOf);
        newestOf.set(userId, start + place + 1);
      }
      yield;
    }
    return signed(newestOf);
  }

  #pageOf(at: number): FactPage {
    const number = Math.floor(at / PAGE_FACTS);
    let page = this.#pages.get(number);
    if (!page) {
      page = { words: new Uint32Array(PAGE_FACTS * FACT_WORDS), size: PAGE_FACTS };
      this.#pages.set(number, page);
    }
    return page;
  }
}

/** Ids of the service's own are below 0; in a fact they have 32 bits without a sign. */
function signed(ids: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  return new Map(Array.from(ids, ([id, event]) => [id | 0, event]));
}
