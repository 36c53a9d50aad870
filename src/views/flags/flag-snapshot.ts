import type { Work } from '../../base/work.ts';
import type { CompiledFlag, FlagLookup } from '../../evaluation/compile.ts';
import type { FlagCell } from './flag-cell.ts';
import type { FlagChunk } from './flag-chunk.ts';

/**
 * The flags of one environment and some projects as of one moment, in the order of answers: by project, then by name. Immutable: an answer
 * that takes many turns of the loop is of one revision, whatever changes meanwhile.
 */
export class FlagSnapshot {
  readonly environment: string;
  /** Sequence number of the state it is of. */
  readonly seq: number;
  readonly chunks: readonly FlagChunk[];
  /** Parents by name, of the projects or not: a flag's parent counts whether or not the caller may see it. */
  readonly #parents: ReadonlyMap<string, FlagCell>;
  readonly find: FlagLookup;

  constructor(
    environment: string,
    seq: number,
    chunks: readonly FlagChunk[],
    parentOf: (name: string) => FlagCell | undefined,
  ) {
    this.environment = environment;
    this.seq = seq;
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
