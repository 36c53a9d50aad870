import { type Work, workAtOnce } from '../../base/work.ts';
import type { CompiledFlag } from '../../evaluation/compile.ts';
import { sumOf } from '../../evaluation/condition.ts';
import { FlagRun } from '../../evaluation/flag-run.ts';
import { type Needs, NeedsBuilder } from '../../evaluation/needs.ts';
import { OFF } from '../../evaluation/variant.ts';
import type { FlagCell } from './flag-cell.ts';

/** Maximum units of work for a chunk in one step: about 200 µs. A chunk of ordinary flags needs a tenth of it. */
const LIGHT_CHUNK_MAX = 10_000;

/** Units of work to find the needs of one flag: a few microseconds. */
const NEEDS_WORK = 100;

/**
 * Flags that are evaluated in one step: they have no parents, and their evaluation never takes long. The `FlagRun` objects are created only when they
 * are needed.
 */
class LightFlags {
  readonly #flags: readonly CompiledFlag[];
  /** Cost of evaluating all of them, in units of work. `costPerChar`: additional cost for each character of the context's longest value. */
  readonly cost: number;
  readonly costPerChar: number;
  #all: FlagRun | undefined;
  #possiblyOn: FlagRun | undefined;

  constructor(flags: readonly CompiledFlag[]) {
    const { fixed, perChar } = sumOf(
      flags.filter(canBeOn).map((flag) => ({ fixed: flag.cost, perChar: flag.costPerChar })),
    );
    this.#flags = flags;
    this.cost = fixed;
    this.costPerChar = perChar;
  }

  get all(): FlagRun {
    this.#all ??= new FlagRun(this.#flags);
    return this.#all;
  }

  /** All flags except the flags that are off for every context. */
  get possiblyOn(): FlagRun {
    this.#possiblyOn ??= new FlagRun(this.#flags.filter(canBeOn));
    return this.#possiblyOn;
  }
}

function canBeOn({ answer }: CompiledFlag): boolean {
  return answer !== OFF;
}

/** Consecutive flags of one project, sorted by name. Immutable. */
export class FlagChunk {
  readonly cells: readonly FlagCell[];
  /** Names of all their parents; null when the flags have no parents, as in nearly all chunks. */
  readonly parents: readonly string[] | null;
  #light: LightFlags | undefined;
  #needs: Needs | undefined;

  constructor(cells: readonly FlagCell[]) {
    this.cells = cells;
    this.parents = parentsOf(cells);
  }

  /** The parts of a context that the flags read, without the parts that only their parents read. */
  get needs(): Needs {
    return this.#needs ?? workAtOnce(this.findNeeds());
  }

  /** Same as `needs`, one step per flag while it is not cached: variants may read thousands of fields. */
  *findNeeds(): Work<Needs> {
    if (this.#needs !== undefined) return this.#needs;
    const needs = new NeedsBuilder();
    for (const cell of this.cells) {
      needs.add(cell.needs);
      yield NEEDS_WORK;
    }
    this.#needs = needs.result;
    return this.#needs;
  }

  /**
   * The flags, if all are compiled and can be evaluated in one step with this length of the longest value; otherwise undefined. Readers then need not
   * check each flag.
   */
  lightFlags(longestValue: number): LightFlags | undefined {
    this.#light ??= this.parents === null ? createLightFlags(this.cells) : undefined;
    const light = this.#light;
    if (light === undefined || light.cost + light.costPerChar * longestValue > LIGHT_CHUNK_MAX) return undefined;
    return light;
  }
}

function parentsOf(cells: readonly FlagCell[]): readonly string[] | null {
  let parents: string[] | null = null;
  for (const { feature } of cells) {
    for (const { feature: parent } of feature.dependencies) {
      parents ??= [];
      parents.push(parent);
    }
  }
  return parents;
}

/** Undefined while any flag is not compiled. */
function createLightFlags(cells: readonly FlagCell[]): LightFlags | undefined {
  const flags: CompiledFlag[] = [];
  for (const { flag } of cells) {
    if (flag === undefined) return undefined;
    flags.push(flag);
  }
  return new LightFlags(flags);
}
