import { maySeeNamed, type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Caller } from '../../model/caller.ts';
import type { EventType } from '../../model/event.ts';
import type { Project } from '../../model/project.ts';
import type { Entity, RecordedName, StateReader } from '../../state/collections.ts';
import { projectsNamedByEvent } from '../../state/named-projects.ts';
import { decodePast, type PartName, type PastPart, withParts } from '../../state/past.ts';
import { EVENTS_READ_MAX } from '../../stores/store.ts';
import { decodeForSummary } from '../events/present.ts';
import { firstRevision } from '../past/moment.ts';
import { readingPast, readPast } from '../past/past-state.ts';
import type { Services } from '../services.ts';
import { neverUndone } from '../shared/never-undone.ts';
import { recordedAs } from '../shared/recorded.ts';
import { projectIn } from './scope.ts';
import { shownId } from './subjects.ts';
import type { Reversal, UndoInput } from './undo-command.ts';
import { undoRuleOf } from './undo-rules.ts';

/** Maximum number of objects that one request undoes. */
export const UNDO_MAX = 1_000;

/** Names an entity as histories do. */
interface UndoneEntity {
  readonly type: string;
  readonly id: string;
}

/** What is undone of a commit. */
export interface WantedUndo {
  readonly revision: number;
  /** Only these; undefined for all. */
  readonly entities?: readonly UndoneEntity[] | undefined;
  /** Of flags, only the settings in these environments; undefined for everything. */
  readonly environments?: readonly string[] | undefined;
}

interface UndoRequest extends WantedUndo {
  /** The projects that the caller may see. */
  readonly visible: VisibleProjects;
  readonly asker: Asker;
}

/** Who wants the undo, and waits for it. */
export interface UndoSender {
  readonly caller: Caller;
  readonly asker: Asker;
}

/**
 * The input of the command that undoes a commit: the entities that it changed, as they were before and after it. A rejection if nothing of it can be
 * undone, or if the caller reads too much of the past.
 */
export function readUndo(
  services: Services,
  { caller, asker }: UndoSender,
  wanted: WantedUndo,
): Promise<UndoInput | Rejection> {
  const request = { ...wanted, visible: visibleProjects(services.state, caller), asker };
  return readingPast(services, asker, () => undoInput(services, request));
}

/** @throws StoreError */
async function undoInput(services: Services, request: UndoRequest): Promise<UndoInput | Rejection> {
  const { revision, visible, asker } = request;
  const commit = await readCommit(services, request);
  if (commit instanceof Rejection) return commit;
  const byEntity = await inSlices(undoableParts(commit.parts, request), Slicer.of(asker));
  if (byEntity instanceof Rejection) return byEntity;
  const names = Array.from(byEntity.values(), ([part]) => (part?.collection === 'features' ? [part.key] : [])).flat();
  const isPastAccess = ({ collection, key }: PartName) => byEntity.has(`${collection} ${key}`);
  const past = { at: String(revision), path: '/revision', flags: { names }, isPastAccess, asker };
  return readPast<UndoInput | Rejection>(services, past, async ({ reader, now }) => {
    const steps = seenReversals({ before: now, after: reader }, byEntity, visible);
    const reversals = await inSlices(steps, Slicer.of(asker));
    if (reversals.length === 0) return nothingToUndo(revision, commit.types);
    const projects = new Map(
      commit.parts.flatMap((one) => (one.collection === 'projects' ? [[one.key, one.before]] : [])),
    );
    const then = (id: string) => (reader.get('projects', id) ?? projects.get(id)) as Project | undefined;
    const again = await inSlices(projectCreatedAgain(reversals, then, now), Slicer.of(asker));
    if (again !== undefined) return createdAgain(again, revision);
    return { revision, reversals, left: neverUndone(commit.types) };
  });
}

/** The reversals without those of entities of which the caller may not see one version: conflicts name values. */
function* seenReversals(
  { before: now, after }: { readonly before: StateReader; readonly after: StateReader },
  byEntity: ReadonlyMap<string, readonly PastPart[]>,
  visible: VisibleProjects,
): Steps<Reversal[]> {
  const reversals: Reversal[] = [];
  for (const replaced of byEntity.values()) {
    yield;
    const reversal = reversalOf(replaced, (collection, key) => after.get(collection, key) as Entity | undefined);
    const { collection, key } = reversal;
    const versions = [reversal.before, reversal.after, now.get(collection, key) as object | undefined];
    const projects = versions.map((one) => projectIn(collection, one ?? undefined));
    if (projects.every((project) => project === null || visible.has(project)) && hasOwnChange(reversal)) {
      reversals.push(reversal);
    }
  }
  return reversals;
}

/**
 * A project of the reversals that was deleted since, and whose id another project has now. Nothing of the deleted project may come back in that one: its
 * people are others. `then`: the project at the time of the commit.
 */
function* projectCreatedAgain(
  reversals: readonly Reversal[],
  then: (id: string) => Project | undefined,
  now: StateReader,
): Steps<string | undefined> {
  for (const { collection, before, after } of reversals) {
    yield;
    for (const version of [before, after]) {
      const id = projectIn(collection, version ?? undefined);
      if (id === null) continue;
      const [old, current] = [then(id), now.get('projects', id)];
      if (old && current && old.createdAt !== current.createdAt) return id;
    }
  }
  return undefined;
}

function createdAgain(project: string, revision: number): Rejection {
  return conflict(
    `The project ${project} was created after revision ${revision}, and only has the id of a project that was deleted. ` +
      'An undo restores nothing of the deleted one in it: name other objects in `entities`.',
  );
}

/** Whether the commit changed more than fields that follow from other changes, such as the time of the last change. */
function hasOwnChange({ collection, before, after }: Reversal): boolean {
  const { derived = [] } = undoRuleOf(collection);
  const fields = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  if (!before || !after) return true;
  for (const field of fields) {
    if (!derived.includes(field) && !isSameJson(before[field as never], after[field as never])) return true;
  }
  return false;
}

/** The parts of entities that the request names, by entity. */
function* undoableParts(
  parts: readonly PastPart[],
  { revision, entities, environments }: WantedUndo,
): Steps<ReadonlyMap<string, PastPart[]> | Rejection> {
  const wanted = entities && new Set(entities.map(({ type, id }) => `${type} ${id}`));
  const byEntity = new Map<string, PastPart[]>();
  for (const part of parts) {
    yield;
    if (wanted && !namesOf(part).some((name) => wanted.has(name))) continue;
    if (environments && part.collection === 'features' && !environments.includes(part.part)) continue;
    const known = byEntity.get(`${part.collection} ${part.key}`);
    if (known) known.push(part);
    else if (byEntity.size < UNDO_MAX) byEntity.set(`${part.collection} ${part.key}`, [part]);
    else return tooMany(revision);
  }
  return byEntity;
}

/** How a request may name the entity: by its type, and by its key or by the id that histories show. */
function namesOf({ collection, key }: PastPart): readonly string[] {
  const type = recordedAs(collection)?.type;
  return [`${type} ${key}`, `${type} ${shownId({ collection, key })}`];
}

function nothingToUndo(revision: number, types: ReadonlySet<EventType>): Rejection {
  const [reason] = neverUndone(types);
  if (reason) return invalid(`Revision ${revision} cannot be undone (${reason.event}): ${reason.reason}`);
  return notFound(`Revision ${revision} changed nothing that can be undone, or nothing of what the request names.`);
}

function tooMany(revision: number): Rejection {
  const message = `Revision ${revision} changed more than ${UNDO_MAX} objects; name at most ${UNDO_MAX} of them.`;
  return invalid(message, '/entities');
}

function reversalOf(
  replaced: readonly PastPart[],
  afterOf: (collection: RecordedName, key: string) => Entity | undefined,
): Reversal {
  const [{ collection, key }] = replaced as readonly [PastPart & { readonly collection: RecordedName }];
  const after = afterOf(collection, key);
  const before = withParts(
    collection,
    after,
    replaced.map(({ part, before }) => [part, before]),
  );
  return { collection, key, before: before ?? null, after: after ?? null };
}

interface ReadCommit {
  readonly parts: readonly PastPart[];
  readonly types: ReadonlySet<EventType>;
}

/** The parts that the commit replaced, and the types of those events that the caller may see. */
async function readCommit(
  { eventIndex, state }: Services,
  { revision, visible, asker }: UndoRequest,
): Promise<ReadCommit | Rejection> {
  if (revision > state.seq) return notFound(`There is no revision ${revision}; the newest one is ${state.seq}.`);
  const columns = await eventIndex.upToDate();
  const first = firstRevision(columns, state);
  if (revision <= first) return notFound(`The recorded past begins after revision ${first}.`);
  const [firstId, endId] = [columns.firstIdAfter(revision - 1), columns.firstIdAfter(revision)];
  const parts: PastPart[] = [];
  const types = new Set<EventType>();
  const slicer = Slicer.of(asker);
  for (let id = firstId; id < endId; id += EVENTS_READ_MAX) {
    const ids = Array.from({ length: Math.min(EVENTS_READ_MAX, endId - id) }, (_, index) => id + index);
    for (const { bytes } of await eventIndex.read(ids)) {
      const { type, project } = decodeForSummary(bytes);
      if (maySeeNamed(visible, await inSlices(projectsNamedByEvent(bytes, project), slicer))) types.add(type);
      for (const part of (await inSlices(decodePast(bytes), slicer)) ?? []) parts.push(part);
    }
  }
  return { parts, types };
}
