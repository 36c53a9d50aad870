import type { Work } from '../base/work.ts';
import type { FeatureDependency } from '../model/feature.ts';
import { contextNumberOf } from './answer-cache.ts';
import type { CompiledFlag, FlagLookup } from './compile.ts';
import { ask, holds, type Question } from './condition.ts';
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

/** A flag that costs no more than this many units of work is evaluated in one step: about 50 µs. */
export const LIGHT_MAX = 2_500;

/** Maximum units of work of one evaluation of the flag. Infinite for a flag with parents, whose cost is only known during the evaluation. */
export function evaluationCost({ dependencies, cost, costPerChar }: CompiledFlag, longestValue: number): number {
  return dependencies.length === 0 ? cost + costPerChar * longestValue : Number.POSITIVE_INFINITY;
}

/** Same as `evaluationCost`, including the cost of the parents. */
export function evaluationCostWithParents(flag: CompiledFlag, longestValue: number, flags: FlagLookup): number {
  let cost = flag.cost + flag.costPerChar * longestValue;
  for (const { feature } of flag.dependencies) {
    const parent = flags(feature);
    if (parent) cost += parent.cost + parent.costPerChar * longestValue;
  }
  return cost;
}

/** Same as `resolve`, in counted steps, for flags above `LIGHT_MAX`. No step takes longer than one question. */
export function* resolveInSteps(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Work<Resolution> {
  if (!flag.enabled) return OFF;
  if (!(yield* dependenciesHoldInSteps(flag, context, flags))) return OFF;
  return yield* resolveStrategiesInSteps(flag, context);
}

/** Same as `dependenciesHold`, in counted steps. */
export function* dependenciesHoldInSteps(
  { dependencies }: CompiledFlag,
  context: EvaluationContext,
  flags: FlagLookup,
): Work<boolean> {
  for (const dependency of dependencies) {
    const parent = flags(dependency.feature);
    if (parent === undefined || parent.dependencies.length > 0) return false;
    const strategy = parent.enabled ? yield* findSatisfiedStrategy(parent, context) : undefined;
    if (!matchesParent(dependency, parent, strategy, context)) return false;
  }
  return true;
}

function matchesParent(
  { enabled, variants }: FeatureDependency,
  parent: CompiledFlag,
  strategy: ActiveStrategy | undefined,
  context: EvaluationContext,
): boolean {
  const isParentOn = parent.enabled && (strategy !== undefined || parent.isUnconditional);
  if (enabled === false) return !isParentOn;
  if (!isParentOn || variants.length === 0) return isParentOn;
  return variants.includes(chooseVariant(parent, strategy?.variants ?? null, context).variant.name);
}

function* resolveStrategiesInSteps(flag: CompiledFlag, context: EvaluationContext): Work<Resolution> {
  const strategy = yield* findSatisfiedStrategy(flag, context);
  if (strategy === undefined && !flag.isUnconditional) return OFF;
  const variants = strategy?.variants ?? null;
  yield choiceCost(flag, variants, context.longestValue);
  return chooseVariant(flag, variants, context);
}

/** Maximum cost of choosing a variant. */
function choiceCost(flag: CompiledFlag, strategyVariants: VariantPicker | null, longestValue: number): number {
  let total = 0;
  for (const picker of [strategyVariants, flag.variants]) {
    if (picker !== null) total += picker.cost.fixed + picker.cost.perChar * longestValue;
  }
  return total;
}

function* findSatisfiedStrategy(
  { active }: CompiledFlag,
  context: EvaluationContext,
): Work<ActiveStrategy | undefined> {
  for (const strategy of active) if (yield* isSatisfiedInSteps(strategy, context)) return strategy;
  return undefined;
}

function* isSatisfiedInSteps({ conditions, activation }: ActiveStrategy, context: EvaluationContext): Work<boolean> {
  for (const condition of conditions) if (!(yield* ask(condition, context))) return false;
  return yield* ask(activation, context);
}
