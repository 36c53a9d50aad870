import type { State } from '../../state/state.ts';
import type { Piece } from '../payload/piece.ts';
import type { ChangedNames } from './change-ring.ts';
import type { PartitionView } from './partition-view.ts';
import type { ClientQuery } from './query.ts';
import type { SegmentPieces } from './segment-pieces.ts';

/** The most that is sent as changes; a client that lacks more gets the whole list, whose bytes are there. */
const CHANGES_BYTES_MAX = 1024 * 1024;

/** One flag of a scope that may have changed: `bytes` is the flag in the format of a version 2 list, null when it is not in the list any more. */
interface ChangedFlag {
  readonly name: string;
  readonly project: string;
  readonly bytes: Uint8Array | null;
}

/** The same of a segment. */
interface ChangedSegment {
  readonly id: number;
  readonly bytes: Uint8Array | null;
}

/**
 * What brings a version 2 list of the scope from one position to another: every difference is in here, and perhaps more. Segments come into use
 * before the flags that use them, so they have to be sent first.
 */
export interface ListChanges {
  readonly position: ListPosition;
  readonly segments: readonly ChangedSegment[];
  readonly flags: readonly ChangedFlag[];
}

/** A revision of a scope, and the history that its number counts in: only both together identify a content. */
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
  /** Current position of the list. */
  readonly position: ListPosition;
  /** Names what was asked. */
  readonly queryHash: string;
  /** Valid after `refresh`. */
  readonly shown: ShownList;
  /** What brings from there to `position`; null when the whole list is needed. */
  changesSince(from: ListPosition): ListChanges | null;
  /** Brings `shown` in step. Undefined when that is done. */
  refresh(): Promise<void> | undefined;
}

/** A list as it is now. */
interface CurrentList {
  readonly state: State;
  readonly query: ClientQuery;
  /** All built. */
  readonly partitions: readonly PartitionView[];
  readonly segments: SegmentPieces;
  readonly position: ListPosition;
}

/** What `changed`, which is of the list's projects, has become in the list; null when that is more than is sent as changes. */
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
