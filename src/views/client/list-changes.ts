import type { FetchMode } from '../../model/fetch-mode.ts';
import type { State } from '../../state/state.ts';
import type { Piece } from '../payload/piece.ts';
import type { ChangedNames } from './change-ring.ts';
import type { PartitionView } from './partition-view.ts';
import type { ClientQuery } from './query.ts';
import type { SegmentPieces } from './segment-pieces.ts';

/** Maximum size of the changes that are sent. If they are larger, the client gets the whole list, whose bytes already exist. */
const CHANGES_BYTES_MAX = 1024 * 1024;

/** One flag of a scope that may have changed: `bytes` is the flag in the format of a version 2 list, null when it is not in the list any more. */
interface ChangedFlag {
  readonly name: string;
  readonly project: string;
  readonly bytes: Uint8Array | null;
}

/** One segment that may have changed. `bytes` is the segment in the format of a version 2 list; null when the list no longer contains it. */
interface ChangedSegment {
  readonly id: number;
  readonly bytes: Uint8Array | null;
}

/**
 * The changes that update a version 2 list of the scope from one position to another. They contain every difference, and possibly unchanged items.
 * Segments must be sent before the flags that use them.
 */
export interface ListChanges {
  readonly position: ListPosition;
  readonly segments: readonly ChangedSegment[];
  readonly flags: readonly ChangedFlag[];
}

/** A revision of a scope, and the mark of the history that the revision belongs to. Only both together identify a content. */
export interface ListPosition {
  readonly revision: number;
  readonly mark: string;
}

/** The items of a list without the surrounding JSON, and the position of the list. */
export interface ShownList {
  readonly position: ListPosition;
  readonly flags: readonly Piece[];
  readonly segments: readonly Piece[];
}

/** A list whose changes are sent to SDKs. */
export interface ChangingList {
  /** How SDKs are asked to get changes; undefined if they do what they are configured for. */
  readonly fetchMode: FetchMode | undefined;
  /** Current position of the list. */
  readonly position: ListPosition;
  /** Hash of the scope, the query and the format. */
  readonly queryHash: string;
  /** Valid after `refresh`. */
  readonly shown: ShownList;
  /** The changes from `from` to `position`; null when the whole list is needed. */
  changesSince(from: ListPosition): ListChanges | null;
  /** Updates `shown`. Returns undefined if it is already done, otherwise a promise. */
  refresh(): Promise<void> | undefined;
}

/** The data of a list at this moment. */
interface CurrentList {
  readonly state: State;
  readonly query: ClientQuery;
  /** All of them are built. */
  readonly partitions: readonly PartitionView[];
  readonly segments: SegmentPieces;
  readonly position: ListPosition;
}

/**
 * The current content of the flags and segments in `changed`, which belong to the projects of the list. Null when it is too large to be sent as
 * changes.
 */
export function listChanges(
  changed: ChangedNames,
  { state, query, partitions, segments: pieces, position }: CurrentList,
): ListChanges | null {
  const byProject = new Map(partitions.map((partition) => [partition.project, partition]));
  const flags: ChangedFlag[] = [];
  for (const [name, lastProject] of changed.flags) {
    if (query.namePrefix !== null && !name.startsWith(query.namePrefix)) continue;
    const project = state.get('features', name)?.project ?? lastProject;
    const bytes = byProject.get(project)?.fragment(name) ?? null;
    flags.push({ name, project: bytes ? project : lastProject, bytes });
  }
  const isUsed = (id: number) => partitions.some((partition) => partition.usesSegment(id));
  const segments = Array.from(changed.segments, (id) => {
    const bytes = isUsed(id) ? (pieces.piece(id)?.bytes ?? null) : null;
    return { id, bytes };
  });
  return bytesIn(flags) + bytesIn(segments) > CHANGES_BYTES_MAX ? null : { position, segments, flags };
}

function bytesIn(items: readonly { readonly bytes: Uint8Array | null }[]): number {
  let sum = 0;
  for (const { bytes } of items) sum += bytes?.byteLength ?? 0;
  return sum;
}
