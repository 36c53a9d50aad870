import Type from 'typebox';
import { DateTime, Nullable, SortOrder, Text, UrlSafeName } from '../../model/primitives.ts';

export const LegalValueSchema = Type.Object(
  {
    value: Type.String({ minLength: 1, maxLength: 4096 }),
    description: Type.Optional(Text),
  },
  { $id: 'legalValue' },
);

/** A context field as the admin API answers it. */
export const ContextFieldSchema = Type.Object(
  {
    name: Type.String(),
    description: Nullable(Type.String()),
    stickiness: Type.Boolean(),
    sortOrder: Type.Integer(),
    legalValues: Type.Array(LegalValueSchema),
    createdAt: Nullable(DateTime),
  },
  { $id: 'contextField' },
);

const fields = {
  description: Type.Optional(Nullable(Text)),
  stickiness: Type.Optional(Type.Boolean({ description: 'Whether rollouts may stick to it' })),
  sortOrder: Type.Optional(SortOrder),
  legalValues: Type.Optional(Type.Array(LegalValueSchema)),
};

export const CreateContextFieldBody = Type.Object({ name: UrlSafeName, ...fields }, { $id: 'createContextField' });

export const UpdateContextFieldBody = Type.Object(fields, { $id: 'updateContextField' });
