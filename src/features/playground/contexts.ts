import type { Static } from 'typebox';
import { Check } from 'typebox/value';
import { invalid, type Rejection } from '../../base/rejection.ts';
import { DateTime } from '../../model/primitives.ts';
import type { AdvancedPlaygroundRequest } from './schemas.ts';

type SentContext = Static<typeof AdvancedPlaygroundRequest>['context'];

/** One field and what it may be. */
interface Field {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** Every combination of the values a context names. */
export interface ContextCombinations {
  readonly count: number;
  /** About as long is each of them as JSON. Characters. */
  readonly length: number;
  /** The combination of this index, 0 to `count` - 1: the last field changes first. */
  at(index: number): SentContext;
  /** Names of fields that are left out: lists and objects mean nothing in a context. */
  readonly invalidProperties: readonly string[];
}

/**
 * Splits the values of a context at their commas. Rejected when there are more than `countMax` combinations, or a time is none. Makes none of
 * them yet.
 */
export function combineContexts(context: SentContext, countMax: number): ContextCombinations | Rejection {
  const { properties, ...rest } = context;
  const invalidProperties: string[] = [];
  const fields: Field[] = [];
  for (const [name, value] of Object.entries(rest)) {
    if (typeof value === 'object' && value !== null) invalidProperties.push(name);
    // Deprecated, and of no effect: the environments stand beside the context.
    else fields.push({ name, values: name === 'environment' ? [value] : alternatives(value, countMax) });
  }
  const badTime = fields.find(({ name }) => name === 'currentTime')?.values.find((time) => !Check(DateTime, time));
  if (badTime !== undefined) return invalid(`currentTime is not a date: "${badTime}".`, '/context/currentTime');
  const propertyFields = Object.entries(properties ?? {}).map(([name, value]) => ({
    name,
    values: alternatives(value, countMax),
  }));
  const count = [...fields, ...propertyFields].reduce((product, { values }) => product * values.length, 1);
  if (count > countMax) {
    return invalid(
      `The values in the context make more than ${countMax} combinations, the most that are evaluated.`,
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

/** The values between the commas, each once; a text without any is a value itself. Stops where there are too many anyway. */
function alternatives(value: unknown, countMax: number): readonly unknown[] {
  if (typeof value !== 'string' || !value.includes(',')) return [value];
  const parts = value.split(',', countMax + 1);
  if (parts.length > countMax) return parts;
  const values = new Set(parts.flatMap((part) => part.trim() || []));
  return values.size === 0 ? [value] : [...values];
}

/** Takes the fields' shares of the index, the last field's first, as digits are taken off a number. */
function pick(fields: readonly Field[], picker: { rest: number }): Record<string, unknown> {
  // Without a prototype: names are the caller's.
  const picked: Record<string, unknown> = Object.create(null);
  const chosen = fields.map(() => 0);
  for (let at = fields.length - 1; at >= 0; at--) {
    const { length } = (fields[at] as Field).values;
    chosen[at] = picker.rest % length;
    picker.rest = Math.floor(picker.rest / length);
  }
  for (const [at, { name, values }] of fields.entries()) picked[name] = values[chosen[at] as number];
  return picked;
}
