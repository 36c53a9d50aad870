import Type from 'typebox';
import { collection, NO_KEYS } from './collection.ts';
import type { EntityOf } from './entity.ts';
import { CONTEXT_FIELD_LIMITS } from './limits/context-fields.ts';
import { MODEL_LIMITS } from './limits.ts';
import { DateTime, NameReference, Nullable, SortOrder, Text, UrlSafeName } from './primitives.ts';

export const LegalValue = Type.Object({
  value: Type.String({ minLength: 1, maxLength: MODEL_LIMITS.constraintValueLength.max }),
  description: Type.Optional(Text),
});
export type LegalValue = EntityOf<typeof LegalValue>;

/** A context field that constraints can use. Collection `contextFields`, key: the name. */
export const ContextField = Type.Object({
  name: UrlSafeName,
  description: Nullable(Text),
  stickiness: Type.Boolean({ description: 'Whether rollouts may use the field for stickiness' }),
  sortOrder: SortOrder,
  legalValues: Type.Array(LegalValue, { maxItems: CONTEXT_FIELD_LIMITS.legalValues.max }),
  createdAt: DateTime,
  /** The project that the field belongs to. Missing if the field belongs to all projects. */
  project: Type.Optional(NameReference),
});
export type ContextField = EntityOf<typeof ContextField>;

export const contextFields = collection({
  schema: 1,
  key: (field: ContextField) => field.name,
  past: 'whole',
  indexes: { contextFieldsByProject: ({ project }) => (project === undefined ? NO_KEYS : [project]) },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly contextFields: typeof contextFields;
  }
}
