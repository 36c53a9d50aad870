import { SERVICE } from '../../base/asking/asker.ts';
import { assert } from '../../base/assert.ts';
import { Slicer } from '../../base/yield-control.ts';
import { AUDIT_SLICE_EVENTS, type AuditLog, EVENTS_READ_MAX, type EventEntry } from '../store.ts';
import type { LmdbEnvironment, LmdbTableParts, LmdbTables, NumberedTable } from './lmdb-environment.ts';
import { type NumberedRecord, readSlices } from './read-slices.ts';
import { unsealRecord } from './record.ts';

/** The size of the memory blocks that are allocated for events that are read by their ids. */
const BLOCK_BYTES = 64 * 1024;

type TableReader = Pick<LmdbEnvironment, 'tables'>;

export function readEvents(reader: TableReader, beforeId: number, limit: number): Promise<EventEntry[]> {
  const start = Math.min(beforeId - 1, Number.MAX_SAFE_INTEGER);
  return readSlices(() => reader.tables.events, { start, limit, reverse: true }, toEvent);
}

export function readEventsForward(reader: TableReader, fromId: number, limit: number): Promise<EventEntry[]> {
  return readSlices(() => reader.tables.events, { start: fromId, limit }, toEvent);
}

/**
 * Reads events by their ids. The events share a few blocks of memory, so a caller that reads thousands of events does not allocate thousands of
 * blocks.
 */
export async function readEventsById(reader: TableReader, ids: readonly number[]): Promise<EventEntry[]> {
  assert(ids.length <= EVENTS_READ_MAX, `at most ${EVENTS_READ_MAX} events are read at a time`);
  const slicer = Slicer.of(SERVICE);
  const events: EventEntry[] = [];
  let block = Buffer.alloc(0);
  for (const id of ids) {
    if (slicer.spent) await slicer.pause();
    // lmdb-js stores the length of the last value read in `lastSize`, which its types do not declare.
    const table = reader.tables.events as NumberedTable & { readonly lastSize: number };
    const found = table.getBinaryFast(id);
    if (!found) continue;
    // `found` is LMDB's own memory, which the next read changes. It may be longer than the value.
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
  return read(async (tables) => oldestIdOf(tables));
}

/** LMDB knows how many pages a table has: one call is enough. */
export function measureAuditLog({ read }: LmdbTableParts, epoch: string): Promise<AuditLog> {
  return read(async (tables) => {
    const firstId = oldestIdOf(tables);
    const events = extentOf(tables.events);
    return { firstId, count: events.entryCount, sizeBytes: events.sizeBytes, epoch };
  });
}

/** See `Store.trimAuditLog`. The events are removed in one transaction. LMDB can use their pages again, but the file does not become shorter. */
export async function trimAuditLog(
  { write }: LmdbTableParts,
  { firstId }: AuditLog,
  oldest: readonly EventEntry[],
): Promise<boolean> {
  assert(oldest.length <= AUDIT_SLICE_EVENTS, 'events are dropped in slices');
  let isDropped = false;
  await write({}, (tables) => {
    const [first] = oldest;
    // Transactions come one after the other, so this is the current beginning of the audit log.
    if (!first || first.id !== firstId || oldestIdOf(tables) !== firstId) return;
    for (const { id } of oldest) tables.events.remove(id);
    isDropped = true;
  });
  return isDropped;
}

function oldestIdOf({ meta, events }: LmdbTables): number | null {
  meta.resetReadTxn();
  const [oldest = null] = events.getKeys({ limit: 1 });
  return oldest;
}

/** The fields that lmdb-js returns for a table, in addition to those for the whole file. */
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
