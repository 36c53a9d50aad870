import { type VisibleProjects, visibleProjects } from '../../access/visibility.ts';
import { invalid, notFound, Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import { type Caller, holderOf } from '../../model/caller.ts';
import type { Entity } from '../../state/collections.ts';
import { decodePast, type PastPart, withParts } from '../../state/past.ts';
import { EVENTS_READ_MAX } from '../../stores/store.ts';
import { firstRevision } from '../past/at.ts';
import { readingPast, readPast } from '../past/past-state.ts';
import type { Services } from '../services.ts';
import { changeOfPart } from './changes.ts';
import { HISTORY_TYPES } from './kinds.ts';
import type { Reversal, UndoInput } from './undo-command.ts';

/** Maximum number of flags and segments that one request undoes. */
export const UNDO_MAX = 1_000;

/** Names a flag or a segment. */
interface UndoneEntity {
  readonly type: 'feature' | 'segment';
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
  readonly holder: string;
}

/**
 * The input of the command that undoes a commit: the flags and segments that it changed, as they were before and after it. A rejection if the commit
 * changed something else that cannot be undone, or if the caller reads too much of the past.
 */
export function readUndo(services: Services, caller: Caller, wanted: WantedUndo): Promise<UndoInput | Rejection> {
  const holder = holderOf(caller);
  const request = { ...wanted, visible: visibleProjects(services.state, caller), holder };
  return readingPast(services, holder, () => undoInput(services, request));
}

/** @throws StoreError */
async function undoInput(
  services: Services,
  { revision, entities, environments, visible, holder }: UndoRequest,
): Promise<UndoInput | Rejection> {
  const parts = await partsOfCommit(services, revision, holder);
  if (parts instanceof Rejection) return parts;
  const changed = await inSlices(undoableParts(parts, { revision, entities, environments }), Slicer.of(holder));
  if (changed instanceof Rejection) return changed;
  const { byEntity, projects } = changed;
  const names = Array.from(byEntity.values(), ([part]) => part?.key ?? '');
  const request = { at: String(revision), path: '/revision', flags: { names }, holder };
  return readPast<UndoInput | Rejection>(services, request, ({ reader }) => {
    // The move of a flag changes both projects, but only the time of their last change.
    for (const { key, before } of projects) {
      const after = reader.get('projects', key);
      const name = { collection: 'projects', key, part: '' } as const;
      if (changeOfPart(name, before, after, null)) return notUndoable(revision, 'project');
    }
    const afterOf = (collection: 'features' | 'segments', key: string) => reader.get(collection, key);
    const reversals = Array.from(byEntity.values(), (replaced) => reversalOf(replaced, afterOf));
    // Conflicts name values: the caller has to see the object at all three moments.
    const isSeen = ({ collection, key, before, after }: Reversal) =>
      [before, after, services.state.get(collection, key)].every(
        (one) => !one || one.project === null || visible.has(one.project),
      );
    const seen = reversals.filter(isSeen);
    return seen.length > 0 ? { revision, reversals: seen } : nothingToUndo(revision);
  });
}

/** The parts of flags and segments that the request names, by entity, and those of projects. A rejection if something else was changed. */
function* undoableParts(
  parts: readonly PastPart[],
  { revision, entities, environments }: WantedUndo,
): Steps<{ readonly byEntity: ReadonlyMap<string, PastPart[]>; readonly projects: readonly PastPart[] } | Rejection> {
  const wanted = entities && new Set(entities.map(({ type, id }) => `${type} ${id}`));
  const byEntity = new Map<string, PastPart[]>();
  const projects: PastPart[] = [];
  for (const part of parts) {
    yield;
    const type = HISTORY_TYPES[part.collection as keyof typeof HISTORY_TYPES];
    if (wanted && !wanted.has(`${type} ${part.key}`)) continue;
    if (part.collection === 'projects') {
      projects.push(part);
      continue;
    }
    if (environments && part.collection === 'features' && !environments.includes(part.part)) continue;
    if (part.collection !== 'features' && part.collection !== 'segments') {
      return notUndoable(revision, type);
    }
    const known = byEntity.get(`${part.collection} ${part.key}`);
    if (known) known.push(part);
    else if (byEntity.size < UNDO_MAX) byEntity.set(`${part.collection} ${part.key}`, [part]);
    else return tooMany(revision);
  }
  if (byEntity.size === 0) return nothingToUndo(revision);
  return { byEntity, projects };
}

function nothingToUndo(revision: number): Rejection {
  return notFound(`Revision ${revision} changed no flag and no segment that can be undone.`);
}

function tooMany(revision: number): Rejection {
  const message = `Revision ${revision} changed more than ${UNDO_MAX} flags and segments; name at most ${UNDO_MAX} of them.`;
  return invalid(message, '/entities');
}

function notUndoable(revision: number, type: string): Rejection {
  return invalid(
    `Revision ${revision} changed an object of the type ${type}. Only changes of flags and segments can be undone.`,
  );
}

function reversalOf(
  replaced: readonly PastPart[],
  afterOf: (collection: 'features' | 'segments', key: string) => Entity | undefined,
): Reversal {
  const [{ collection, key }] = replaced as readonly [PastPart & { collection: 'features' | 'segments' }];
  const after = afterOf(collection, key);
  const before = withParts(
    collection,
    after,
    replaced.map(({ part, before }) => [part, before]),
  );
  return { collection, key, before: before ?? null, after: after ?? null } as Reversal;
}

/** The parts that the commit replaced. */
async function partsOfCommit(
  { eventIndex, state }: Services,
  revision: number,
  holder: string,
): Promise<readonly PastPart[] | Rejection> {
  if (revision > state.seq) return notFound(`There is no revision ${revision}; the newest one is ${state.seq}.`);
  const columns = await eventIndex.upToDate();
  const first = firstRevision(columns, state);
  if (revision <= first) return notFound(`The recorded past begins after revision ${first}.`);
  const [firstId, endId] = [columns.firstIdAfter(revision - 1), columns.firstIdAfter(revision)];
  const parts: PastPart[] = [];
  const slicer = Slicer.of(holder);
  for (let id = firstId; id < endId; id += EVENTS_READ_MAX) {
    const ids = Array.from({ length: Math.min(EVENTS_READ_MAX, endId - id) }, (_, index) => id + index);
    for (const { bytes } of await eventIndex.read(ids)) {
      for (const part of (await inSlices(decodePast(bytes), slicer)) ?? []) parts.push(part);
    }
  }
  return parts;
}
