import type { VisibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { sortedNames } from '../../base/lists/sorted.ts';
import type { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer, type Steps } from '../../base/yield-control.ts';
import type { Entity, StateReader } from '../../state/collections.ts';
import type { Draft } from '../../state/draft.ts';
import { type PartName, partKey, partsOf } from '../../state/past.ts';
import { type PastFlags, readingPast, readPast } from '../past/past-state.ts';
import type { Services } from '../services.ts';
import { changeOfPart, partOf } from './changes.ts';
import { belongsTo, type HistoryScope, isVisible, needsAccess, segmentsOf } from './scope.ts';
import { nameOf, type ReadAt } from './subjects.ts';

/** Maximum number of changes in an answer, and of their characters. */
const CHANGES_MAX = 2_000;
const CHARS_MAX = 4_000_000;

interface DifferenceRequest {
  readonly from: string;
  /** Undefined: now. */
  readonly to: string | undefined;
  readonly scope: HistoryScope;
  readonly visible: VisibleProjects;
  readonly asker: Asker;
}

interface Difference {
  readonly from: number;
  readonly to: number;
  /** As JSON. */
  readonly changes: readonly string[];
  /** Whether more differs than is listed. */
  readonly more: boolean;
}

/** What differs between the states at two moments, by type and id. Leaves out what the caller may not see. */
export function difference(services: Services, request: DifferenceRequest): Promise<Difference | Rejection> {
  return readingPast(services, request.asker, () => readDifference(services, request));
}

/** @throws StoreError */
function readDifference(services: Services, request: DifferenceRequest): Promise<Difference | Rejection> {
  const { from, to, scope, asker } = request;
  const flags = flagsOf(scope);
  const isPastAccess = (name: PartName) => needsAccess(scope, name);
  return readPast<Difference | Rejection>(
    services,
    { at: from, path: '/from', flags, isPastAccess, asker },
    async (first) => {
      const compare = async (after: StateReader, drafts: readonly Draft[], revision: number) => {
        const steps = comparison(first.reader, after, drafts, request);
        return { from: first.revision, to: revision, ...(await inSlices(steps, Slicer.of(asker))) };
      };
      if (to === undefined) return compare(first.now, [first.reader], first.now.seq);
      return readPast(services, { at: to, path: '/to', flags, isPastAccess, asker }, ({ reader, revision }) =>
        compare(reader, [first.reader, reader], revision),
      );
    },
  );
}

function flagsOf(scope: HistoryScope): PastFlags {
  if (scope.of === 'feature') return { names: [scope.id] };
  if (scope.of === 'project') return { project: scope.id };
  return scope.of === 'segment' ? { names: [] } : 'all';
}

/** The entities that differ from now at one of the moments, by type and id. */
function* changedEntities(drafts: readonly Draft[]): Steps<readonly PartName[]> {
  const names = new Map<string, PartName>();
  for (const draft of drafts) {
    for (const { collection, key } of yield* draft.changesInSteps()) {
      const name = { collection, key, part: '' };
      names.set(partKey(name), name);
      yield;
    }
  }
  const sorted = yield* sortedNames(names.keys());
  return sorted.map((key) => names.get(key) as PartName);
}

/** `drafts`: the past states among the two. */
function* comparison(
  before: StateReader,
  after: StateReader,
  drafts: readonly Draft[],
  { scope, visible }: DifferenceRequest,
): Steps<Pick<Difference, 'changes' | 'more'>> {
  const used = scope.of === 'feature' ? usedSegments([before, after], scope.id) : new Set<string>();
  const at: ReadAt = (collection, key) => after.get(collection, key) ?? before.get(collection, key);
  const changes: string[] = [];
  let chars = 0;
  for (const entity of yield* changedEntities(drafts)) {
    const flagProjects = [before, after].map((reader) => projectOf(reader, entity));
    for (const part of partNames(entity, before, after)) {
      yield;
      const name = { ...entity, part };
      const values = { before: partOf(before, name), after: partOf(after, name) };
      const named = (value: object) => nameOf(name, value, after, at);
      const change = changeOfPart(name, values.before, values.after, flagProjects[1] ?? flagProjects[0] ?? null, named);
      if (!change || !isVisible({ collection: name.collection, ...values, flagProjects }, visible)) continue;
      if (!belongsTo(scope, name, change, flagProjects, (segment) => used.has(segment))) continue;
      if (changes.length >= CHANGES_MAX || chars > CHARS_MAX) return { changes, more: true };
      const text = JSON.stringify(change);
      chars += text.length;
      changes.push(text);
    }
  }
  return { changes, more: false };
}

/** The parts of the entity at both moments. If it does not exist at one of them, only the entity itself is compared. */
function partNames({ collection, key }: PartName, before: StateReader, after: StateReader): readonly string[] {
  const parts = [before, after].map((reader) => partsOf(collection, reader.get(collection, key) as Entity | undefined));
  if (parts.some(({ size }) => size === 0)) return [''];
  return [...new Set(parts.flatMap((one) => [...one.keys()]))];
}

function projectOf(reader: StateReader, { collection, key }: PartName): string | null {
  return collection === 'features' ? (reader.get('features', key)?.project ?? null) : null;
}

function usedSegments(readers: readonly StateReader[], flag: string): ReadonlySet<string> {
  return new Set(readers.flatMap((reader) => [...segmentsOf({ get: (name) => partOf(reader, name) }, flag)]));
}
