import type { Static } from 'typebox';
import { Check } from 'typebox/value';
import { invalid, type Rejection } from '../../base/rejection.ts';
import { DateTime } from '../../model/primitives.ts';
import type { AdvancedPlaygroundRequest } from './schemas.ts';

type SentContext = Static<typeof AdvancedPlaygroundRequest>['context'];

/** A field of a context, with its alternative values. */
interface Field {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Every combination of the values in a context. */
export interface ContextCombinations {
  readonly count: number;
  /** Approximate length of one combination as JSON, in characters. */
  readonly length: number;
  /** Returns the combination with this index, from 0 to `count` - 1. The last field changes fastest. */
  at(index: number): SentContext;
  /** Names of fields that are left out, because lists and objects have no meaning in a context. */
  readonly invalidProperties: readonly string[];
}

/**
 * Splits the values of a context at their commas. Returns a rejection if the values have more than `countMax` combinations, or if a time is invalid.
 * Does not create the combinations yet.
 */
export function combineContexts(context: SentContext, countMax: number): ContextCombinations | Rejection {
  const { properties, ...rest } = context;
  const invalidProperties: string[] = [];
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value === 'object' && value !== null) invalidProperties.push(name);
    // The field `environment` is deprecated and has no effect: the environments are a separate field of the request.
    else fields.push({ name, values: name === 'environment' ? [value] : alternatives(value, countMax) });
  }
  const invalidTime = fields.find(({ name }) => name === 'currentTime')?.values.find((time) => !Check(DateTime, time));
  if (invalidTime !== undefined) return invalid(`currentTime is not a date: "${invalidTime}".`, '/context/currentTime');
  const propertyFields = Object.entries(properties ?? {}).map(([name, value]) => ({
    name,
    values: alternatives(value, countMax),
  }));
  const count = [...fields, ...propertyFields].reduce((product, { values }) => product * values.length, 1);
  if (count > countMax) {
    return invalid(
      `The values in the context have more than ${countMax} combinations, which is the maximum.`,
      '/context',
    );
  }
  return {
    count,
    length: JSON.stringify(context).length,
    invalidProperties,
    at(index) {
      const picker = { rest: index };
      const pickedProperties = properties && pick(propertyFields, picker);
      return { ...pick(fields, picker), ...(pickedProperties && { properties: pickedProperties }) } as SentContext;
    },
  };
}

/** The values between the commas, without duplicates; a text without commas is one value. Stops if it has found too many values. */
function alternatives(value: unknown, countMax: number): readonly unknown[] {
  if (typeof value !== 'string' || !value.includes(',')) return [value];
  const parts = value.split(',', countMax + 1);
  if (parts.length > countMax) return parts;
  const values = new Set(parts.flatMap((part) => part.trim() || []));
  return values.size === 0 ? [value] : [...values];
}

/** Picks one value for each field. The index is split into one position for each field, like a number into its digits; the last field comes first. */
function pick(fields: readonly Field[], picker: { rest: number }): Record<string, unknown> {
  // The object has no prototype, because the client chooses the names of the properties.
  const result: Record<string, unknown> = Object.create(null);
  const positions = fields.map(() => 0);
  for (let at = fields.length - 1; at >= 0; at--) {
    const { length } = (fields[at] as Field).values;
    positions[at] = picker.rest % length;
    picker.rest = Math.floor(picker.rest / length);
  }
  for (const [at, { name, values }] of fields.entries()) result[name] = values[positions[at] as number];
  return result;
}
