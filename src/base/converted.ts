import type { TSchema } from 'typebox';
import { asBoolean, asNumber, asText } from './converted-scalars.ts';
import { conforms } from './validation.ts';
import { atOnce, type Steps } from './yield-control.ts';

type Keywords = TSchema & {
  type?: string;
  items?: TSchema;
  properties?: Readonly<Record<string, TSchema>>;
  required?: readonly string[];
  additionalProperties?: TSchema | boolean;
  anyOf?: readonly TSchema[];
  pattern?: string;
};

/**
 * Returns the value with the types that the schema asks for, as Unleash converts what it gets: numbers and booleans to text, numeric text to numbers,
 * "true", "false", 1 and 0 to booleans. Null counts as left out where the schema knows no null, and as the empty
 * text in a map of texts. Text with a pattern, such as a name, is not
 * converted: a number instead of it is usually a mistake. What cannot be converted stays as it is, and the
 * schema refuses it. The sent value does not change; without a difference, it is returned itself. An object or a text is converted in one step, the
 * items of a list one by one.
 *
 * Call it only with values that do not conform: a value that conforms needs no conversion.
 */
export function* convertedInSteps(schema: TSchema, value: unknown): Steps<unknown> {
  const { type, items, anyOf } = schema as Keywords;
  if (anyOf) return yield* convertedToOneOf(anyOf, value);
  if (Array.isArray(value)) return type === 'array' && items ? yield* convertedItems(items, value) : value;
  if (typeof value === 'object' && value !== null)
    return type === 'object' ? yield* convertedMembers(schema, value as Members) : value;
  return convertedScalar(schema, value);
}

/** Same as `convertedInSteps`, for small values. */
export function converted(schema: TSchema, value: unknown): unknown {
  return atOnce(convertedInSteps(schema, value));
}

type Members = Readonly<Record<string, unknown>>;

/** Converts to the first of these schemas to which the result conforms. */
function* convertedToOneOf(schemas: readonly TSchema[], value: unknown): Steps<unknown> {
  if (schemas.some((schema) => conforms(schema, value))) return value;
  for (const schema of schemas) {
    const result = yield* convertedInSteps(schema, value);
    if (result !== value && conforms(schema, result)) return result;
  }
  return value;
}

function* convertedItems(schema: TSchema, items: readonly unknown[]): Steps<unknown> {
  let results: unknown[] | undefined;
  for (const [index, item] of items.entries()) {
    const result = yield* convertedInSteps(schema, item);
    if (result !== item) {
      results ??= [...items];
      results[index] = result;
    }
    yield;
  }
  return results ?? items;
}

function* convertedMembers(schema: Keywords, members: Members): Steps<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  let results: Map<string, unknown> | undefined;
  for (const [name, member] of Object.entries(members)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : others;
    if (own === undefined) continue;
    const isNull = member === null && !conforms(own, null);
    const isEmpty = isNull && own === others && conforms(own, '');
    const isLeftOut = isNull && !isEmpty && !required.includes(name);
    const result = isLeftOut ? undefined : isEmpty ? '' : yield* convertedInSteps(own, member);
    if (result === member) continue;
    results ??= new Map(Object.entries(members));
    if (isLeftOut) results.delete(name);
    else results.set(name, result);
  }
  // Names are sent by callers: `fromEntries` also defines `__proto__` as an ordinary property.
  return results ? Object.fromEntries(results) : members;
}

function convertedScalar({ type, pattern }: Keywords, value: unknown): unknown {
  if (type === 'string') return pattern === undefined ? asText(value) : value;
  if (type === 'number' || type === 'integer') return asNumber(value);
  return type === 'boolean' ? asBoolean(value) : value;
}
