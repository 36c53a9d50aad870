import { assert } from '../../base/assert.ts';
import { type EventEntry, TRAIL_SLICE_EVENTS, type Trail } from '../store.ts';
import { PAGE_FACTS } from './fact-pages.ts';
import type { LmdbEnvironment, LmdbTableParts, LmdbTables, NumberedTable } from './lmdb-environment.ts';
import { type NumberedRecord, readSlices } from './read-slices.ts';
import { unsealRecord } from './record.ts';

/** Pages of facts that are dropped at a time: more than the events of a slice leave behind. */
const SLICE_FACT_PAGES = 64;

type Reading = Pick<LmdbEnvironment, 'tables'>;

export function readEvents(reading: Reading, beforeId: number, limit: number): Promise<EventEntry[]> {
  const start = Math.min(beforeId - 1, Number.MAX_SAFE_INTEGER);
  return readSlices(() => reading.tables.events, { start, limit, reverse: true }, toEvent);
}

export function readEventsForward(reading: Reading, fromId: number, limit: number): Promise<EventEntry[]> {
  return readSlices(() => reading.tables.events, { start: fromId, limit }, toEvent);
}

function toEvent({ key, value }: NumberedRecord): EventEntry {
  return { id: key, bytes: unsealRecord(value, `audit event ${key}`, key) };
}

export function firstEventId({ read }: LmdbTableParts): Promise<number | null> {
  return read(async (tables) => oldestOf(tables));
}

/** LMDB knows how many pages a table takes, and tells at once. */
export function measureTrail({ read }: LmdbTableParts, epoch: string): Promise<Trail> {
  return read(async (tables) => {
    const firstId = oldestOf(tables);
    const events = extentOf(tables.events);
    return {
      firstId,
      count: events.entryCount,
      sizeBytes: events.sizeBytes + extentOf(tables.facts).sizeBytes,
      epoch,
    };
  });
}

/** See `Store.trimTrail`. One transaction: its pages are free for what comes next; the file does not become shorter. */
export async function trimTrail(
  { write }: LmdbTableParts,
  { firstId }: Trail,
  oldest: readonly EventEntry[],
): Promise<boolean> {
  assert(oldest.length <= TRAIL_SLICE_EVENTS, 'events are dropped in slices');
  let isDropped = false;
  await write({}, (tables) => {
    const [first, last] = [oldest[0], oldest.at(-1)];
    // Transactions come one after the other, so this is how the trail begins now.
    if (!first || !last || first.id !== firstId || oldestOf(tables) !== firstId) return;
    for (const { id } of oldest) tables.events.remove(id);
    const end = Math.floor((last.id + 1) / PAGE_FACTS);
    for (const page of tables.facts.getKeys({ end, limit: SLICE_FACT_PAGES })) tables.facts.remove(page);
    isDropped = true;
  });
  return isDropped;
}

function oldestOf({ meta, events }: LmdbTables): number | null {
  meta.resetReadTxn();
  const [oldest = null] = events.getKeys({ limit: 1 });
  return oldest;
}

/** What lmdb-js tells of a table, beside what it tells of the whole file. */
interface TableStatistics {
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
  readonly entryCount: number;
}

function extentOf(table: NumberedTable): { readonly entryCount: number; readonly sizeBytes: number } {
  const { pageSize, entryCount, ...pages } = table.getStats() as TableStatistics;
  const { treeBranchPageCount, treeLeafPageCount, overflowPages } = pages;
  return { entryCount, sizeBytes: (treeBranchPageCount + treeLeafPageCount + overflowPages) * pageSize };
}
