import { searchName } from '../../base/lists/sorted.ts';
import type { Work } from '../../base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import { type Needs, NeedsBuilder } from '../../evaluation/needs.ts';
import type { FlagCell } from './flag-cell.ts';
import type { FlagChunk } from './flag-chunk.ts';

/** Equal revisions mean equal flags: number and mark together identify the content of a scope (`state/revisions.ts`). */
export interface ScopeRevision {
  /** The scope, as text. */
  readonly scope: string;
  readonly number: number;
  readonly mark: string;
}

/** Units of work to add the needs of one chunk or of one parent. */
const NEEDS_WORK = 1_000;

/**
 * The flags of one environment and some projects at one moment, in the order of answers: by project, then by name. Immutable: an answer
 * that takes many turns of the loop is from one revision, even if flags change meanwhile.
 */
export class FlagSnapshot {
  readonly environment: string;
  /** Sequence number of the state at that moment. */
  readonly seq: number;
  readonly revision: ScopeRevision;
  readonly chunks: readonly FlagChunk[];
  /** Parents by name. They may be outside of the projects: the dependency is evaluated whether or not the caller may see the parent. */
  readonly #parents: ReadonlyMap<string, FlagCell>;
  /** Finds a parent by its name, and compiles it if necessary. */
  readonly find: FlagLookup;
  #needs: Needs | undefined;

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
  }

  /** The flag with this name; undefined when the snapshot does not contain it. */
  cell(name: string): FlagCell | undefined {
    for (const { cells } of this.chunks) {
      // Each chunk contains consecutive names of one project.
      if (name < (cells[0] as FlagCell).name || name > (cells.at(-1) as FlagCell).name) continue;
      const found = searchName(cells.length, (index) => (cells[index] as FlagCell).name, name);
      if (found >= 0) return cells[found];
    }
    return undefined;
  }

  /** The parents of all flags, without duplicates. */
  get parents(): Iterable<FlagCell> {
    return this.#parents.values();
  }

  /** The parent with this name; undefined when no flag depends on it. */
  parent(name: string): FlagCell | undefined {
    return this.#parents.get(name);
  }

  /** The parts of a context that the flags and their parents read; undefined before `findNeeds` has finished. */
  get needs(): Needs | undefined {
    return this.#needs;
  }

  *findNeeds(): Work<Needs> {
    if (this.#needs) return this.#needs;
    const needs = new NeedsBuilder();
    for (const chunk of this.chunks) {
      needs.add(yield* chunk.findNeeds());
      yield NEEDS_WORK;
    }
    for (const parent of this.#parents.values()) {
      needs.add(parent.needs);
      yield NEEDS_WORK;
    }
    this.#needs = needs.result;
    return this.#needs;
  }

  /** Whether a flag depends on a parent outside of these projects, or on a missing parent. */
  hasParentOutside(isInside: (project: string) => boolean): boolean {
    for (const { parents } of this.chunks) {
      for (const name of parents ?? []) {
        const parent = this.#parents.get(name);
        if (!parent || !isInside(parent.feature.project)) return true;
      }
    }
    return false;
  }

  /** The flag of a cell if it and its parents are compiled. */
  compiledFlag({ flag }: FlagCell): CompiledFlag | undefined {
    if (flag === undefined) return undefined;
    for (const { feature } of flag.dependencies) {
      const parent = this.#parents.get(feature);
      if (parent && parent.flag === undefined) return undefined;
    }
    return flag;
  }

  /** Compiles the flag of a cell and its parents, and returns the flag. */
  *compileCell(cell: FlagCell): Work<CompiledFlag> {
    const flag = cell.flag ?? (yield* cell.compile());
    for (const { feature } of flag.dependencies) {
      const parent = this.#parents.get(feature);
      if (parent && parent.flag === undefined) yield* parent.compile();
    }
    return flag;
  }

  /** Compiles all flags and their parents, and returns the flags in order. */
  *compileAll(): Work<CompiledFlag[]> {
    const flags: CompiledFlag[] = [];
    for (const { cells } of this.chunks) for (const cell of cells) flags.push(yield* this.compileCell(cell));
    return flags;
  }
}
