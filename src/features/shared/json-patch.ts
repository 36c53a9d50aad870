import Type, { type Static, type TSchema } from 'typebox';
import { converted } from '../../base/converted.ts';
import { applyJsonPatch } from '../../base/json-patch.ts';
import { Rejection } from '../../base/rejection.ts';
import { conforms, validate } from '../../base/validation.ts';
import { MODEL_LIMITS } from '../../model/limits.ts';

/** Steps of a JSON Patch (RFC 6902), without `move` and `copy`. */
export const JsonPatch = Type.Array(
  Type.Object({
    op: Type.Enum(['add', 'remove', 'replace', 'test']),
    path: Type.String({ pattern: '^(/[\\s\\S]*)?$', maxLength: 1000, description: 'JSON pointer' }),
    value: Type.Optional(Type.Unknown()),
  }),
  { maxItems: MODEL_LIMITS.patchOperations.max },
);
export type JsonPatch = Static<typeof JsonPatch>;

/** The document after the patch, or a rejection if the patch fails or the patched document does not conform to the schema. */
export function applyPatch<S extends TSchema>(schema: S, document: unknown, patch: JsonPatch): Static<S> | Rejection {
  const result = applyJsonPatch(document, patch);
  if (result instanceof Rejection) return result;
  if (conforms(schema, result)) return result as Static<S>;
  const mended = converted(schema, result);
  return validate(schema, mended, 'patched document') ?? (mended as Static<S>);
}
