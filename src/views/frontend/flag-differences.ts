import type { Work } from '../../base/work.ts';
import { type Needs, timePosition } from '../../evaluation/needs.ts';
import type { FlagCell } from '../flags/flag-cell.ts';
import type { FlagChunk } from '../flags/flag-chunk.ts';
import type { FlagSnapshot } from '../flags/flag-snapshot.ts';

/** The flags at one moment. */
export interface FlagMoment {
  readonly snapshot: FlagSnapshot;
  /** The time for contexts that contain no time, in Unix milliseconds. */
  readonly nowMs: number;
}

/** One flag whose answer may have changed. */
export interface FlagDifference {
  readonly name: string;
  /** Undefined when the flag did not exist before. */
  readonly before: FlagCell | undefined;
  /** Undefined when the flag does not exist any more. */
  readonly after: FlagCell | undefined;
}

/** If more chunks than this differ, single flags are not sent. */
const CHUNKS_MAX = 64;

/** Units of work to check one chunk. */
const CHUNK_WORK = 200;

/**
 * The flags whose answers may differ between the two moments: changed flags, flags with changed parents, and flags with a date that has passed in
 * between. Null when too many chunks differ. The cost is proportional to the differences, plus a check of each chunk.
 */
export function* flagDifferences(
  before: FlagMoment,
  after: FlagMoment,
): Work<ReadonlyMap<string, FlagDifference> | null> {
  const found = new Map<string, FlagDifference>();
  if (before.snapshot !== after.snapshot) {
    const [removedChunks, addedChunks] = [
      chunksOnlyIn(before.snapshot, after.snapshot),
      chunksOnlyIn(after.snapshot, before.snapshot),
    ];
    if (removedChunks.length + addedChunks.length > CHUNKS_MAX) return null;
    const oldCells = new Map<string, FlagCell>();
    for (const { cells } of removedChunks) for (const cell of cells) oldCells.set(cell.name, cell);
    for (const { cells } of addedChunks) {
      for (const cell of cells) {
        const known = oldCells.get(cell.name);
        if (known !== cell) found.set(cell.name, { name: cell.name, before: known, after: cell });
        oldCells.delete(cell.name);
      }
      yield CHUNK_WORK;
    }
    for (const [name, cell] of oldCells) found.set(name, { name, before: cell, after: undefined });
    yield* addChildren(before.snapshot, after.snapshot, found);
  }
  yield* addTimeDependent(before, after, found);
  return found;
}

/** The chunks of the first snapshot that the other snapshot does not contain. */
function chunksOnlyIn({ chunks }: FlagSnapshot, other: FlagSnapshot): FlagChunk[] {
  const known = new Set(other.chunks);
  return chunks.filter((chunk) => !known.has(chunk));
}

function* addChildren(before: FlagSnapshot, after: FlagSnapshot, found: Map<string, FlagDifference>): Work<void> {
  const isParentChanged = (parent: string) => before.parent(parent) !== after.parent(parent);
  for (const { cells, parents } of after.chunks) {
    if (parents === null) continue;
    yield CHUNK_WORK;
    if (!parents.some(isParentChanged)) continue;
    for (const cell of cells) {
      if (found.has(cell.name) || !cell.feature.dependencies.some(({ feature }) => isParentChanged(feature))) continue;
      found.set(cell.name, { name: cell.name, before: cell, after: cell });
    }
  }
}

/** Adds the unchanged flags whose answers may differ because of the time. */
function* addTimeDependent(before: FlagMoment, after: FlagMoment, found: Map<string, FlagDifference>): Work<void> {
  if (before.nowMs === after.nowMs) return;
  const hasMomentPassed = (needs: Needs) => timePosition(needs, before.nowMs) !== timePosition(needs, after.nowMs);
  const { snapshot } = after;
  const isParentTimeDependent = (name: string) => {
    const parent = snapshot.parent(name);
    return parent !== undefined && hasMomentPassed(parent.needs);
  };
  for (const chunk of snapshot.chunks) {
    yield CHUNK_WORK;
    if (!hasMomentPassed(chunk.needs) && !chunk.parents?.some(isParentTimeDependent)) continue;
    for (const cell of chunk.cells) {
      if (found.has(cell.name)) continue;
      if (
        !hasMomentPassed(cell.needs) &&
        !cell.feature.dependencies.some(({ feature }) => isParentTimeDependent(feature))
      )
        continue;
      found.set(cell.name, { name: cell.name, before: cell, after: cell });
    }
  }
}
