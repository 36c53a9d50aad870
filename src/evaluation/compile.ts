import { type Work, workAtOnce } from '../base/work.ts';
import type { FeatureDependency } from '../model/feature.ts';
import type { Strategy } from '../model/strategy.ts';
import type { Variant } from '../model/variant.ts';
import { sumOf } from './condition.ts';
import type { HashEncoding } from './hashing.ts';
import type { SegmentLookup } from './segment.ts';
import {
  type ActiveStrategy,
  type CompiledStrategy,
  compileStrategy,
  type EvaluationWarning,
  isActive,
  isAlwaysSatisfied,
} from './strategy.ts';
import { compileVariants, OFF, ON, type Resolution, type VariantPicker } from './variant.ts';

/** A flag's definition in one environment. It includes disabled strategies: they are shown but never satisfied. */
export interface FlagDefinition {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly strategies: readonly Strategy[];
  readonly variants: readonly Variant[];
  readonly dependencies: readonly FeatureDependency[];
}

/** A compiled flag. Both the fast evaluation (evaluate.ts) and the explained evaluation (judge.ts) use it. */
export interface CompiledFlag {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly strategies: readonly CompiledStrategy[];
  /** The strategies that can be satisfied, up to the first one that is always satisfied. */
  readonly active: readonly ActiveStrategy[];
  /** True for a flag without any strategy: it is on. A flag whose strategies are all disabled is off. */
  readonly isUnconditional: boolean;
  readonly dependencies: readonly FeatureDependency[];
  readonly variants: VariantPicker | null;
  readonly warnings: readonly EvaluationWarning[];
  /** Whether a variant has a payload. OpenFeature's value is then a payload, and otherwise a boolean. */
  readonly hasPayloads: boolean;
  /** With which its rollouts and variants were compiled: explanations hash the same bytes. */
  readonly hashEncoding: HashEncoding;
  /** The answer for every context; null when the answer depends on the context or on parents. */
  readonly answer: Resolution | null;
  /** Maximum cost of one evaluation, in units of work, without parents. `costPerChar`: additional cost for each character of the longest value. */
  readonly cost: number;
  readonly costPerChar: number;
  /** Cache of `toggle-json.ts` for the answer without a variant. It is set once; it and `openFeatureTexts` are the only mutable fields. */
  plainToggle: string | null;
  /** Cache of `openFeatureJson`: the text of each answer that was used. */
  openFeatureTexts: Map<Resolution, string> | null;
}

export type FlagLookup = (name: string) => CompiledFlag | undefined;

const NO_WARNINGS: readonly never[] = Object.freeze([]);

/** Compiles a definition; called once after each change of the definition or of its segments. Never throws for a bad definition: see `warnings`. */
export function compileFlag(
  definition: FlagDefinition,
  segmentOf: SegmentLookup,
  hashEncoding: HashEncoding = 'low-bytes',
): CompiledFlag {
  return workAtOnce(compileFlagInSteps(definition, segmentOf, hashEncoding));
}

/** Same as `compileFlag`, in counted steps: a flag may contain hundreds of expressions and lists. */
export function* compileFlagInSteps(
  definition: FlagDefinition,
  segmentOf: SegmentLookup,
  hashEncoding: HashEncoding = 'low-bytes',
): Work<CompiledFlag> {
  const { name, enabled, impressionData } = definition;
  const warnings: EvaluationWarning[] = [];
  const compiled: CompiledStrategy[] = [];
  for (const strategy of definition.strategies) {
    compiled.push(yield* compileStrategy(strategy, { flagName: name, segmentOf, hashEncoding, warnings }));
  }
  // A copy has exactly the needed capacity. The first `push` allocates room for 17 elements.
  const strategies = compiled.slice();
  const active = activeOf(strategies);
  const picker = yield* compileVariants(definition.variants, {
    groupId: name,
    fallbackStickiness: 'default',
    hashEncoding,
  });
  const strategyCosts = active.map(({ cost }) => cost);
  const { fixed, perChar } = sumOf(picker === null ? strategyCosts : [...strategyCosts, picker.cost]);
  const isUnconditional = strategies.length === 0;
  return {
    // The fields that every evaluation reads come first, to be in one cache line of the processor.
    answer: constantAnswer(definition, active, isUnconditional, picker),
    active,
    variants: picker,
    isUnconditional,
    plainToggle: null,
    dependencies: definition.dependencies,
    name,
    enabled,
    impressionData,
    strategies,
    warnings: warnings.length === 0 ? NO_WARNINGS : warnings,
    hasPayloads: hasPayloads(definition),
    hashEncoding,
    cost: fixed + FLAG_COST,
    costPerChar: perChar,
    openFeatureTexts: null,
  };
}

function hasPayloads({ variants, strategies }: FlagDefinition): boolean {
  const hasOne = (list: readonly { readonly payload?: unknown }[]) => list.some(({ payload }) => payload != null);
  return hasOne(variants) || strategies.some((strategy) => hasOne(strategy.variants));
}

function activeOf(strategies: readonly CompiledStrategy[]): readonly ActiveStrategy[] {
  const active: ActiveStrategy[] = [];
  for (const strategy of strategies as readonly ActiveStrategy[]) {
    if (!isActive(strategy)) continue;
    active.push(strategy);
    if (isAlwaysSatisfied(strategy)) break;
  }
  // Nearly always all strategies are active. Then both fields share one array, to save memory.
  return active.length === strategies.length ? (strategies as readonly ActiveStrategy[]) : active.slice();
}

function constantAnswer(
  { enabled, dependencies }: FlagDefinition,
  [first]: readonly ActiveStrategy[],
  isUnconditional: boolean,
  picker: VariantPicker | null,
): Resolution | null {
  if (!enabled) return OFF;
  if (dependencies.length > 0) return null;
  if (first === undefined && !isUnconditional) return OFF;
  if (first !== undefined && !isAlwaysSatisfied(first)) return null;
  // `always` is undefined if the choice depends on the context, and null if no variant can be chosen: then the flag's own variants decide.
  const own = first?.variants ? first.variants.always : null;
  if (own !== null) return own ?? null;
  const chosen = picker === null ? ON : picker.always;
  return chosen === null ? ON : (chosen ?? null);
}

/** The fixed cost of a flag, even without any question to evaluate. */
const FLAG_COST = 3;
