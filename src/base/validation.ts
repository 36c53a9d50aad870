import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type ErrorDetail, Rejection } from './rejection.ts';
import { atOnce, inSlices, type Slicer, type Steps } from './yield-control.ts';

/** Maximum number of problems in one answer. */
const DETAILS_MAX = 20;

/** An invalid value with this many values in it gets only a general message, because the validator's list of errors costs 1 µs for each value. */
const EXPLAINED_VALUES_MAX = 1_000;

const validators = new WeakMap<TSchema, Validator>();

/**
 * Returns the compiled schema. A schema is compiled once, which takes some milliseconds. It is compiled when it is first needed, so routes that are
 * not called cost nothing.
 */
function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile(schema) as Validator;
    validators.set(schema, validator);
  }
  return validator;
}

/** Compiles these schemas before their first use, one schema per step. */
export function* compileSchemas(schemas: Iterable<TSchema>): Steps<void> {
  for (const schema of schemas) {
    validatorOf(schema);
    yield;
  }
}

/** Whether the value conforms to the schema. */
export function conforms(schema: TSchema, value: unknown): boolean {
  return validatorOf(schema).Check(value);
}

/** Returns undefined if `value` conforms to the schema. `where` names the part of the request in the message: body, query or path. */
export function validate(schema: TSchema, value: unknown, where: string): Rejection | undefined {
  if (conforms(schema, value)) return undefined;
  const details: ErrorDetail[] = [];
  atOnce(explain(schema, value, '', where, details));
  return rejectionOf(details, where);
}

/** Same as `validate`, for values of any size: large lists are checked item by item, with yields to the event loop in between. */
export async function validateLarge(
  schema: TSchema,
  value: unknown,
  where: string,
  slicer: Slicer,
): Promise<Rejection | undefined> {
  const details: ErrorDetail[] = [];
  await inSlices(checkInSteps(schema, value, '', where, details), slicer);
  return details.length > 0 ? rejectionOf(details, where) : undefined;
}

/** Same as `validateLarge`, as steps. */
export function* validateInSteps(schema: TSchema, value: unknown, where: string): Steps<Rejection | undefined> {
  const details: ErrorDetail[] = [];
  yield* checkInSteps(schema, value, '', where, details);
  return details.length > 0 ? rejectionOf(details, where) : undefined;
}

function rejectionOf(details: readonly ErrorDetail[], where: string): Rejection {
  const first = details[0]?.message ?? `${where} does not conform to the schema`;
  return new Rejection('ValidationError', `Request validation failed: ${first}.`, details);
}

type Keywords = TSchema & {
  type?: string;
  items?: TSchema;
  properties?: Record<string, TSchema>;
  required?: readonly string[];
};

/** The schema of the items, if the schema is a plain list and the value is an array. Undefined for tuples and unions. */
function itemsOf(schema: Keywords, value: unknown): TSchema | undefined {
  return schema.type === 'array' && Array.isArray(value) && !Array.isArray(schema.items) ? schema.items : undefined;
}

function propertiesOf(schema: Keywords, value: unknown): Record<string, TSchema> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return schema.type === 'object' && isObject ? schema.properties : undefined;
}

/**
 * Collects the errors of an invalid value. It descends only into parts for which the compiled check fails: the validator's own list of errors would
 * visit all values, which takes 300 ms for a megabyte of wrong items. Each check is one step, because the first check of a schema also compiles it.
 */
function* explain(schema: TSchema, value: unknown, path: string, where: string, details: ErrorDetail[]): Steps<void> {
  const countBefore = details.length;
  const items = itemsOf(schema, value);
  const properties = propertiesOf(schema, value);
  if (items) {
    for (const [index, item] of (value as unknown[]).entries()) {
      if (details.length >= DETAILS_MAX) return;
      if (!validatorOf(items).Check(item)) yield* explain(items, item, `${path}/${index}`, where, details);
      yield;
    }
  } else if (properties) {
    for (const [name, property] of Object.entries(properties)) {
      if (details.length >= DETAILS_MAX) return;
      if (!Object.hasOwn(value as object, name)) continue;
      const member = (value as Record<string, unknown>)[name];
      if (!validatorOf(property).Check(member)) yield* explain(property, member, `${path}/${name}`, where, details);
      yield;
    }
  }
  const missing = properties && missingOf(schema, value as object);
  if (missing) details.push({ message: `${where}${path} must have required properties ${missing}`, path });
  if (details.length === countBefore) explainValue(schema, value, path, where, details);
}

function missingOf(schema: Keywords, value: object): string | undefined {
  const names = schema.required?.filter((name) => !Object.hasOwn(value, name)) ?? [];
  return names.length > 0 ? names.join(', ') : undefined;
}

/** Adds the errors of the value from the validator's own list, or one general message if the value is too large for this. */
function explainValue(schema: TSchema, value: unknown, path: string, where: string, details: ErrorDetail[]): void {
  if (countValues(value, EXPLAINED_VALUES_MAX) >= EXPLAINED_VALUES_MAX) {
    details.push({ message: `${where}${path} does not conform to the schema`, path });
    return;
  }
  for (const error of validatorOf(schema).Errors(value)) {
    if (details.length >= DETAILS_MAX) return;
    const errorPath = path + error.instancePath;
    details.push({ message: `${where}${errorPath} ${error.message}`, path: errorPath });
  }
}

/** The number of values in `value`, including itself; it stops counting at `max`. */
function countValues(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  if (Array.isArray(value) && value.length >= max) return max;
  let count = 1;
  for (const key in value) {
    count += countValues((value as Record<string, unknown>)[key], max - count);
    if (count >= max) return max;
  }
  return count;
}

/**
 * Checks a value in steps. It checks a list item by item: an item is assumed to be small. It checks an object first without its properties that are
 * lists or objects, and then each of these properties by itself.
 */
function* checkInSteps(
  schema: TSchema,
  value: unknown,
  path: string,
  where: string,
  details: ErrorDetail[],
): Steps<void> {
  const items = itemsOf(schema, value);
  const properties = propertiesOf(schema, value);
  const ownSchema = items || properties ? shallowSchema(schema) : schema;
  if (!validatorOf(ownSchema).Check(value)) yield* explain(ownSchema, value, path, where, details);
  yield;
  if (items) {
    for (const [index, item] of (value as unknown[]).entries()) {
      if (details.length >= DETAILS_MAX) return;
      if (!validatorOf(items).Check(item)) yield* explain(items, item, `${path}/${index}`, where, details);
      yield;
    }
  }
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (!isListOrObject(property) || !Object.hasOwn(value as object, name)) continue;
    yield* checkInSteps(property, (value as Record<string, unknown>)[name], `${path}/${name}`, where, details);
  }
}

function isListOrObject({ type }: Keywords): boolean {
  return type === 'array' || type === 'object';
}

const shallowSchemas = new WeakMap<TSchema, TSchema>();

/** The schema without the rules for the items of a list, and for lists and objects in its properties. */
function shallowSchema(schema: Keywords): TSchema {
  let result = shallowSchemas.get(schema);
  if (!result) {
    const properties = Object.entries(schema.properties ?? {}).map(([name, property]): [string, TSchema] =>
      isListOrObject(property) ? [name, {}] : [name, property],
    );
    result = schema.items ? { ...schema, items: {} } : { ...schema, properties: Object.fromEntries(properties) };
    shallowSchemas.set(schema, result);
  }
  return result;
}
