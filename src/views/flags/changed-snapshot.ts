import type { Steps } from '../../base/yield-control.ts';
import { isServed } from '../../model/client-feature.ts';
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

/**
 * The snapshot as it would be with the draft's changes. `names`: the flags that may differ. The cells of all other flags are shared with
 * `snapshot`.
 */
export function* changedSnapshot(
  snapshot: FlagSnapshot,
  draft: Draft,
  names: ReadonlySet<string>,
): Steps<FlagSnapshot> {
  const { environment } = snapshot;
  const newCells = new Map<string, FlagCell | undefined>();
  const cellOf = (name: string) => {
    if (!newCells.has(name)) newCells.set(name, newCell(draft, name, environment));
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

function newCell(draft: Draft, name: string, environment: string): FlagCell | undefined {
  const feature = draft.get('features', name);
  const project = feature && draft.get('projects', feature.project);
  return feature && isServed(feature, project, environment) ? new FlagCell(draft, feature, environment) : undefined;
}
