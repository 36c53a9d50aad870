import Type from 'typebox';
import { ContextFieldFields, LegalValueFields } from '../../commands/context-field.ts';
import { DateTime, Nullable, UrlSafeName } from '../../model/primitives.ts';

export const LegalValueSchema = Type.Object(LegalValueFields, { $id: 'legalValue' });

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

const fields = { ...ContextFieldFields, legalValues: Type.Optional(Type.Array(LegalValueSchema)) };

export const CreateContextFieldBody = Type.Object({ name: UrlSafeName, ...fields }, { $id: 'createContextField' });

export const UpdateContextFieldBody = Type.Object(fields, { $id: 'updateContextField' });
