import type { Work } from '../base/work.ts';
import type { FeatureDependency } from '../model/feature.ts';
import { contextNumberOf } from './answer-cache.ts';
import type { CompiledFlag, FlagLookup } from './compile.ts';
import { holds, type Question } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import type { ActiveStrategy } from './strategy.ts';
import { OFF, ON, type Resolution, type VariantPicker } from './variant.ts';

/** Whether the flag is on for this context. `flags` finds its parents. Allocates nothing. */
export function isOn(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): boolean {
  if (!flag.enabled) return false;
  if (flag.dependencies.length !== 0 && !dependenciesHold(flag, context, flags)) return false;
  return isFlagSatisfied(flag, context);
}

/** Whether the flag is on, and its variant, in one pass: random numbers are drawn once. Allocates nothing. */
export function resolve(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Resolution {
  if (flag.answer !== null) return flag.answer;
  if (flag.dependencies.length !== 0 && !dependenciesHold(flag, context, flags)) return OFF;
  return resolveStrategies(flag, context);
}

/** Same as `resolve`, for a flag without parents. */
export function resolveAlone(flag: CompiledFlag, context: EvaluationContext): Resolution {
  return flag.answer ?? resolveStrategies(flag, context);
}

/** Whether every parent has the state that the flag expects. Parents are evaluated with the same context. */
export function dependenciesHold(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): boolean {
  const { dependencies } = flag;
  for (let index = 0; index < dependencies.length; index++) {
    if (!dependencyHolds(dependencies[index] as FeatureDependency, context, flags)) return false;
  }
  return true;
}

/** A parent that is missing or has parents itself never satisfies the dependency, even if the flag expects it to be off. */
function dependencyHolds(dependency: FeatureDependency, context: EvaluationContext, flags: FlagLookup): boolean {
  const parent = flags(dependency.feature);
  if (parent === undefined || parent.dependencies.length > 0) return false;
  if (dependency.enabled === false) return !parent.enabled || !isFlagSatisfied(parent, context);
  if (!parent.enabled) return false;
  if (dependency.variants.length === 0) return isFlagSatisfied(parent, context);
  const { on, variant } = resolveStrategies(parent, context);
  return on && dependency.variants.includes(variant.name);
}

/** Whether a strategy of the flag is satisfied, or the flag has no strategies. Whether the flag is enabled is not checked. */
function isFlagSatisfied({ active, isUnconditional }: CompiledFlag, context: EvaluationContext): boolean {
  const contextNumber = contextNumberOf(context);
  for (let index = 0; index < active.length; index++) {
    if (isSatisfied(active[index] as ActiveStrategy, context, contextNumber)) return true;
  }
  return isUnconditional;
}

function resolveStrategies(flag: CompiledFlag, context: EvaluationContext): Resolution {
  const { active } = flag;
  const contextNumber = contextNumberOf(context);
  for (let index = 0; index < active.length; index++) {
    const strategy = active[index] as ActiveStrategy;
    if (isSatisfied(strategy, context, contextNumber)) return chooseVariant(flag, strategy.variants, context);
  }
  return flag.isUnconditional ? chooseVariant(flag, null, context) : OFF;
}

function isSatisfied(
  { conditions, activation }: ActiveStrategy,
  context: EvaluationContext,
  contextNumber: number,
): boolean {
  for (let index = 0; index < conditions.length; index++) {
    if (!holds(conditions[index] as Question, context, contextNumber)) return false;
  }
  return holds(activation, context, contextNumber);
}

/** The answer of a flag that is on: chosen from the satisfied strategy's variants, else from the flag's variants, else without a variant. */
export function chooseVariant(
  flag: CompiledFlag,
  strategyVariants: VariantPicker | null,
  context: EvaluationContext,
): Resolution {
  if (strategyVariants !== null) {
    const chosen = strategyVariants.pick(context);
    if (chosen !== null) return chosen;
  }
  return (flag.variants === null ? null : flag.variants.pick(context)) ?? ON;
}

/** A flag that costs no more than this many units of work, with its parents, is evaluated in one step: about 50 µs. */
export const LIGHT_MAX = 2_500;

/** Maximum units of work of one evaluation of the flag, with its parents. */
export function evaluationCost(flag: CompiledFlag, longestValue: number, flags: FlagLookup): number {
  const { dependencies } = flag;
  let cost = costWithoutParents(flag, longestValue);
  for (let index = 0; index < dependencies.length; index++) {
    const parent = flags((dependencies[index] as FeatureDependency).feature);
    if (parent) cost += costWithoutParents(parent, longestValue);
  }
  return cost;
}

function costWithoutParents({ cost, costPerChar }: CompiledFlag, longestValue: number): number {
  return cost + costPerChar * longestValue;
}

/**
 * Same as `resolve`, for flags above `LIGHT_MAX`. It may pause before the flag and before each of its parents, and never inside one: the cost of each is
 * limited when it is stored (docs/decisions/evaluation-cost.md). Each step has the cost of what follows it.
 */
export function* resolveInSteps(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Work<Resolution> {
  if (flag.answer !== null) return flag.answer;
  if (!(yield* dependenciesHoldInSteps(flag, context, flags))) return OFF;
  yield costWithoutParents(flag, context.longestValue);
  return resolveStrategies(flag, context);
}

/** Same as `dependenciesHold`. It may pause before each parent. */
export function* dependenciesHoldInSteps(
  { dependencies }: CompiledFlag,
  context: EvaluationContext,
  flags: FlagLookup,
): Work<boolean> {
  for (const dependency of dependencies) {
    const parent = flags(dependency.feature);
    if (parent) yield costWithoutParents(parent, context.longestValue);
    if (!dependencyHolds(dependency, context, flags)) return false;
  }
  return true;
}
