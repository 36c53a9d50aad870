import type { Work } from '../base/work.ts';
import { contextNumberOf } from './answer-cache.ts';
import type { CompiledFlag, FlagLookup } from './compile.ts';
import { holds, type Question } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import { chooseVariant, dependenciesHoldInSteps } from './evaluate.ts';
import type { CompiledStrategy } from './strategy.ts';
import { OFF, type Resolution } from './variant.ts';

/**
 * `unevaluated`: the strategy is disabled. `incomplete`: it is a custom strategy; `enabled` is `unknown` if all its constraints and segments are
 * true.
 */
export type StrategyResult =
  | { readonly evaluationStatus: 'complete'; readonly enabled: boolean }
  | { readonly evaluationStatus: 'incomplete' | 'unevaluated'; readonly enabled: false | 'unknown' };

/** The result of one strategy, and its reasons. */
export interface StrategyVerdict {
  readonly strategy: CompiledStrategy;
  /** For each condition of the strategy, in order: whether it is true. */
  readonly conditions: readonly boolean[];
  /** One of `UNEVALUATED`, `UNKNOWN`, `INCOMPLETE`, `SATISFIED` and `UNSATISFIED`. */
  readonly result: StrategyResult;
  /** The chosen variant of the strategy's own variants; null when it has none or is not satisfied. */
  readonly variant: Resolution | null;
}

/** The result of a flag, and its reasons. Strategies are evaluated even if the flag is disabled. */
export interface FlagVerdict {
  readonly strategies: { readonly result: boolean | 'unknown'; readonly data: readonly StrategyVerdict[] };
  /** The first strategy that is satisfied. */
  readonly satisfied: CompiledStrategy | null;
  readonly isEnabled: boolean;
  readonly isEnabledInCurrentEnvironment: boolean;
  readonly hasUnsatisfiedDependency: boolean;
  readonly resolution: Resolution;
}

/**
 * The explained evaluation: judges a flag and does not stop at the first satisfied strategy. It may pause before the flag and before each of its parents.
 * It evaluates the same questions as `isOn` and `resolve`, so the answers cannot differ. Each strategy's own rule is evaluated once, so random numbers
 * are drawn once.
 */
export function* judge(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Work<FlagVerdict> {
  yield judgingCost(flag, context.longestValue);
  const data: StrategyVerdict[] = [];
  for (const strategy of flag.strategies) data.push(judgeStrategy(strategy, context));
  const parentsHold = flag.dependencies.length === 0 || (yield* dependenciesHoldInSteps(flag, context, flags));
  return verdictOf(flag, data, parentsHold, context);
}

/** Maximum units of work to judge the flag without its parents. Also those of its strategies that are never satisfied are judged. */
function judgingCost({ strategies, variants }: CompiledFlag, longestValue: number): number {
  let total = variants === null ? 0 : variants.cost.fixed + variants.cost.perChar * longestValue;
  for (let index = 0; index < strategies.length; index++) {
    const { cost } = strategies[index] as CompiledStrategy;
    total += cost.fixed + cost.perChar * longestValue;
  }
  return total;
}

function verdictOf(
  flag: CompiledFlag,
  data: readonly StrategyVerdict[],
  parentsHold: boolean,
  context: EvaluationContext,
): FlagVerdict {
  let first: StrategyVerdict | null = null;
  let hasUnknown = false;
  for (const verdict of data) {
    if (verdict.result === UNKNOWN) hasUnknown = true;
    else if (verdict.result === SATISFIED) first ??= verdict;
  }
  const satisfied = first === null ? null : first.strategy;
  const isSatisfied = satisfied !== null || flag.isUnconditional;
  const isEnabled = flag.enabled && isSatisfied && parentsHold;
  return {
    strategies: { result: isSatisfied ? true : hasUnknown ? 'unknown' : false, data },
    satisfied,
    isEnabled,
    isEnabledInCurrentEnvironment: flag.enabled,
    hasUnsatisfiedDependency: !parentsHold,
    // Random numbers are drawn once: the flag uses the choice of the strategy.
    resolution: isEnabled ? (first?.variant ?? chooseVariant(flag, null, context)) : OFF,
  };
}

const NO_CONDITIONS: readonly boolean[] = Object.freeze([]);

function judgeStrategy(strategy: CompiledStrategy, context: EvaluationContext): StrategyVerdict {
  const { conditions: questions, activation } = strategy;
  const contextNumber = contextNumberOf(context);
  let conditions = NO_CONDITIONS;
  let conditionsHold = true;
  if (questions.length > 0) {
    const results: boolean[] = [];
    for (let index = 0; index < questions.length; index++) {
      const result = holds(questions[index] as Question, context, contextNumber);
      results.push(result);
      if (!result) conditionsHold = false;
    }
    conditions = results;
  }
  let result = resultWithoutActivation(strategy, conditionsHold);
  // Evaluated last: random numbers are drawn only for strategies whose own rule is evaluated.
  result ??= activation !== null && holds(activation, context, contextNumber) ? SATISFIED : UNSATISFIED;
  return { strategy, conditions, result, variant: variantOf(strategy, result, context) };
}

function variantOf({ variants }: CompiledStrategy, result: StrategyResult, context: EvaluationContext) {
  return result === SATISFIED && variants !== null ? variants.pick(context) : null;
}

const UNEVALUATED: StrategyResult = Object.freeze({ evaluationStatus: 'unevaluated', enabled: false });
const UNKNOWN: StrategyResult = Object.freeze({ evaluationStatus: 'incomplete', enabled: 'unknown' });
const INCOMPLETE: StrategyResult = Object.freeze({ evaluationStatus: 'incomplete', enabled: false });
const SATISFIED: StrategyResult = Object.freeze({ evaluationStatus: 'complete', enabled: true });
const UNSATISFIED: StrategyResult = Object.freeze({ evaluationStatus: 'complete', enabled: false });

/** The result if it does not depend on the strategy's own rule; null if the rule must be evaluated. */
function resultWithoutActivation(
  { definition, activation }: CompiledStrategy,
  conditionsHold: boolean,
): StrategyResult | null {
  if (definition.disabled) return UNEVALUATED;
  if (activation === null) return conditionsHold ? UNKNOWN : INCOMPLETE;
  return conditionsHold ? null : UNSATISFIED;
}
