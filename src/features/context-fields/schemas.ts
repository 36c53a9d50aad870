import Type from 'typebox';
import { DateTime, NameReference, Nullable, UrlSafeName } from '../../model/primitives.ts';
import { ContextFieldFields, LegalValueFields } from './commands.ts';

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
    usedInFeatures: Nullable(
      Type.Integer({ minimum: 0, description: 'Flags with a constraint on it, archived ones left out' }),
    ),
    usedInProjects: Nullable(Type.Integer({ minimum: 0, description: 'Projects of those flags' })),
    project: Nullable(Type.String({ description: 'The project that the field is of; null: it is for all of them' })),
  },
  { $id: 'contextField' },
);

const fields = { ...ContextFieldFields, legalValues: Type.Optional(Type.Array(LegalValueSchema)) };

export const CreateContextFieldBody = Type.Object(
  { name: UrlSafeName, ...fields, project: Type.Optional(Nullable(NameReference)) },
  { $id: 'createContextField' },
);

export const UpdateContextFieldBody = Type.Object(fields, { $id: 'updateContextField' });

/** Where strategies with a constraint on a field are. */
export const ContextFieldStrategiesSchema = Type.Object(
  {
    strategies: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Of the strategy' }),
        featureName: Type.String(),
        projectId: Type.String(),
        environment: Type.String(),
        strategyName: Type.String(),
      }),
    ),
  },
  { $id: 'contextFieldStrategies' },
);
