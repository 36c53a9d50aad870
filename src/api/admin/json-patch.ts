import Type, { type Static, type TSchema } from 'typebox';
import { applyJsonPatch } from '../../base/json-patch.ts';
import { Rejection } from '../../base/rejection.ts';
import { validate } from '../../http/validation.ts';

/** Steps of a JSON Patch (RFC 6902), `move` and `copy` left out. */
export const JsonPatchBody = Type.Array(
  Type.Object({
    op: Type.Enum(['add', 'remove', 'replace', 'test']),
    path: Type.String({ maxLength: 1000, description: 'JSON pointer' }),
    value: Type.Optional(Type.Unknown()),
  }),
  { maxItems: 500 },
);

/** The document with the patch applied, if it then conforms to the schema. */
export function patched<S extends TSchema>(
  schema: S,
  document: unknown,
  patch: Static<typeof JsonPatchBody>,
): Static<S> | Rejection {
  const result = applyJsonPatch(document, patch);
  if (result instanceof Rejection) return result;
  return validate(schema, result, 'patched document') ?? (result as Static<S>);
}
