import { sortedNames } from '../../base/lists/sorted.ts';
import { isSameJson } from '../../base/same-json.ts';
import type { Work } from '../../base/work.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { FlagLookup } from '../../evaluation/compile.ts';
import type { HashEncoding } from '../../evaluation/hashing.ts';
import { covers, type Scope } from '../../model/caller.ts';
import { isServed } from '../../model/client-feature.ts';
import type { Feature } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Draft } from '../../state/draft.ts';
import { FlagCell } from './flag-cell.ts';
import { FlagChunk } from './flag-chunk.ts';
import { FlagSnapshot } from './flag-snapshot.ts';

/**
 * The flags that may evaluate differently with the draft's changes than without them: flags that the draft changes, flags that use a segment that the
 * draft changes, and flags of projects that have other environments in the draft.
 */
export function* changedFlags(draft: Draft): Steps<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { collection, key } of yield* draft.changesInSteps()) {
    if (collection === 'features') names.add(key);
    else if (collection === 'segments') yield* addNames(names, draft.lookup('featuresBySegment', key));
    else if (
      collection === 'projects' &&
      hasOtherEnvironments(draft.before('projects', key), draft.get('projects', key))
    )
      yield* addNames(names, draft.lookup('featuresByProject', key));
    yield;
  }
  return names;
}

function hasOtherEnvironments(before: Project | undefined, after: Project | undefined): boolean {
  return !isSameJson(before?.environments ?? [], after?.environments ?? []);
}

function* addNames(names: Set<string>, flags: Iterable<Feature>): Steps<void> {
  for (const { name } of flags) {
    names.add(name);
    yield;
  }
}

interface SnapshotChanges {
  readonly draft: Draft;
  /** The flags that may differ. */
  readonly names: ReadonlySet<string>;
  /** The scope of the snapshot. */
  readonly scope: Scope;
  readonly bytes: HashEncoding;
}

/**
 * The snapshot as it would be with the draft's changes, also with flags that exist only in the draft. The cells of flags that cannot differ are shared
 * with `snapshot`. The result does not read the draft later.
 */
export function* changedSnapshot(
  snapshot: FlagSnapshot,
  { draft, names, scope, bytes }: SnapshotChanges,
): Steps<FlagSnapshot> {
  const { environment } = snapshot;
  const newCells = new Map<string, FlagCell>();
  const byProject = new Map<string, { readonly chunks: FlagChunk[]; readonly fresh: FlagCell[] }>();
  const partsOf = (project: string) => {
    let parts = byProject.get(project);
    if (!parts) {
      parts = { chunks: [], fresh: [] };
      byProject.set(project, parts);
    }
    return parts;
  };
  for (const chunk of snapshot.chunks) {
    partsOf((chunk.cells[0] as FlagCell).feature.project).chunks.push(chunk);
    yield;
  }
  for (const name of yield* sortedNames(names)) {
    const cell = newCell(draft, name, environment, bytes);
    yield;
    if (!cell) continue;
    newCells.set(name, cell);
    if (covers(scope, cell.feature.project)) partsOf(cell.feature.project).fresh.push(cell);
  }
  const chunks: FlagChunk[] = [];
  for (const project of yield* sortedNames(byProject.keys())) {
    const parts = partsOf(project);
    for (const chunk of yield* mergedChunks(parts.chunks, parts.fresh, names)) chunks.push(chunk);
  }
  const parentOf = (name: string) =>
    names.has(name) ? newCells.get(name) : (snapshot.parent(name) ?? newCell(draft, name, environment, bytes));
  return new FlagSnapshot(environment, snapshot.seq, snapshot.revision, chunks, parentOf);
}

/** Number of cells in a new chunk. */
const CHUNK_FLAGS = 64;

/** The chunks of a project without the flags of these names, but with the fresh cells. Both lists are sorted by name. */
function* mergedChunks(
  chunks: readonly FlagChunk[],
  fresh: readonly FlagCell[],
  replaced: ReadonlySet<string>,
): Steps<FlagChunk[]> {
  const merged: FlagChunk[] = [];
  let cells: FlagCell[] = [];
  let next = 0;
  const flush = () => {
    if (cells.length > 0) merged.push(new FlagChunk(cells));
    cells = [];
  };
  const add = (cell: FlagCell) => {
    cells.push(cell);
    if (cells.length === CHUNK_FLAGS) flush();
  };
  const addFresh = function* (isBefore: (name: string) => boolean): Steps<void> {
    for (; next < fresh.length && isBefore((fresh[next] as FlagCell).name); next++) {
      add(fresh[next] as FlagCell);
      yield;
    }
  };
  for (const chunk of chunks) {
    const first = (chunk.cells[0] as FlagCell).name;
    const last = (chunk.cells.at(-1) as FlagCell).name;
    yield* addFresh((name) => name < first);
    yield;
    const following = fresh[next];
    const isSame =
      (following === undefined || following.name > last) && !chunk.cells.some(({ name }) => replaced.has(name));
    if (isSame) {
      flush();
      merged.push(chunk);
      continue;
    }
    for (const cell of chunk.cells) {
      yield* addFresh((name) => name <= cell.name);
      if (!replaced.has(cell.name)) add(cell);
    }
  }
  yield* addFresh(() => true);
  flush();
  return merged;
}

function newCell(reader: StateReader, name: string, environment: string, bytes: HashEncoding): FlagCell | undefined {
  const feature = reader.get('features', name);
  const project = feature && reader.get('projects', feature.project);
  return feature && isServed(feature, project, environment)
    ? new FlagCell(reader, feature, environment, { hashEncoding: bytes })
    : undefined;
}

/** A few flags of one environment in one state, with their parents. */
export interface FewFlags {
  readonly cells: ReadonlyMap<string, FlagCell>;
  /** Finds a parent that is compiled. */
  readonly find: FlagLookup;
  /** Compiles the flags and their parents. */
  compileAll(): Work<void>;
}

/** The flags with these names as `reader` has them, without flags that SDKs do not get in the environment. */
export function* fewFlags(
  reader: StateReader,
  environment: string,
  names: Iterable<string>,
  bytes: HashEncoding,
): Steps<FewFlags> {
  const cells = new Map<string, FlagCell>();
  const parents = new Map<string, FlagCell>();
  for (const name of names) {
    const cell = newCell(reader, name, environment, bytes);
    if (cell) cells.set(name, cell);
    yield;
  }
  for (const { feature } of cells.values()) {
    for (const { feature: name } of feature.dependencies) {
      const parent = parents.get(name) ?? cells.get(name) ?? newCell(reader, name, environment, bytes);
      if (parent) parents.set(name, parent);
      yield;
    }
  }
  return {
    cells,
    find: (name) => parents.get(name)?.flag,
    *compileAll() {
      for (const cell of cells.values()) yield* cell.compile();
      for (const cell of parents.values()) yield* cell.compile();
    },
  };
}
