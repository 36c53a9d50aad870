import type { TObject } from 'typebox';
import type { Constraint } from '../../model/constraint.ts';
import type { FeatureDependency } from '../../model/feature.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StrategyVariant, Variant } from '../../model/variant.ts';
import { ToldConstraint, type ToldFlag, type ToldStrategy, ToldVariant } from './mirror-input.ts';

/** Of what is told, what is known; what is told as null is not there. The rest stays as it is told, in its order. */
function known<T extends object>(schema: TObject, told: T): { [K in keyof T]: Exclude<T[K], null> } {
  const entries = Object.entries(told).filter(
    ([name, value]) => value !== null && value !== undefined && Object.hasOwn(schema.properties, name),
  );
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> };
}

export function constraintOf(told: ToldConstraint): Constraint {
  return known(ToldConstraint, told) as Constraint;
}

export function variantOf(told: ToldVariant): Variant {
  const { payload, overrides, ...variant } = known(ToldVariant, told);
  return {
    ...variant,
    ...(payload && { payload: { type: payload.type, value: payload.value } }),
    ...(overrides && { overrides: overrides.map(({ contextName, values }) => ({ contextName, values })) }),
  } as Variant;
}

/**
 * Each once, in an order of their own: an Unleash tells a dependency as often as the flag has strategies and segments, differently in each environment,
 * and what all environments share would change with each of them.
 */
export function dependenciesOf(told: ToldFlag['dependencies']): FeatureDependency[] {
  const each = (told ?? []).map(({ feature, enabled, variants }) => {
    return { feature, enabled: enabled ?? true, variants: variants ?? [] };
  });
  const once = new Map(each.map((dependency) => [JSON.stringify(Object.values(dependency)), dependency]));
  return [...once].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, dependency]) => dependency);
}

/** Its id is its place: sources do not tell one, and nobody is told it. */
export function strategyOf(told: ToldStrategy, index: number): Strategy {
  return {
    id: String(index),
    name: told.name,
    title: null,
    disabled: false,
    sortOrder: index,
    parameters: parametersOf(told.parameters ?? {}),
    constraints: (told.constraints ?? []).map(constraintOf),
    segments: told.segments ?? [],
    variants: (told.variants ?? []).map((variant) => variantOf(variant) as StrategyVariant),
  };
}

function parametersOf(told: NonNullable<ToldStrategy['parameters']>): Strategy['parameters'] {
  const given = Object.entries(told).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
