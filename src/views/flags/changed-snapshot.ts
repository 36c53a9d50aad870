import type { Work } from '../../base/work.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { FlagLookup } from '../../evaluation/compile.ts';
import type { HashEncoding } from '../../evaluation/hashing.ts';
import { isServed } from '../../model/client-feature.ts';
import type { StateReader } from '../../state/collections.ts';
import type { Draft } from '../../state/draft.ts';
import { FlagCell } from './flag-cell.ts';
import { FlagChunk } from './flag-chunk.ts';
import { FlagSnapshot } from './flag-snapshot.ts';

/**
 * The flags that may evaluate differently with the draft's changes than without them: flags that the draft changes, and flags that use a segment
 * that the draft changes.
 */
export function* changedFlags(draft: Draft): Steps<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { collection, key } of draft.changes()) {
    if (collection === 'features') names.add(key);
    if (collection !== 'segments') continue;
    for (const { name } of draft.lookup('featuresBySegment', key)) {
      names.add(name);
      yield;
    }
  }
  return names;
}

interface SnapshotChanges {
  readonly draft: Draft;
  /** The flags that may differ. */
  readonly names: ReadonlySet<string>;
  readonly bytes: HashEncoding;
}

/** The snapshot as it would be with the draft's changes. The cells of flags that cannot differ are shared with `snapshot`. */
export function* changedSnapshot(
  snapshot: FlagSnapshot,
  { draft, names, bytes }: SnapshotChanges,
): Steps<FlagSnapshot> {
  const { environment } = snapshot;
  const newCells = new Map<string, FlagCell | undefined>();
  const cellOf = (name: string) => {
    if (!newCells.has(name)) newCells.set(name, newCell(draft, name, environment, bytes));
    return newCells.get(name);
  };
  const chunks: FlagChunk[] = [];
  for (const chunk of snapshot.chunks) {
    const isSame = !chunk.cells.some(({ name }) => names.has(name));
    const cells = isSame
      ? chunk.cells
      : chunk.cells.flatMap((cell) => (names.has(cell.name) ? (cellOf(cell.name) ?? []) : cell));
    if (cells.length > 0) chunks.push(isSame ? chunk : new FlagChunk(cells));
    yield;
  }
  const parentOf = (name: string) => (names.has(name) ? cellOf(name) : (snapshot.parent(name) ?? cellOf(name)));
  return new FlagSnapshot(environment, snapshot.seq, snapshot.revision, chunks, parentOf);
}

function newCell(reader: StateReader, name: string, environment: string, bytes: HashEncoding): FlagCell | undefined {
  const feature = reader.get('features', name);
  const project = feature && reader.get('projects', feature.project);
  return feature && isServed(feature, project, environment)
    ? new FlagCell(reader, feature, environment, bytes)
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
