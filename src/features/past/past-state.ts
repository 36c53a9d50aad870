import { Rejection, unavailable } from '../../base/rejection.ts';
import { inSlicesWhile, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Collection } from '../../model/collection.ts';
import type { EventType } from '../../model/event.ts';
import type { Project } from '../../model/project.ts';
import { type CollectionName, type Collections, collectionOf, type Entity } from '../../state/collections.ts';
import { Draft } from '../../state/draft.ts';
import { decodePast, type PartName, partKey } from '../../state/past.ts';
import type { State } from '../../state/state.ts';
import { EVENTS_READ_MAX, StoreError } from '../../stores/store.ts';
import type { EventColumns, ReplacedIn } from '../events/columns.ts';
import type { WantedFlags } from '../events/event-chunk.ts';
import type { Services } from '../services.ts';
import { revisionAt } from './at.ts';

/** Maximum number of parts that may differ from now. Each is read from the store, and kept in memory while the answer is created. */
const PARTS_MAX = 100_000;

/** How often the newest events are read again because other writes came in between. */
const ROUNDS_MAX = 32;

/** The flags that an answer about the past needs. */
export type PastFlags =
  /** Every flag. */
  | 'all'
  /** The flags that were in the project at that moment. */
  | { readonly project: string }
  /** These flags, and the flags that may have depended on them. */
  | { readonly names: readonly string[] };

/** The state after an earlier commit. What has no recorded past, such as users, is as it is now. */
interface PastState {
  readonly revision: number;
  readonly reader: Draft;
}

interface PastRequest {
  /** A revision or a time. */
  readonly at: string;
  /** The field of the request that contains `at`, as a JSON pointer. */
  readonly path: string;
  readonly flags: PastFlags;
  /** Whose share of the time the work uses: `Slicer.of`. */
  readonly holder: string;
}

/**
 * Reads the state at a moment, and resolves with what `answer` computes from it. If the live state changes before `answer` is done, all of it is done
 * again: so `answer` must have no effect, and its result must not refer to the reader.
 */
export async function readPast<T>(
  services: Services,
  request: PastRequest,
  answer: (past: PastState) => Promise<T> | T,
): Promise<T | Rejection> {
  const { pastQuota } = services;
  if (!pastQuota.take(request.holder)) {
    return new Rejection('TooManyRequestsError', 'Too many past states are being read. Try again.', [], 1);
  }
  try {
    return await readInRounds(services, request, answer);
  } catch (error) {
    if (error instanceof StoreError) return unavailable('The store cannot be read now. Try again.', 2);
    throw error;
  } finally {
    pastQuota.give(request.holder);
  }
}

async function readInRounds<T>(
  services: Services,
  { at, path, flags, holder }: PastRequest,
  answer: (past: PastState) => Promise<T> | T,
): Promise<T | Rejection> {
  const { state, eventIndex } = services;
  let read: ReadParts | undefined;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const columns = await eventIndex.upToDate();
    if (read?.columns !== columns) {
      const revision = revisionAt(at, path, columns, state);
      if (revision instanceof Rejection) return revision;
      read = new ReadParts(services, columns, revision, flags);
    }
    const problem = await read.readTo(columns.nextId, holder);
    if (problem) return problem;
    if (state.lastEventId >= columns.nextId) continue;
    const { seq, generation } = state;
    const isUnchanged = () => state.seq === seq && state.generation === generation;
    const reader = await inSlicesWhile(read.appliedTo(state), isUnchanged, Slicer.of(holder));
    if (!reader) continue;
    const result = await answer({ revision: read.revision, reader });
    if (isUnchanged()) return result;
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

  constructor({ eventIndex }: Services, columns: EventColumns, revision: number, flags: PastFlags) {
    this.columns = columns;
    this.revision = revision;
    this.#index = eventIndex;
    this.#wanted = wantedFlags(flags);
    this.#nextId = columns.firstIdAfter(revision);
  }

  /** Reads the parts that events before `endId` replaced. Parts that are known already are older, and stay. */
  async readTo(endId: number, holder: string): Promise<Rejection | undefined> {
    const found = await inSlicesWhile(
      this.columns.firstReplacements(this.#nextId, this.#wanted),
      () => true,
      Slicer.of(holder),
    );
    const missing = new Map<number, ReplacedIn[]>();
    for (const [key, replaced] of found ?? []) {
      if (this.#before.has(key)) continue;
      const others = missing.get(replaced.id);
      if (others) others.push(replaced);
      else missing.set(replaced.id, [replaced]);
    }
    if (this.#before.size + missing.size > PARTS_MAX) return TOO_MUCH;
    const ids = [...missing.keys()];
    const slicer = Slicer.of(holder);
    for (let at = 0; at < ids.length; at += EVENTS_READ_MAX) {
      for (const { id, bytes } of await this.#index.read(ids.slice(at, at + EVENTS_READ_MAX))) {
        this.#take(bytes, missing.get(id) ?? []);
        if (slicer.spent) await slicer.pause();
      }
    }
    this.#nextId = endId;
    return undefined;
  }

  #take(bytes: Uint8Array, wanted: readonly ReplacedIn[]): void {
    const values = new Map<string, object | undefined>();
    for (const part of decodePast(bytes) ?? []) values.set(partKey(part), part.before);
    for (const { name } of wanted) this.#before.set(partKey(name), { name, value: values.get(partKey(name)) });
  }

  /** The state with these parts. The state must not change between the steps. */
  *appliedTo(state: State): Steps<Draft> {
    const draft = new Draft(state);
    const entities = new Map<CollectionName, Map<string, Map<string, object | undefined>>>();
    for (const { name, value } of this.#before.values()) {
      const ofCollection = mapIn(entities, name.collection);
      mapIn(ofCollection, name.key).set(name.part, value);
      yield;
    }
    for (const [collection, byKey] of entities) {
      for (const [key, parts] of byKey) {
        putPast(draft, collection, key, parts);
        yield;
      }
    }
    return draft;
  }
}

function putPast(
  draft: Draft,
  collection: CollectionName,
  key: string,
  parts: ReadonlyMap<string, object | undefined>,
): void {
  const { past } = collectionOf(collection) as Collection<Entity, string, 'own'>;
  const current = draft.get(collection, key) as Entity | undefined;
  const merged = new Map(current && past ? past.split(current) : []);
  for (const [part, value] of parts) {
    if (value === undefined) merged.delete(part);
    else merged.set(part, value);
  }
  if (past && merged.has('')) draft.put(collection as 'features', past.join(merged) as Collections['features']);
  else if (current) draft.remove(collection, key);
  if (collection === 'projects') hideAsNow(draft, current as Project | undefined, key);
}

/** Who may see a project depends on how it is now, also in the past. A project that was deleted is seen only by those who see all. */
function hideAsNow(draft: Draft, current: Project | undefined, key: string): void {
  const project = draft.get('projects', key);
  if (project) draft.put('projects', { ...project, mode: current?.mode ?? 'private' });
}

function mapIn<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  let map = maps.get(key);
  if (!map) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
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
