import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { type ErrorDetail, Rejection } from '../base/rejection.ts';

/** Problems told at once; more help nobody. */
const DETAILS_MAX = 20;

const validators = new WeakMap<TSchema, Validator>();

/** Compiles each schema once, when it is first needed: start-up does not pay for routes nobody calls. */
function validatorOf(schema: TSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) {
    validator = Compile(schema) as Validator;
    validators.set(schema, validator);
  }
  return validator;
}

/** Undefined when `value` conforms. `where` is the part of the request, as people call it: body, query, path. */
export function validate(schema: TSchema, value: unknown, where: string): Rejection | undefined {
  const validator = validatorOf(schema);
  if (validator.Check(value)) return undefined;
  const details: ErrorDetail[] = [];
  for (const error of validator.Errors(value).slice(0, DETAILS_MAX)) {
    details.push({ message: `${where}${error.instancePath} ${error.message}`, path: error.instancePath });
  }
  const first = details[0]?.message ?? `${where} does not conform to the schema`;
  return new Rejection('ValidationError', `Request validation failed: ${first}.`, details);
}
