import type { VisibleProjects } from '../../access/visibility.ts';
import type { Rejection } from '../../base/rejection.ts';
import { Slicer } from '../../base/yield-control.ts';
import type { Collection } from '../../model/collection.ts';
import { collectionOf, type Entity, type StateReader } from '../../state/collections.ts';
import type { Draft } from '../../state/draft.ts';
import { type PartName, partKey } from '../../state/past.ts';
import { type PastFlags, readPast } from '../past/past-state.ts';
import type { Services } from '../services.ts';
import { changeOfPart, type HistoryChange, partOf } from './changes.ts';
import { belongsTo, type HistoryScope, isVisible, segmentsOf } from './scope.ts';

/** Maximum number of changes in an answer, and of their characters. */
const CHANGES_MAX = 2_000;
const CHARS_MAX = 4_000_000;

interface DifferenceRequest {
  readonly from: string;
  /** Undefined: now. */
  readonly to: string | undefined;
  readonly scope: HistoryScope;
  readonly visible: VisibleProjects;
  readonly holder: string;
}

export interface Difference {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly HistoryChange[];
  /** Whether more differs than is listed. */
  readonly more: boolean;
}

/** What differs between the states at two moments, by type and id. Leaves out what the caller may not see. */
export function difference(services: Services, request: DifferenceRequest): Promise<Difference | Rejection> {
  const { from, to, scope, holder } = request;
  const flags = flagsOf(scope);
  const { state } = services;
  return readPast<Difference | Rejection>(services, { at: from, path: '/from', flags, holder }, async (first) => {
    const compare = async (after: StateReader, second: Draft | undefined, revision: number) => {
      const names = changedParts(first.reader, second);
      const { changes, more } = await comparison(first.reader, after, names, request);
      return { from: first.revision, to: revision, changes, more };
    };
    if (to === undefined) return compare(state, undefined, state.seq);
    return readPast(services, { at: to, path: '/to', flags, holder }, ({ reader, revision }) =>
      compare(reader, reader, revision),
    );
  });
}

function flagsOf(scope: HistoryScope): PastFlags {
  if (scope.of === 'feature') return { names: [scope.id] };
  if (scope.of === 'project') return { project: scope.id };
  return scope.of === 'segment' ? { names: [] } : 'all';
}

/** The entities that differ from now at one of the moments. */
function changedParts(first: Draft, second: Draft | undefined): ReadonlyMap<string, PartName> {
  const names = new Map<string, PartName>();
  for (const { collection, key } of [...first.changes(), ...(second?.changes() ?? [])]) {
    const name = { collection, key, part: '' };
    names.set(partKey(name), name);
  }
  return names;
}

async function comparison(
  before: StateReader,
  after: StateReader,
  names: ReadonlyMap<string, PartName>,
  { scope, visible, holder }: DifferenceRequest,
): Promise<Pick<Difference, 'changes' | 'more'>> {
  const used = scope.of === 'feature' ? usedSegments([before, after], scope.id) : new Set<string>();
  const slicer = Slicer.of(holder);
  const changes: HistoryChange[] = [];
  let chars = 0;
  for (const [, entity] of [...names].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (slicer.spent) await slicer.pause();
    for (const part of partNames(entity, before, after)) {
      const name = { ...entity, part };
      const flagProjects = [before, after].map((reader) => projectOf(reader, entity));
      const values = { before: partOf(before, name), after: partOf(after, name) };
      const change = changeOfPart(name, values.before, values.after, flagProjects[1] ?? flagProjects[0] ?? null);
      if (!change || !isVisible({ collection: name.collection, ...values, flagProjects }, visible)) continue;
      if (!belongsTo(scope, name, change, flagProjects, (segment) => used.has(segment))) continue;
      chars += JSON.stringify(change).length;
      if (changes.length >= CHANGES_MAX || chars > CHARS_MAX) return { changes, more: true };
      changes.push(change);
    }
  }
  return { changes, more: false };
}

/** The parts of the entity at one of the moments. If it does not exist at one of them, only the entity itself is compared. */
function partNames({ collection, key }: PartName, before: StateReader, after: StateReader): readonly string[] {
  const { past } = collectionOf(collection) as Collection<Entity, string, 'own'>;
  const entities = [before, after].map((reader) => reader.get(collection, key) as Entity | undefined);
  if (!past || entities.some((entity) => entity === undefined)) return [''];
  return [...new Set(entities.flatMap((entity) => (entity ? [...past.split(entity).keys()] : [])))];
}

function projectOf(reader: StateReader, { collection, key }: PartName): string | null {
  return collection === 'features' ? (reader.get('features', key)?.project ?? null) : null;
}

function usedSegments(readers: readonly StateReader[], flag: string): ReadonlySet<string> {
  return new Set(readers.flatMap((reader) => [...segmentsOf({ get: (name) => partOf(reader, name) }, flag)]));
}
