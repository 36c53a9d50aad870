import { assert } from '../../base/assert.ts';
import { Slicer } from '../../base/yield-control.ts';
import { EVENTS_READ_MAX, type EventEntry, TRAIL_SLICE_EVENTS, type Trail } from '../store.ts';
import { PAGE_FACTS } from './fact-pages.ts';
import type { LmdbEnvironment, LmdbTableParts, LmdbTables, NumberedTable } from './lmdb-environment.ts';
import { type NumberedRecord, readSlices } from './read-slices.ts';
import { unsealRecord } from './record.ts';

/** Pages of facts that are dropped at a time: more than the events of a slice leave behind. */
const SLICE_FACT_PAGES = 64;

/** Memory that is taken at a time for events that are read by their ids. */
const BLOCK_BYTES = 64 * 1024;

type Reading = Pick<LmdbEnvironment, 'tables'>;

export function readEvents(reading: Reading, beforeId: number, limit: number): Promise<EventEntry[]> {
  const start = Math.min(beforeId - 1, Number.MAX_SAFE_INTEGER);
  return readSlices(() => reading.tables.events, { start, limit, reverse: true }, toEvent);
}

export function readEventsForward(reading: Reading, fromId: number, limit: number): Promise<EventEntry[]> {
  return readSlices(() => reading.tables.events, { start: fromId, limit }, toEvent);
}

/** Whoever looks into thousands of events should not make as many blocks of memory: they share a few. */
export async function readEventsById(reading: Reading, ids: readonly number[]): Promise<EventEntry[]> {
  assert(ids.length <= EVENTS_READ_MAX, 'events are read some at a time');
  const slicer = new Slicer();
  const events: EventEntry[] = [];
  let block = Buffer.alloc(0);
  for (const id of ids) {
    if (slicer.spent) await slicer.pause();
    // lmdb-js tells the length of what was read last; its types do not.
    const table = reading.tables.events as NumberedTable & { readonly lastSize: number };
    const found = table.getBinaryFast(id);
    if (!found) continue;
    // Of LMDB's own memory, which the next look changes. It may be longer than what it holds now.
    const bytes = unsealRecord(new Uint8Array(found.buffer, found.byteOffset, table.lastSize), `audit event ${id}`, id);
    if (bytes.length > block.length) block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, bytes.length));
    block.set(bytes);
    events.push({ id, bytes: block.subarray(0, bytes.length) });
    block = block.subarray(bytes.length);
  }
  return events;
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
