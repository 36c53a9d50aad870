import type { Work } from '../../base/work.ts';
import { workAtOnce } from '../../base/work.ts';
import { type CompiledFlag, compileFlagInSteps, type FlagDefinition } from '../../evaluation/compile.ts';
import type { HashEncoding } from '../../evaluation/hashing.ts';
import { type Needs, needsOf } from '../../evaluation/needs.ts';
import { type Feature, featureEnvironment } from '../../model/feature.ts';
import type { Segment } from '../../model/segment.ts';
import type { StateReader } from '../../state/collections.ts';

type EntityReader = Pick<StateReader, 'get'>;

type Segments = ReadonlyMap<number, Segment | undefined>;

/** How the flags of a view are compiled. */
export interface Compilation {
  /** How a text becomes the bytes to hash. */
  readonly hashEncoding: HashEncoding;
  /** Called with each flag that was compiled, and its environment. */
  readonly onCompiled?: (flag: CompiledFlag, environment: string) => void;
}

const DEFAULT_COMPILATION: Compilation = { hashEncoding: 'low-bytes' };

/**
 * One flag in one environment, with its segments, at one moment. Immutable, so code with a reference always sees that moment. It is
 * compiled once, at the first use, and the result does not depend on the time.
 */
export class FlagCell {
  readonly feature: Feature;
  readonly environment: string;
  /** True after another cell has replaced this one: only code that already has a reference to this cell still needs it. */
  isReplaced = false;
  readonly #segments: Segments | null;
  readonly #compilation: Compilation;
  #flag: CompiledFlag | undefined;
  #compiling: Work<CompiledFlag> | undefined;
  #needs: Needs | undefined;

  constructor(state: EntityReader, feature: Feature, environment: string, compilation = DEFAULT_COMPILATION) {
    this.feature = feature;
    this.environment = environment;
    this.#segments = segmentsOf(state, feature, environment);
    this.#compilation = compilation;
  }

  get name(): string {
    return this.feature.name;
  }

  /** The segments that the flag uses, without missing ones. */
  get segments(): readonly Segment[] {
    return [...(this.#segments?.values() ?? [])].filter((segment) => segment !== undefined);
  }

  /** The compiled flag; undefined while it is not compiled. */
  get flag(): CompiledFlag | undefined {
    return this.#flag;
  }

  /** The parts of a context that the flag reads, without the parts that only its parents read. */
  get needs(): Needs {
    this.#needs ??= needsOf(this.#definition(), (id) => this.#segments?.get(id));
    return this.#needs;
  }

  /** Whether the state still contains the segments that this cell was created with. */
  hasSegmentsOf(state: EntityReader): boolean {
    for (const [id, segment] of this.#segments ?? []) {
      if (state.get('segments', String(id)) !== segment) return false;
    }
    return true;
  }

  /** The compiled flag. If it is not compiled yet, this compiles it synchronously. */
  compiled(): CompiledFlag {
    return this.#flag ?? workAtOnce(this.compile());
  }

  /** Compiles the flag, or continues the compilation that another call began. All callers share the same work. */
  *compile(): Work<CompiledFlag> {
    while (this.#flag === undefined) {
      this.#compiling ??= this.#begin();
      const step = this.#compiling.next();
      if (step.done) {
        this.#flag = step.value;
        this.#compiling = undefined;
        this.#compilation.onCompiled?.(step.value, this.environment);
      } else yield step.value;
    }
    return this.#flag;
  }

  #begin(): Work<CompiledFlag> {
    return compileFlagInSteps(this.#definition(), (id) => this.#segments?.get(id), this.#compilation.hashEncoding);
  }

  #definition(): FlagDefinition {
    const { name, impressionData, dependencies } = this.feature;
    const { enabled, strategies, variants } = featureEnvironment(this.feature, this.environment);
    return { name, enabled, impressionData, strategies, variants, dependencies };
  }
}

function segmentsOf(state: EntityReader, feature: Feature, environment: string): Segments | null {
  let segments: Map<number, Segment | undefined> | null = null;
  for (const { segments: ids } of featureEnvironment(feature, environment).strategies) {
    for (const id of ids) {
      segments ??= new Map();
      segments.set(id, state.get('segments', String(id)));
    }
  }
  return segments;
}
