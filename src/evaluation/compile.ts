import { type Work, workAtOnce } from '../base/work.ts';
import type { FeatureDependency } from '../model/feature.ts';
import type { Strategy } from '../model/strategy.ts';
import type { Variant } from '../model/variant.ts';
import { sumOf } from './condition.ts';
import type { SegmentLookup } from './segment.ts';
import {
  type ActiveStrategy,
  type CompiledStrategy,
  compileStrategy,
  type EvaluationWarning,
  isActive,
} from './strategy.ts';
import { compileVariants, type Resolution, type VariantPicker } from './variant.ts';

/** A flag as it stands in one environment, disabled strategies included: they are shown but never satisfied. */
export interface FlagDefinition {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly strategies: readonly Strategy[];
  readonly variants: readonly Variant[];
  readonly dependencies: readonly FeatureDependency[];
}

/** A flag ready to be evaluated, by the fast path (evaluate.ts) and the explained one (judge.ts) alike. */
export interface CompiledFlag {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly strategies: readonly CompiledStrategy[];
  /** Those of `strategies` that can be satisfied. */
  readonly active: readonly ActiveStrategy[];
  /** A flag without any strategy is on. One whose strategies are all disabled has some, and is off. */
  readonly isUnconditional: boolean;
  readonly dependencies: readonly FeatureDependency[];
  readonly variants: VariantPicker | null;
  readonly warnings: readonly EvaluationWarning[];
  /** What one evaluation costs at most, in units of work; and for each character of the context's longest value. Parents not included. */
  readonly cost: number;
  readonly costPerChar: number;
  /** Kept by `toggleJson`, for the answer that no variant belongs to. The only thing that changes, and only once. */
  plainToggle: string | null;
  /** Kept by `openFeatureJson`: the text of each answer that was given. Changes in the same way. */
  openFeatureTexts: Map<Resolution, string> | null;
}

export type FlagLookup = (name: string) => CompiledFlag | undefined;

const NO_WARNINGS: readonly never[] = Object.freeze([]);

/** Compiles a definition, once for each change of it or of a segment it uses. Never throws for a bad definition: see `warnings`. */
export function compileFlag(definition: FlagDefinition, segments: SegmentLookup): CompiledFlag {
  return workAtOnce(compileInSteps(definition, segments));
}

/** As `compileFlag`, in counted steps: a flag may hold hundreds of expressions and lists. */
export function* compileInSteps(definition: FlagDefinition, segments: SegmentLookup): Work<CompiledFlag> {
  const { name, enabled, impressionData } = definition;
  const warnings: EvaluationWarning[] = [];
  const strategies: CompiledStrategy[] = [];
  for (const strategy of definition.strategies) {
    strategies.push(yield* compileStrategy(strategy, name, segments, warnings));
  }
  const active = strategies.every(isActive) ? strategies : strategies.filter(isActive);
  const { fixed, perChar } = sumOf(active.map(({ cost }) => cost));
  return {
    name,
    enabled,
    impressionData,
    strategies,
    active,
    isUnconditional: strategies.length === 0,
    dependencies: definition.dependencies,
    variants: compileVariants(definition.variants, name, 'default'),
    warnings: warnings.length === 0 ? NO_WARNINGS : warnings,
    cost: fixed + FLAG_COST,
    costPerChar: perChar,
    plainToggle: null,
    openFeatureTexts: null,
  };
}

/** A flag that has nothing to ask still takes its turn. */
const FLAG_COST = 3;
