import { searchName } from '../../base/sorted.ts';
import type { Work } from '../../base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { FlagCell } from './flag-cell.ts';
import type { FlagChunk } from './flag-chunk.ts';
import { SnapshotClock } from './snapshot-clock.ts';

/** Equal ones, equal flags: number and mark together tell one content of a scope from another (`state/revisions.ts`). */
export interface ScopeRevision {
  /** The scope, as text. */
  readonly scope: string;
  readonly number: number;
  readonly mark: string;
}

/**
 * The flags of one environment and some projects as of one moment, in the order of answers: by project, then by name. Immutable: an answer
 * that takes many turns of the loop is of one revision, whatever changes meanwhile.
 */
export class FlagSnapshot {
  readonly environment: string;
  /** Sequence number of the state it is of. */
  readonly seq: number;
  readonly revision: ScopeRevision;
  readonly chunks: readonly FlagChunk[];
  /** Parents by name, of the projects or not: a flag's parent counts whether or not the caller may see it. */
  readonly #parents: ReadonlyMap<string, FlagCell>;
  readonly find: FlagLookup;
  readonly clock: SnapshotClock;

  constructor(
    environment: string,
    seq: number,
    revision: ScopeRevision,
    chunks: readonly FlagChunk[],
    parentOf: (name: string) => FlagCell | undefined,
  ) {
    this.environment = environment;
    this.seq = seq;
    this.revision = revision;
    this.chunks = chunks;
    const parents = new Map<string, FlagCell>();
    for (const chunk of chunks) {
      for (const name of chunk.parents ?? []) {
        const cell = parents.has(name) ? undefined : parentOf(name);
        if (cell) parents.set(name, cell);
      }
    }
    this.#parents = parents;
    this.find = (name) => this.#parents.get(name)?.compiled();
    this.clock = new SnapshotClock(
      parents.size === 0 ? chunks : [...chunks, { cells: [...parents.values()], moments: undefined }],
    );
  }

  /** A flag of the projects; undefined when there is none of that name. Looks at each chunk once. */
  cell(name: string): FlagCell | undefined {
    for (const { cells } of this.chunks) {
      if (name < (cells[0] as FlagCell).name || name > (cells.at(-1) as FlagCell).name) continue;
      const index = searchName(cells.length, (at) => (cells[at] as FlagCell).name, name);
      if (index >= 0) return cells[index];
    }
    return undefined;
  }

  /** A parent of any of the flags. */
  parent(name: string): FlagCell | undefined {
    return this.#parents.get(name);
  }

  /** The flag of a cell, compiled, and its parents with it. */
  *ready(cell: FlagCell): Work<CompiledFlag> {
    const flag = cell.flag ?? (yield* cell.compile());
    for (const { feature } of flag.dependencies) {
      const parent = this.#parents.get(feature);
      if (parent && parent.flag === undefined) yield* parent.compile();
    }
    return flag;
  }

  /** All flags, compiled. */
  *flags(): Work<CompiledFlag[]> {
    const flags: CompiledFlag[] = [];
    for (const { cells } of this.chunks) for (const cell of cells) flags.push(yield* this.ready(cell));
    return flags;
  }
}
