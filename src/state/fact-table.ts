import { assert } from '../base/assert.ts';
import type { Steps } from '../base/yield-control.ts';
import {
  type EventQuery,
  FACT,
  FACT_BYTES,
  FACT_WORDS,
  type FactPage,
  isEventFact,
  NO_USER,
  putFacts,
} from './event-facts.ts';
import { BitsSet, eventSieve, factSieves, type Sieve } from './fact-sieve.ts';

/** Facts of one page, and events that a search looks at in one step: some tens of microseconds. */
const PAGE_FACTS = 4_096;

/** Every place of a page, the newest first. */
const ALL_PLACES = Uint16Array.from({ length: PAGE_FACTS }, (_, index) => PAGE_FACTS - 1 - index);

interface TablePage extends FactPage {
  /** Places whose event does not exist, or cannot be read by this version. */
  others: number;
}

/** Some of the events that match: those of one page. To be looked at before the next page is. */
interface FoundPlaces {
  readonly page: FactPage;
  /** The id of the event at a place is this and the place. */
  readonly firstId: number;
  /** Newest first; of them `count`. */
  readonly places: Uint16Array;
  readonly count: number;
}

/** Where a page of found events begins, and how long it is. */
export interface EventPage {
  /** The newest id that is on it. */
  readonly fromId: number;
  readonly limit: number;
  /** How many of those before are left out. */
  readonly skip?: number;
}

interface FoundEvents {
  /** Newest first. */
  readonly ids: readonly number[];
  /** How many match, on this page or not. */
  readonly total: number;
}

/**
 * The facts of all events there are, in memory, as columns: 40 bytes an event. A search looks at every one of them, newest first, at one to three
 * nanoseconds a piece and filter: a million take a few milliseconds, in steps. Indexes by value would take as much memory again, and find only what one
 * of them is for.
 */
export class FactTable {
  /** By number. Those before the oldest event are dropped. */
  readonly #pages = new Map<number, TablePage>();
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
      const page = this.#pageOf(this.#end);
      const count = length / FACT_BYTES;
      putFacts(page, place, facts.subarray(at, at + length));
      for (let added = place; added < place + count; added++) if (!isEventFact(page, added)) page.others++;
      this.#end += count;
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
  *find(query: EventQuery, { fromId, limit, skip = 0 }: EventPage): Steps<FoundEvents> {
    const ids: number[] = [];
    let [total, before] = [0, 0];
    for (const { firstId, places, count } of this.#matching(query)) {
      total += count;
      for (let index = 0; index < count && ids.length < limit; index++) {
        const id = firstId + (places[index] as number);
        if (id <= fromId && before++ >= skip) ids.push(id);
      }
      yield;
    }
    return { ids, total };
  }

  /** The ids of the events that match, newest first, a few thousand events at a time. */
  *matchingIds(query: EventQuery): Generator<readonly number[], void, void> {
    for (const { firstId, places, count } of this.#matching(query)) {
      yield Array.from(places.subarray(0, count), (place) => firstId + place);
    }
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
    const seen = new BitsSet();
    seen.add(NO_USER, 0);
    for (const { page, firstId, places, count } of this.#matching(query)) {
      const column = FACT.userId * page.size;
      for (let index = 0; index < count; index++) {
        const place = places[index] as number;
        const userId = page.words[column + place] as number;
        if (seen.has(userId, 0)) continue;
        if (newestOf.size >= most) return newestOf;
        seen.add(userId, 0);
        // Ids of the service's own are below 0; in a fact they have 32 bits without a sign.
        newestOf.set(userId | 0, firstId + place);
      }
      yield;
    }
    return newestOf;
  }

  /** The events that match, page by page, the newest first. What is added meanwhile is not found. */
  *#matching(query: EventQuery): Generator<FoundPlaces, void, void> {
    const sieves = factSieves(query);
    const wanted = query.ids && Array.from(query.ids).sort((left, right) => right - left);
    const kept = new Uint16Array(PAGE_FACTS);
    const [oldest, newest] = [this.#first, this.#end];
    for (let number = Math.ceil(newest / PAGE_FACTS) - 1; number >= Math.floor(oldest / PAGE_FACTS); number--) {
      const page = this.#pages.get(number);
      // Dropped meanwhile, with all before it.
      if (!page) return;
      const start = number * PAGE_FACTS;
      const range = { first: Math.max(0, oldest - start), end: Math.min(newest - start, PAGE_FACTS) };
      const all = wanted
        ? placesOf(wanted, start, range)
        : ALL_PLACES.subarray(PAGE_FACTS - range.end, PAGE_FACTS - range.first);
      const { places, count } = sifted(page, all, page.others === 0 ? sieves : [...sieves, eventSieve], kept);
      yield { page, firstId: start + 1, places, count };
    }
  }

  #pageOf(at: number): TablePage {
    const number = Math.floor(at / PAGE_FACTS);
    let page = this.#pages.get(number);
    if (!page) {
      page = { words: new Uint32Array(PAGE_FACTS * FACT_WORDS), size: PAGE_FACTS, others: 0 };
      this.#pages.set(number, page);
    }
    return page;
  }
}

/** What of these places goes through all of the sieves. */
function sifted(
  page: FactPage,
  all: Uint16Array,
  sieves: readonly Sieve[],
  kept: Uint16Array,
): { readonly places: Uint16Array; readonly count: number } {
  let [places, count] = [all, all.length];
  for (const sieve of sieves) {
    if (count === 0) break;
    count = sieve(page, places, count, kept);
    places = kept;
  }
  return { places, count };
}

/** The places of these ids on a page that begins after the id `start`. They are sorted, the newest first. */
function placesOf(
  ids: readonly number[],
  start: number,
  { first, end }: { readonly first: number; readonly end: number },
): Uint16Array {
  const places: number[] = [];
  for (const id of ids) {
    const place = id - 1 - start;
    if (place >= first && place < end) places.push(place);
  }
  return Uint16Array.from(places);
}
