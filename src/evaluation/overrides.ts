import type { Work } from '../base/work.ts';
import type { Variant } from '../model/variant.ts';
import type { Cost } from './condition.ts';
import { type EvaluationContext, type FieldReader, fieldReader } from './context.ts';

type Overridden = Pick<Variant, 'overrides'>;

/** Who gets a variant whatever the hash says. */
interface Overrides {
  /** The first variant that one of its overrides gives to the context: its index, or `NONE`. */
  readonly find: (context: EvaluationContext) => number;
  readonly cost: Cost;
}

export const NONE = -1;

/** What looking a field up costs, whatever its overrides list: one set of values, found by their text. */
const FIELD_COST: Cost = { fixed: 3, perChar: 0.01 };

/** What asking the overrides of so many fields costs. */
export function overridesCost(fields: number): Cost {
  return { fixed: fields * FIELD_COST.fixed, perChar: fields * FIELD_COST.perChar };
}

/** Names of the context fields that overrides look at. */
export function overriddenFields(variants: readonly Overridden[]): ReadonlySet<string> {
  const fields = new Set<string>();
  for (const { overrides } of variants) for (const { contextName } of overrides ?? []) fields.add(contextName);
  return fields;
}

/** Values between two looks at the clock, and units of work for each. */
const STEP_VALUES = 512;
const VALUE_COST = 8;

/** One look-up a field, however many overrides there are; in steps. Null when there are none. */
export function* compileOverrides(variants: readonly Overridden[]): Work<Overrides | null> {
  const fields = new Map<string, Map<string, number>>();
  let count = 0;
  for (const [index, { overrides }] of variants.entries()) {
    for (const { contextName, values } of overrides ?? []) {
      const variantOf = fields.get(contextName) ?? new Map<string, number>();
      fields.set(contextName, variantOf);
      for (const value of values) {
        // The first variant has it.
        if (!variantOf.has(value)) variantOf.set(value, index);
        if (++count % STEP_VALUES === 0) yield STEP_VALUES * VALUE_COST;
      }
    }
  }
  if (fields.size === 0) return null;
  const lookups = [...fields].map(([name, variantOf]) => ({ read: fieldReader(name), variantOf }));
  return { find: (context) => firstOf(lookups, context), cost: overridesCost(lookups.length) };
}

interface Lookup {
  readonly read: FieldReader;
  readonly variantOf: ReadonlyMap<string, number>;
}

function firstOf(lookups: readonly Lookup[], context: EvaluationContext): number {
  let first = NONE;
  for (let index = 0; index < lookups.length; index++) {
    const { read, variantOf } = lookups[index] as Lookup;
    const text = read(context);
    const found = text === undefined ? undefined : variantOf.get(text);
    if (found !== undefined && (first === NONE || found < first)) first = found;
  }
  return first;
}
