import type { Work } from '../base/work.ts';
import type { CompiledFlag, FlagLookup } from './compile.ts';
import { ask } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import { chooseVariant, dependenciesHoldInSteps } from './evaluate.ts';
import type { CompiledStrategy } from './strategy.ts';
import { OFF, type Resolution } from './variant.ts';

/** `unevaluated`: disabled. `incomplete`: a custom strategy, `unknown` when its constraints and segments hold. */
export type StrategyResult =
  | { readonly evaluationStatus: 'complete'; readonly enabled: boolean }
  | { readonly evaluationStatus: 'incomplete' | 'unevaluated'; readonly enabled: false | 'unknown' };

/** How one strategy came out, and why. */
export interface StrategyVerdict {
  readonly strategy: CompiledStrategy;
  /** Whether each of the strategy's conditions holds, in their order. */
  readonly conditions: readonly boolean[];
  /** One of the five below. */
  readonly result: StrategyResult;
}

/** How a flag came out, and why. Strategies are judged whether or not the flag is enabled. */
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
 * Judges a flag without stopping at the first answer, in counted steps: the explained evaluation. Asks the very questions `isOn` and `resolve`
 * ask, so the answers cannot differ; each strategy's own rule is asked once, so what is random is drawn once.
 */
export function* judge(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Work<FlagVerdict> {
  const data: StrategyVerdict[] = [];
  let satisfied: CompiledStrategy | null = null;
  let hasUnknown = false;
  for (const strategy of flag.strategies) {
    const verdict = yield* judgeStrategy(strategy, context);
    data.push(verdict);
    if (verdict.result === UNKNOWN) hasUnknown = true;
    else if (verdict.result === SATISFIED) satisfied ??= strategy;
  }
  const isSatisfied = satisfied !== null || flag.isUnconditional;
  const isDependable = flag.dependencies.length === 0 || (yield* dependenciesHoldInSteps(flag, context, flags));
  const isEnabled = flag.enabled && isSatisfied && isDependable;
  return {
    strategies: { result: isSatisfied ? true : hasUnknown ? 'unknown' : false, data },
    satisfied,
    isEnabled,
    isEnabledInCurrentEnvironment: flag.enabled,
    hasUnsatisfiedDependency: !isDependable,
    resolution: isEnabled ? chooseVariant(flag, satisfied?.variants ?? null, context) : OFF,
  };
}

const NO_CONDITIONS: readonly boolean[] = Object.freeze([]);

function* judgeStrategy(strategy: CompiledStrategy, context: EvaluationContext): Work<StrategyVerdict> {
  const { length } = strategy.conditions;
  if (length === 0) {
    return { strategy, conditions: NO_CONDITIONS, result: yield* strategyResult(strategy, true, context) };
  }
  const conditions: boolean[] = [];
  let holds = true;
  for (const condition of strategy.conditions) {
    const result = yield* ask(condition, context);
    conditions.push(result);
    if (!result) holds = false;
  }
  return { strategy, conditions, result: yield* strategyResult(strategy, holds, context) };
}

const UNEVALUATED: StrategyResult = Object.freeze({ evaluationStatus: 'unevaluated', enabled: false });
const UNKNOWN: StrategyResult = Object.freeze({ evaluationStatus: 'incomplete', enabled: 'unknown' });
const INCOMPLETE: StrategyResult = Object.freeze({ evaluationStatus: 'incomplete', enabled: false });
const SATISFIED: StrategyResult = Object.freeze({ evaluationStatus: 'complete', enabled: true });
const UNSATISFIED: StrategyResult = Object.freeze({ evaluationStatus: 'complete', enabled: false });

/** Every result there is. */
export const STRATEGY_RESULTS: readonly StrategyResult[] = [UNEVALUATED, UNKNOWN, INCOMPLETE, SATISFIED, UNSATISFIED];

function* strategyResult(
  { definition, activation }: CompiledStrategy,
  holds: boolean,
  context: EvaluationContext,
): Work<StrategyResult> {
  if (definition.disabled) return UNEVALUATED;
  if (activation === null) return holds ? UNKNOWN : INCOMPLETE;
  return holds && (yield* ask(activation, context)) ? SATISFIED : UNSATISFIED;
}
