import { FACT_BYTES } from '../../state/event-facts.ts';
import type { NumberedFact } from '../facts.ts';
import type { LmdbTableParts, LmdbTables } from './lmdb-environment.ts';
import { sealRecord, unsealRecord } from './record.ts';

/**
 * Facts of one record: with its checksum it takes two pages of LMDB's to the last bytes. The record of an id is found by division, so the oldest ones
 * can be dropped.
 */
export const PAGE_FACTS = 200;

/**
 * Facts of the newest events, which fill no page yet. A page is put in the transaction of the append that fills it: with every append it would be one
 * more page to write and sync, and that is felt. After a crash those of the newest, unfinished page are missing; as any that are missing, they are
 * made again of their events.
 */
export class LmdbFacts {
  readonly #parts: LmdbTableParts;
  readonly #tail = new Map<number, Uint8Array>();

  constructor(parts: LmdbTableParts) {
    this.#parts = parts;
  }

  /**
   * Takes the facts of a batch that is being appended, within its transaction, and puts the pages that are full with it. Should the disk refuse it,
   * whoever is given its ids next replaces them.
   */
  append(tables: LmdbTables, facts: readonly NumberedFact[]): void {
    let newest = 0;
    for (const { id, fact } of facts) {
      this.#tail.set(id, fact);
      newest = id;
    }
    const firstUnfinished = Math.floor((newest + 1) / PAGE_FACTS) * PAGE_FACTS;
    // In the order of their ids, but for those of batches that were refused: the first one tells.
    const [oldest = firstUnfinished] = this.#tail.keys();
    if (oldest >= firstUnfinished) return;
    const full: NumberedFact[] = [];
    for (const [id, fact] of this.#tail) if (id < firstUnfinished) full.push({ id, fact });
    putFactPages(tables, full);
    for (const { id } of full) this.#tail.delete(id);
  }

  read(fromId: number, limit: number): Promise<Uint8Array> {
    return this.#parts.read(async (tables) => {
      const facts = readFactPages(tables.facts, fromId, limit);
      for (const [id, fact] of this.#tail) {
        const at = (id - fromId) * FACT_BYTES;
        if (at >= 0 && at < facts.length) facts.set(fact, at);
      }
      return facts;
    });
  }

  async put(facts: readonly NumberedFact[]): Promise<void> {
    const contentBytes = factContentBytes(facts.length);
    await this.#parts.write({ contentBytes }, (tables) => putFactPages(tables, facts));
  }

  /** Puts the unfinished page as well, so that nothing is to be made again. Never rejects. */
  async close(): Promise<void> {
    if (this.#tail.size === 0) return;
    await this.put(Array.from(this.#tail, ([id, fact]) => ({ id, fact }))).catch(() => {});
  }
}

/** Bytes that the facts of as many events may add to a transaction. */
export function factContentBytes(events: number): number {
  return (Math.ceil(events / PAGE_FACTS) + 1) * (PAGE_FACTS * FACT_BYTES + 64);
}

/** Puts facts within a transaction. */
function putFactPages({ facts: table }: LmdbTables, facts: Iterable<NumberedFact>): void {
  const pages = new Map<number, Uint8Array>();
  for (const { id, fact } of facts) {
    const page = Math.floor(id / PAGE_FACTS);
    const start = (id % PAGE_FACTS) * FACT_BYTES;
    let content = pages.get(page) ?? contentOf(table, page);
    if (content.length < start + FACT_BYTES) content = Buffer.concat([content], start + FACT_BYTES);
    content.set(fact, start);
    pages.set(page, content);
  }
  for (const [page, content] of pages) table.put(page, sealRecord(content));
}

function readFactPages(table: LmdbTables['facts'], fromId: number, limit: number): Uint8Array {
  const facts = Buffer.alloc(limit * FACT_BYTES);
  const firstPage = Math.floor(fromId / PAGE_FACTS);
  const lastPage = Math.floor((fromId + limit - 1) / PAGE_FACTS);
  for (const { key, value } of table.getRange({ start: firstPage, end: lastPage + 1 })) {
    const content = unsealed(value, key);
    const skipped = key * PAGE_FACTS - fromId;
    const from = Math.max(0, -skipped) * FACT_BYTES;
    facts.set(
      content.subarray(from, from + (limit - Math.max(0, skipped)) * FACT_BYTES),
      Math.max(0, skipped) * FACT_BYTES,
    );
  }
  return facts;
}

/** A copy, which may be changed. */
function contentOf(table: LmdbTables['facts'], page: number): Uint8Array {
  const value = table.get(page);
  return value ? Buffer.from(unsealed(value, page)) : Buffer.alloc(0);
}

/** Facts can be made again from their events: a page that is damaged counts as empty. */
function unsealed(value: Uint8Array, page: number): Uint8Array {
  try {
    return unsealRecord(value, `page ${page} of facts`);
  } catch {
    return Buffer.alloc(0);
  }
}
