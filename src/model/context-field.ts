import Type from 'typebox';
import type { EntityOf } from './entity.ts';
import { LIMITS } from './limits.ts';
import { DateTime, NameReference, Nullable, SortOrder, Text, UrlSafeName } from './primitives.ts';

export const LegalValue = Type.Object({
  value: Type.String({ minLength: 1, maxLength: LIMITS.constraintValueLength.max }),
  description: Type.Optional(Text),
});
export type LegalValue = EntityOf<typeof LegalValue>;

/** A context field people can constrain on. Collection `contextFields`, key: the name. */
export const ContextField = Type.Object({
  name: UrlSafeName,
  description: Nullable(Text),
  stickiness: Type.Boolean({ description: 'Whether rollouts may stick to it' }),
  sortOrder: SortOrder,
  legalValues: Type.Array(LegalValue, { maxItems: LIMITS.legalValues.max }),
  createdAt: DateTime,
  /** The project that it is of. Left out: it is for all of them. */
  project: Type.Optional(NameReference),
});
export type ContextField = EntityOf<typeof ContextField>;
