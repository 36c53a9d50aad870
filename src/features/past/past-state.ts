import type { Asker } from '../../base/asking/asker.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import type { EventType } from '../../model/event.ts';
import { type CollectionName, collectionOf, isCollectionName, type StateReader } from '../../state/collections.ts';
import type { Draft } from '../../state/draft.ts';
import type { FixedState } from '../../state/fixed-state.ts';
import type { PartName } from '../../state/past.ts';
import type { WantedFlags } from '../events/event-chunk.ts';
import type { Services } from '../services.ts';
import { readingStore } from '../shared/reading-store.ts';
import { revisionAt } from './moment.ts';
import { ReadParts } from './read-parts.ts';

/** How often the newest events are read again because they were written meanwhile, or the state because it was lost (`FixedState`). */
const ROUNDS_MAX = 32;

/** The flags that an answer about the past needs. */
export type PastFlags =
  /** Every flag. */
  | 'all'
  /** The flags that were in the project at that moment. */
  | { readonly project: string }
  /** These flags, and the flags that may have depended on them. */
  | { readonly names: Iterable<string> };

/** The state after an earlier commit. What has no recorded past, such as users, is as it is now. */
interface PastState {
  readonly revision: number;
  readonly reader: Draft;
  /** The state as it was when the reading began: `reader` is a layer over it. */
  readonly now: FixedState;
}

interface PastRequest {
  /** A revision or a time. */
  readonly at: string;
  /** The field of the request that contains `at`, as a JSON pointer. */
  readonly path: string;
  readonly flags: PastFlags;
  /**
   * Which roles, groups, members and project roles the state has as they were at that moment; the others are as they are now. Only for histories and
   * undos: a right that a person had in the past must not decide what an answer shows.
   */
  readonly isPastAccess?: (name: PartName) => boolean;
  /** Who waits for the answer. */
  readonly asker: Asker;
}

/** Who may see a project depends on how it is now, also in the past. A project that was deleted is seen only by those who see all. */
export function hideAsNow(reader: Draft, now: StateReader): void {
  for (const [id, project] of reader.changed('projects')) {
    if (project) reader.put('projects', { ...project, mode: now.get('projects', id)?.mode ?? 'private' });
  }
}

/**
 * Calls `read` when it is the turn of the request. A rejection if the caller has too many such requests, or if the store cannot be read. Not within
 * another one: requests would wait for each other.
 */
export async function readingPast<T>(
  { pastQuota, pastReads }: Services,
  asker: Asker,
  read: () => Promise<T | Rejection>,
): Promise<T | Rejection> {
  const { holder } = asker;
  if (!pastQuota.take(holder)) {
    return new Rejection('TooManyRequestsError', 'Too many past states are being read. Try again.', [], 1);
  }
  const end = await pastReads.take(holder);
  try {
    return await readingStore(read);
  } finally {
    end();
    pastQuota.give(holder);
  }
}

/**
 * Reads the state at a moment, and resolves with what `answer` computes from it. Commits that are applied meanwhile change neither the reader nor the
 * answer (`FixedState`). `answer` is called again if it returns undefined, or if the state was lost meanwhile: so it must have no effect, and its result
 * must not refer to the reader. Only within `readingPast`. @throws StoreError
 */
export async function readPast<T>(
  services: Services,
  { at, path, flags, isPastAccess, asker }: PastRequest,
  answer: (past: PastState) => Promise<T | undefined> | T,
): Promise<T | Rejection> {
  const { state, eventIndex, fixedStates, keptPast } = services;
  const keptName = isPastAccess ? undefined : keptNameOf(flags);
  const skips = (name: PartName) => isAlwaysNow(name.collection) && !isPastAccess?.(name);
  const wanted = { ...wantedFlags(flags), skips };
  let read: ReadParts | undefined;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const columns = await eventIndex.upToDate();
    if (read?.columns !== columns) {
      const revision = revisionAt(at, path, columns, state);
      if (revision instanceof Rejection) return revision;
      read =
        (keptName && keptPast.take(keptName(revision), columns)) || new ReadParts(services, columns, revision, wanted);
    }
    const problem = await read.readTo(columns.nextId, asker);
    if (problem) return problem;
    if (state.lastEventId >= columns.nextId) continue;
    const parts = read;
    const { revision } = parts;
    const result = await fixedStates.reading(async (now) => {
      const reader = await inSlices(parts.appliedTo(now), Slicer.of(asker));
      const answered = now.isLost ? undefined : await answer({ revision, reader, now });
      return now.isLost ? undefined : answered;
    }, parts.appliedOn);
    if (result === undefined) continue;
    if (keptName) keptPast.keep(keptName(revision), parts);
    return result;
  }
  return unavailable('Flags change too often to read their past now. Try again.', 1);
}

/** Events that can make a flag leave a project, or another flag a child. Their flags are read for answers about a project or a few flags. */
const MOVES: readonly EventType[] = ['feature-project-change'];
const DEPENDENCIES: readonly EventType[] = [
  'feature-dependency-removed',
  'feature-dependencies-removed',
  'feature-dependency-added',
  'feature-archived',
  'feature-deleted',
];

/** The name under which a read of these flags is kept. Undefined: it reads few parts, and is not kept. */
function keptNameOf(flags: PastFlags): ((revision: number) => string) | undefined {
  if (flags === 'all') return (revision) => `${revision}`;
  return 'project' in flags ? (revision) => `${revision} ${flags.project}` : undefined;
}

function isAlwaysNow(collection: CollectionName): boolean {
  return isCollectionName(collection) && collectionOf(collection).isAlwaysNow;
}

function wantedFlags(flags: PastFlags): WantedFlags {
  if (flags === 'all') return { names: undefined };
  if ('project' in flags) return { names: new Set(), project: flags.project, types: MOVES };
  return { names: new Set(flags.names), types: DEPENDENCIES };
}
