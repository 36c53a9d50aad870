import type { TObject } from 'typebox';
import type { Constraint } from '../../model/constraint.ts';
import type { FeatureDependency } from '../../model/feature.ts';
import type { Strategy } from '../../model/strategy.ts';
import type { StrategyVariant, Variant } from '../../model/variant.ts';
import { SourceConstraint, type SourceFlag, type SourceStrategy, SourceVariant } from './mirror-input.ts';

/** Returns the fields of a sent object that the schema contains, in the sent order. A field with null counts as absent. */
function schemaFields<T extends object>(schema: TObject, sent: T): { [K in keyof T]: Exclude<T[K], null> } {
  const entries = Object.entries(sent).filter(
    ([name, value]) => value !== null && value !== undefined && Object.hasOwn(schema.properties, name),
  );
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> };
}

export function constraintOf(sent: SourceConstraint): Constraint {
  return schemaFields(SourceConstraint, sent) as Constraint;
}

export function variantOf(sent: SourceVariant): Variant {
  const { payload, overrides, ...variant } = schemaFields(SourceVariant, sent);
  return {
    ...variant,
    ...(payload && { payload: { type: payload.type, value: payload.value } }),
    ...(overrides && { overrides: overrides.map(({ contextName, values }) => ({ contextName, values })) }),
  } as Variant;
}

/**
 * Returns each dependency once, sorted. Unleash sends a dependency once for each strategy and segment of the flag, so the list differs between
 * environments. All environments share the dependencies of a flag: without sorting, each environment would change them again.
 */
export function dependenciesOf(sent: SourceFlag['dependencies']): FeatureDependency[] {
  const dependencies = (sent ?? []).map(({ feature, enabled, variants }) => {
    return { feature, enabled: enabled ?? true, variants: variants ?? [] };
  });
  const distinct = new Map(dependencies.map((dependency) => [JSON.stringify(Object.values(dependency)), dependency]));
  return [...distinct].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, dependency]) => dependency);
}

/** The strategy's id is its index: sources send no id, and no client gets it. */
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
  const nonNull = Object.entries(sent).filter(([, value]) => value !== null);
  return Object.fromEntries(nonNull.map(([name, value]) => [name, String(value)]));
}
