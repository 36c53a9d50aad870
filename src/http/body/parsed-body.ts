import type { TSchema } from 'typebox';
import type { Asker } from '../../base/asking/asker.ts';
import { parseJson, parseJsonInTurns, parseLargeJson } from '../../base/json-text.ts';
import { Rejection } from '../../base/rejection.ts';
import { validate, validateLarge } from '../../base/validation.ts';
import { atOnce, inSlices, Slicer } from '../../base/yield-control.ts';
import type { Endpoint } from '../endpoint.ts';
import { parseForm } from './form.ts';

/** Bodies from this size on are parsed, validated and handled in separate turns of the event loop: each step needs some milliseconds per megabyte. */
const LARGE_BODY_BYTES = 128 * 1024;

type BodyRules = Partial<Pick<Endpoint<unknown>, 'bodyLimit' | 'form' | 'bodyOptional' | 'mend'>>;

export type ParsedBody = { readonly value: unknown } | Rejection;

/** Parses and validates the body; a large one in several turns of the loop. */
export function parseBody(
  schema: TSchema,
  { bodyLimit, form, bodyOptional, mend }: BodyRules,
  bytes: Uint8Array,
  asker: Asker,
): ParsedBody | Promise<ParsedBody> {
  if (bodyOptional && bytes.length === 0) return validate(schema, {}, 'body') ?? { value: {} };
  if (form) {
    const fields = parseForm(bytes);
    return fields instanceof Rejection ? fields : (validate(schema, fields.value, 'body') ?? fields);
  }
  if (bodyLimit === 'import') return validated(schema, parseLargeJson(bytes, asker), mend, asker);
  if (bytes.length > LARGE_BODY_BYTES) return validated(schema, parseJsonInTurns(bytes, asker), mend, asker);
  const parsed = parseJson(bytes);
  if (parsed instanceof Rejection) return parsed;
  const problem = validate(schema, parsed.value, 'body');
  if (!problem || !mend) return problem ?? parsed;
  const value = atOnce(mend(schema, parsed.value));
  return validate(schema, value, 'body') ?? { value };
}

async function validated(
  schema: TSchema,
  parsing: Promise<ParsedBody>,
  mend: BodyRules['mend'],
  asker: Asker,
): Promise<ParsedBody> {
  const parsed = await parsing;
  if (parsed instanceof Rejection) return parsed;
  const slicer = Slicer.of(asker);
  const problem = await validateLarge(schema, parsed.value, 'body', slicer);
  if (!problem || !mend) return problem ?? parsed;
  const value = await inSlices(mend(schema, parsed.value), slicer);
  return (await validateLarge(schema, value, 'body', slicer)) ?? { value };
}
