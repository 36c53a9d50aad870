import { type Work, workAtOnce } from '../../base/work.ts';
import type { CompiledFlag } from '../../evaluation/compile.ts';
import { type Needs, NeedsBuilder } from '../../evaluation/needs.ts';
import { OFF } from '../../evaluation/variant.ts';
import type { FlagCell } from './flag-cell.ts';

/** Units of work that a chunk may take in one go: about 200 µs. A chunk of ordinary flags takes a tenth of it. */
const LIGHT_CHUNK_MAX = 10_000;

/** Of a flag: a few microseconds. */
const NEEDS_WORK = 100;

/** Flags that are evaluated in one go: no parents, and nothing that takes long. */
interface LightFlags {
  readonly all: readonly CompiledFlag[];
  /** Without those that are off for everybody. */
  readonly flags: readonly CompiledFlag[];
  /** What all of them take together, in units of work; and for each character of the context's longest value. */
  readonly cost: number;
  readonly costPerChar: number;
}

/** Neighbouring flags, sorted by name. Immutable. */
export class FlagChunk {
  readonly cells: readonly FlagCell[];
  /** Names of all their parents; null when there are none, as nearly everywhere. */
  readonly parents: readonly string[] | null;
  #light: LightFlags | undefined;
  #needs: Needs | undefined;

  constructor(cells: readonly FlagCell[]) {
    this.cells = cells;
    this.parents = parentsOf(cells);
  }

  /** What of a context they read, their parents' reading left out. */
  get needs(): Needs {
    return this.#needs ?? workAtOnce(this.findNeeds());
  }

  /** As `needs`, a step a flag while nothing is known: its variants may look at thousands of fields. */
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

  /** The flags, when all are compiled and light for such a context: readers then need not look at each. */
  light(longestValue: number): LightFlags | undefined {
    this.#light ??= this.parents === null ? lightFlags(this.cells) : undefined;
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

/** Undefined while one is not compiled. */
function lightFlags(cells: readonly FlagCell[]): LightFlags | undefined {
  const all: CompiledFlag[] = [];
  const flags: CompiledFlag[] = [];
  let cost = 0;
  let costPerChar = 0;
  for (const { flag } of cells) {
    if (flag === undefined) return undefined;
    all.push(flag);
    if (flag.answer === OFF) continue;
    flags.push(flag);
    cost += flag.cost;
    costPerChar += flag.costPerChar;
  }
  return { all, flags, cost, costPerChar };
}
