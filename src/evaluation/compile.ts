import type { FeatureDependency } from '../model/feature.ts';
import type { Strategy } from '../model/strategy.ts';
import type { Variant } from '../model/variant.ts';
import type { SegmentLookup } from './segment.ts';
import {
  type ActiveStrategy,
  activeStrategy,
  type CompiledStrategy,
  compileStrategy,
  type EvaluationWarning,
} from './strategy.ts';
import { compileVariants, type Resolution, resolutionWithoutVariant, type VariantPicker } from './variant.ts';

/** A flag as it stands in one environment, disabled strategies included: they are shown but never satisfied. */
export interface FlagDefinition {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly strategies: readonly Strategy[];
  readonly variants: readonly Variant[];
  readonly dependencies: readonly FeatureDependency[];
}

/** A flag ready to be evaluated, by the fast path (evaluate.ts) and the explained one (explain.ts) alike. Immutable. */
export interface CompiledFlag {
  readonly name: string;
  readonly enabled: boolean;
  readonly impressionData: boolean;
  readonly strategies: readonly CompiledStrategy[];
  readonly active: readonly ActiveStrategy[];
  /** A flag without any strategy is on. One whose strategies are all disabled has some, and is off. */
  readonly isUnconditional: boolean;
  readonly dependencies: readonly FeatureDependency[];
  readonly variants: VariantPicker | null;
  /** The answer when the flag is on and no variant applies. */
  readonly onWithoutVariant: Resolution;
  readonly warnings: readonly EvaluationWarning[];
}

export type FlagLookup = (name: string) => CompiledFlag | undefined;

/** Compiles a definition, once for each change of it or of a segment it uses. Never throws for a bad definition: see `warnings`. */
export function compileFlag(definition: FlagDefinition, segments: SegmentLookup): CompiledFlag {
  const { name, enabled, impressionData } = definition;
  const warnings: EvaluationWarning[] = [];
  const strategies = definition.strategies.map((strategy) => compileStrategy(strategy, name, segments, warnings));
  return {
    name,
    enabled,
    impressionData,
    strategies,
    active: strategies.map(activeStrategy).filter((strategy) => strategy !== null),
    isUnconditional: strategies.length === 0,
    dependencies: definition.dependencies,
    variants: compileVariants(definition.variants, name, 'default'),
    onWithoutVariant: resolutionWithoutVariant(true),
    warnings,
  };
}
