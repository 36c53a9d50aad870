import type { FeatureDependency } from '../model/feature.ts';
import type { CompiledFlag, FlagLookup } from './compile.ts';
import type { Predicate } from './condition.ts';
import type { EvaluationContext } from './context.ts';
import type { ActiveStrategy } from './strategy.ts';
import { OFF, ON, type Resolution, type VariantPicker } from './variant.ts';

/** Whether the flag is on for this context. `flags` finds its parents. Allocates nothing. */
export function isOn(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): boolean {
  if (!flag.enabled) return false;
  if (flag.dependencies.length !== 0 && !dependenciesHold(flag, context, flags)) return false;
  return satisfies(flag, context);
}

/** Whether the flag is on, and its variant, in one pass: what is random is drawn once. Allocates nothing. */
export function resolve(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): Resolution {
  if (!flag.enabled) return OFF;
  if (flag.dependencies.length !== 0 && !dependenciesHold(flag, context, flags)) return OFF;
  return resolveStrategies(flag, context);
}

/** Whether every parent is in the state the flag expects, evaluated with the flag's own context. */
export function dependenciesHold(flag: CompiledFlag, context: EvaluationContext, flags: FlagLookup): boolean {
  const { dependencies } = flag;
  for (let index = 0; index < dependencies.length; index++) {
    if (!dependencyHolds(dependencies[index] as FeatureDependency, context, flags)) return false;
  }
  return true;
}

/** A parent that is missing or has parents itself satisfies nothing, not even the expectation that it is off. */
function dependencyHolds(dependency: FeatureDependency, context: EvaluationContext, flags: FlagLookup): boolean {
  const parent = flags(dependency.feature);
  if (parent === undefined || parent.dependencies.length > 0) return false;
  if (dependency.enabled === false) return !parent.enabled || !satisfies(parent, context);
  if (!parent.enabled) return false;
  if (dependency.variants.length === 0) return satisfies(parent, context);
  const { on, variant } = resolveStrategies(parent, context);
  return on && dependency.variants.includes(variant.name);
}

function satisfies({ active, isUnconditional }: CompiledFlag, context: EvaluationContext): boolean {
  for (let index = 0; index < active.length; index++) {
    if (isSatisfied(active[index] as ActiveStrategy, context)) return true;
  }
  return isUnconditional;
}

function resolveStrategies(flag: CompiledFlag, context: EvaluationContext): Resolution {
  const { active } = flag;
  for (let index = 0; index < active.length; index++) {
    const strategy = active[index] as ActiveStrategy;
    if (isSatisfied(strategy, context)) return chooseVariant(flag, strategy.variants, context);
  }
  return flag.isUnconditional ? chooseVariant(flag, null, context) : OFF;
}

function isSatisfied({ conditions, activation }: ActiveStrategy, context: EvaluationContext): boolean {
  for (let index = 0; index < conditions.length; index++) {
    if (!(conditions[index] as Predicate)(context)) return false;
  }
  return activation(context);
}

/** The answer of a flag that is on: the satisfied strategy's variants, else the flag's, else none. */
export function chooseVariant(
  flag: CompiledFlag,
  strategyVariants: VariantPicker | null,
  context: EvaluationContext,
): Resolution {
  if (strategyVariants !== null) {
    const chosen = strategyVariants(context);
    if (chosen !== null) return chosen;
  }
  return (flag.variants === null ? null : flag.variants(context)) ?? ON;
}
