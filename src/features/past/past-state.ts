import type { Asker } from '../../base/asker.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { EventType } from '../../model/event.ts';
import {
  type CollectionName,
  type Collections,
  collectionOf,
  type Entity,
  isCollectionName,
  type StateReader,
} from '../../state/collections.ts';
import { Draft } from '../../state/draft.ts';
import type { FixedState } from '../../state/fixed-state.ts';
import { decodePast, type PartName, partKey, withParts } from '../../state/past.ts';
import { EVENTS_READ_MAX } from '../../stores/store.ts';
import type { EventColumns, ReplacedIn } from '../events/columns.ts';
import type { WantedFlags } from '../events/event-chunk.ts';
import type { Services } from '../services.ts';
import { readingStore } from '../shared/reading-store.ts';
import { revisionAt } from './at.ts';

/** Maximum number of parts that may differ from now. Each is read from the store, and kept in memory while the answer is created. */
const PARTS_MAX = 100_000;

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
  const { state, eventIndex, fixedStates } = services;
  const skips = (name: PartName) => isAlwaysNow(name.collection) && !isPastAccess?.(name);
  const wanted = { ...wantedFlags(flags), skips };
  let read: ReadParts | undefined;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const columns = await eventIndex.upToDate();
    if (read?.columns !== columns) {
      const revision = revisionAt(at, path, columns, state);
      if (revision instanceof Rejection) return revision;
      read = new ReadParts(services, columns, revision, wanted);
    }
    const problem = await read.readTo(columns.nextId, asker);
    if (problem) return problem;
    if (state.lastEventId >= columns.nextId) continue;
    const { revision } = read;
    const replaced = read;
    const result = await fixedStates.reading(async (now) => {
      const reader = await inSlices(replaced.appliedTo(now), Slicer.of(asker));
      const answered = now.isLost ? undefined : await answer({ revision, reader, now });
      return now.isLost ? undefined : answered;
    });
    if (result !== undefined) return result;
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

/** The parts that were replaced after a revision, as they were at that revision. */
class ReadParts {
  readonly columns: EventColumns;
  readonly revision: number;
  readonly #index: Services['eventIndex'];
  readonly #wanted: WantedFlags;
  readonly #before = new Map<string, { readonly name: PartName; readonly value: object | undefined }>();
  #nextId: number;

  constructor({ eventIndex }: Services, columns: EventColumns, revision: number, wanted: WantedFlags) {
    this.columns = columns;
    this.revision = revision;
    this.#index = eventIndex;
    this.#wanted = wanted;
    this.#nextId = columns.firstIdAfter(revision);
  }

  /** Reads the parts that events before `endId` replaced. Parts that are known already are older, and stay. */
  async readTo(endId: number, asker: Asker): Promise<Rejection | undefined> {
    const slicer = Slicer.of(asker);
    const found = await inSlices(this.columns.firstReplacements(this.#nextId, this.#wanted, PARTS_MAX), slicer);
    if (!found) return TOO_MUCH;
    const missing = await inSlices(this.#byEvent(found), slicer);
    if (this.#before.size + found.size > PARTS_MAX) return TOO_MUCH;
    const ids = [...missing.keys()];
    for (let at = 0; at < ids.length; at += EVENTS_READ_MAX) {
      for (const { id, bytes } of await this.#index.read(ids.slice(at, at + EVENTS_READ_MAX))) {
        await inSlices(this.#take(bytes, missing.get(id) ?? []), slicer);
      }
    }
    this.#nextId = endId;
    return undefined;
  }

  /** The parts that are not known yet, by the event in which they are stored. */
  *#byEvent(found: ReadonlyMap<string, ReplacedIn>): Steps<ReadonlyMap<number, ReplacedIn[]>> {
    const missing = new Map<number, ReplacedIn[]>();
    for (const [key, replaced] of found) {
      yield;
      if (this.#before.has(key)) continue;
      const others = missing.get(replaced.id);
      if (others) others.push(replaced);
      else missing.set(replaced.id, [replaced]);
    }
    return missing;
  }

  *#take(bytes: Uint8Array, wanted: readonly ReplacedIn[]): Steps<void> {
    const values = new Map<string, object | undefined>();
    for (const part of (yield* decodePast(bytes)) ?? []) {
      values.set(partKey(part), part.before);
      yield;
    }
    for (const { name } of wanted) {
      const key = partKey(name);
      this.#before.set(key, { name, value: values.get(key) });
      yield;
    }
  }

  /** The state with these parts. The state must not change between the steps. */
  *appliedTo(state: StateReader): Steps<Draft> {
    const draft = new Draft(state);
    const entities = new Map<CollectionName, Map<string, Map<string, object | undefined>>>();
    for (const { name, value } of this.#before.values()) {
      mapIn(mapIn(entities, name.collection), name.key).set(name.part, value);
      yield;
    }
    for (const [collection, byKey] of entities) {
      for (const [key, parts] of byKey) {
        const current = state.get(collection, key) as Entity | undefined;
        const past = withParts(collection, current, parts);
        if (past) draft.put(collection as 'features', past as Collections['features']);
        else if (current) draft.remove(collection, key);
        yield;
      }
    }
    return draft;
  }
}

function mapIn<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let map = maps.get(key);
  if (!map) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}

function isAlwaysNow(collection: CollectionName): boolean {
  return isCollectionName(collection) && collectionOf(collection).isAlwaysNow;
}

function wantedFlags(flags: PastFlags): WantedFlags {
  if (flags === 'all') return { names: undefined };
  if ('project' in flags) return { names: new Set(), project: flags.project, types: MOVES };
  return { names: new Set(flags.names), types: DEPENDENCIES };
}

const TOO_MUCH = new Rejection(
  'PayloadTooLargeError',
  `More than ${PARTS_MAX} settings differ from now. Ask for one project, for one flag, or for a later moment.`,
);
