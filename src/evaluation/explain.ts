import type { StrategyParameters } from '../model/strategy.ts';
import type { CompiledFlag, FlagLookup } from './compile.ts';
import type { CompiledConstraint, ExplainedConstraint } from './constraint.ts';
import type { EvaluationContext } from './context.ts';
import { chooseVariant, dependenciesHold } from './evaluate.ts';
import type { CompiledSegment } from './segment.ts';
import type { CompiledStrategy } from './strategy.ts';
import { OFF, type VariantResult } from './variant.ts';

export interface ExplainedSegment {
  readonly id: number;
  readonly name: string;
  readonly result: boolean;
  readonly constraints: readonly ExplainedConstraint[];
}

/** `unevaluated`: disabled. `incomplete`: a custom strategy, `unknown` when its constraints and segments hold. */
export type StrategyResult =
  | { readonly evaluationStatus: 'complete'; readonly enabled: boolean }
  | { readonly evaluationStatus: 'incomplete' | 'unevaluated'; readonly enabled: false | 'unknown' };

/** One entry of the playground's `strategies.data`, but for its `links`, which the caller adds. */
export interface ExplainedStrategy {
  readonly id: string;
  readonly name: string;
  readonly title?: string;
  readonly disabled: boolean;
  readonly parameters: StrategyParameters;
  readonly result: StrategyResult;
  readonly constraints: readonly ExplainedConstraint[];
  readonly segments: readonly ExplainedSegment[];
}

/** The playground's evaluation fields of one flag. Strategies are explained whether or not the flag is enabled. */
export interface Explanation {
  readonly strategies: { readonly result: boolean | 'unknown'; readonly data: readonly ExplainedStrategy[] };
  readonly isEnabled: boolean;
  readonly isEnabledInCurrentEnvironment: boolean;
  readonly hasUnsatisfiedDependency: boolean;
  readonly variant: VariantResult;
}

/**
 * Explains an evaluation: every strategy, segment and constraint with its result. Asks the very predicates `isOn` and `resolve`
 * ask, so the answers cannot differ; each strategy's own rule is asked once, so what is random is drawn once.
 */
export function explain(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Explanation {
  const data: ExplainedStrategy[] = [];
  let satisfied: CompiledStrategy | null = null;
  let hasUnknown = false;
  for (const strategy of flag.strategies) {
    const explained = explainStrategy(strategy, context);
    data.push(explained);
    if (explained.result.enabled === 'unknown') hasUnknown = true;
    else if (explained.result.enabled) satisfied ??= strategy;
  }
  const isSatisfied = satisfied !== null || flag.isUnconditional;
  const isDependable = dependenciesHold(flag, context, flags);
  const isEnabled = flag.enabled && isSatisfied && isDependable;
  return {
    strategies: { result: isSatisfied ? true : hasUnknown ? 'unknown' : false, data },
    isEnabled,
    isEnabledInCurrentEnvironment: flag.enabled,
    hasUnsatisfiedDependency: !isDependable,
    variant: (isEnabled ? chooseVariant(flag, satisfied?.variants ?? null, context) : OFF).variant,
  };
}

function explainStrategy(strategy: CompiledStrategy, context: EvaluationContext): ExplainedStrategy {
  const { id, name, title, disabled, parameters } = strategy;
  const constraints = explainConstraints(strategy.constraints, context);
  const segments = strategy.segments.map((segment) => explainSegment(segment, context));
  const result = strategyResult(strategy, constraints.every(isTrue) && segments.every(isTrue), context);
  if (title === null) return { id, name, disabled, parameters, result, constraints, segments };
  return { id, name, title, disabled, parameters, result, constraints, segments };
}

function isTrue(part: { readonly result: boolean }): boolean {
  return part.result;
}

const UNEVALUATED: StrategyResult = Object.freeze({ evaluationStatus: 'unevaluated', enabled: false });
const UNKNOWN: StrategyResult = Object.freeze({ evaluationStatus: 'incomplete', enabled: 'unknown' });
const INCOMPLETE: StrategyResult = Object.freeze({ evaluationStatus: 'incomplete', enabled: false });
const SATISFIED: StrategyResult = Object.freeze({ evaluationStatus: 'complete', enabled: true });
const UNSATISFIED: StrategyResult = Object.freeze({ evaluationStatus: 'complete', enabled: false });

function strategyResult(strategy: CompiledStrategy, holds: boolean, context: EvaluationContext): StrategyResult {
  if (strategy.disabled) return UNEVALUATED;
  if (strategy.activation === null) return holds ? UNKNOWN : INCOMPLETE;
  return holds && strategy.activation(context) ? SATISFIED : UNSATISFIED;
}

function explainSegment(segment: CompiledSegment, context: EvaluationContext): ExplainedSegment {
  const constraints = explainConstraints(segment.constraints, context);
  return { id: segment.id, name: segment.name, result: segment.test(context), constraints };
}

function explainConstraints(
  constraints: readonly CompiledConstraint[],
  context: EvaluationContext,
): ExplainedConstraint[] {
  return constraints.map((constraint) => constraint.explained(constraint.test(context)));
}
