import type { Work } from '../base/work.ts';
import type { Variant } from '../model/variant.ts';
import type { Cost } from './condition.ts';
import { type EvaluationContext, type FieldReader, fieldReader } from './context.ts';

type WithOverrides = Pick<Variant, 'overrides'>;

/** The compiled overrides of a list of variants: they choose the variant for contexts with specific values, without the hash. */
interface Overrides {
  /** Index of the first variant with an override for this context, or `NO_OVERRIDE`. */
  readonly find: (context: EvaluationContext) => number;
  readonly cost: Cost;
}

export const NO_OVERRIDE = -1;

/** Cost of looking up a field, independent of the number of overrides: one look-up in a map by value. */
const FIELD_COST: Cost = { fixed: 3, perChar: 0.01 };

/** Cost of checking the overrides of this many fields. */
export function overridesCost(fields: number): Cost {
  return { fixed: fields * FIELD_COST.fixed, perChar: fields * FIELD_COST.perChar };
}

/** Names of the context fields that overrides read. */
export function overriddenFields(variants: readonly WithOverrides[]): ReadonlySet<string> {
  const fields = new Set<string>();
  for (const { overrides } of variants) for (const { contextName } of overrides ?? []) fields.add(contextName);
  return fields;
}

/** Values per step, and units of work for each value. */
const STEP_VALUES = 512;
const VALUE_COST = 8;

/** Compiles the overrides, in steps. Evaluation takes one look-up for each field. Null when there are no overrides. */
export function* compileOverrides(variants: readonly WithOverrides[]): Work<Overrides | null> {
  const fields = new Map<string, Map<string, number>>();
  let count = 0;
  for (const [index, { overrides }] of variants.entries()) {
    for (const { contextName, values } of overrides ?? []) {
      const variantOf = fields.get(contextName) ?? new Map<string, number>();
      fields.set(contextName, variantOf);
      for (const value of values) {
        // The first variant with the value wins.
        if (!variantOf.has(value)) variantOf.set(value, index);
        if (++count % STEP_VALUES === 0) yield STEP_VALUES * VALUE_COST;
      }
    }
  }
  if (fields.size === 0) return null;
  const lookups = [...fields].map(([name, variantOf]) => ({ read: fieldReader(name), variantOf }));
  return { find: (context) => firstOverride(lookups, context), cost: overridesCost(lookups.length) };
}

interface Lookup {
  readonly read: FieldReader;
  readonly variantOf: ReadonlyMap<string, number>;
}

function firstOverride(lookups: readonly Lookup[], context: EvaluationContext): number {
  let first = NO_OVERRIDE;
  for (let index = 0; index < lookups.length; index++) {
    const { read, variantOf } = lookups[index] as Lookup;
    const text = read(context);
    const found = text === undefined ? undefined : variantOf.get(text);
    if (found !== undefined && (first === NO_OVERRIDE || found < first)) first = found;
  }
  return first;
}
