import type { TObject } from 'typebox';
import type { Constraint } from '../../model/constraint.ts';
import type { FeatureDependency } from '../../model/feature.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StrategyVariant, Variant } from '../../model/variant.ts';
import { SourceConstraint, type SourceFlag, type SourceStrategy, SourceVariant } from './mirror-input.ts';

/** The known fields of what was sent; null counts as absent. The rest stays as it was sent, in its order. */
function known<T extends object>(schema: TObject, sent: T): { [K in keyof T]: Exclude<T[K], null> } {
  const entries = Object.entries(sent).filter(
    ([name, value]) => value !== null && value !== undefined && Object.hasOwn(schema.properties, name),
  );
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> };
}

export function constraintOf(sent: SourceConstraint): Constraint {
  return known(SourceConstraint, sent) as Constraint;
}

export function variantOf(sent: SourceVariant): Variant {
  const { payload, overrides, ...variant } = known(SourceVariant, sent);
  return {
    ...variant,
    ...(payload && { payload: { type: payload.type, value: payload.value } }),
    ...(overrides && { overrides: overrides.map(({ contextName, values }) => ({ contextName, values })) }),
  } as Variant;
}

/**
 * Each once, in an order of their own: an Unleash sends a dependency as often as the flag has strategies and segments, differently in each environment,
 * and what all environments share would change with each of them.
 */
export function dependenciesOf(sent: SourceFlag['dependencies']): FeatureDependency[] {
  const each = (sent ?? []).map(({ feature, enabled, variants }) => {
    return { feature, enabled: enabled ?? true, variants: variants ?? [] };
  });
  const once = new Map(each.map((dependency) => [JSON.stringify(Object.values(dependency)), dependency]));
  return [...once].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, dependency]) => dependency);
}

/** Its id is its index: sources do not send one, and no client gets it. */
export function strategyOf(sent: SourceStrategy, index: number): Strategy {
  return {
    id: String(index),
    name: sent.name,
    title: null,
    disabled: false,
    sortOrder: index,
    parameters: parametersOf(sent.parameters ?? {}),
    constraints: (sent.constraints ?? []).map(constraintOf),
    segments: sent.segments ?? [],
    variants: (sent.variants ?? []).map((variant) => variantOf(variant) as StrategyVariant),
  };
}

function parametersOf(sent: NonNullable<SourceStrategy['parameters']>): Strategy['parameters'] {
  const supplied = Object.entries(sent).filter(([, value]) => value !== null);
  return Object.fromEntries(supplied.map(([name, value]) => [name, String(value)]));
}
