import Type from 'typebox';
import { ContextField, LegalValue } from '../../model/context-field.ts';
import { DateTime, NameReference, Nullable } from '../../model/primitives.ts';
import { answeredFields } from '../shared/entity-fields.ts';
import { ContextFieldFields } from './commands.ts';

export const LegalValueSchema = Type.Object(LegalValue.properties, { $id: 'legalValue' });

/** A context field as the admin API returns it. */
export const ContextFieldSchema = Type.Object(
  {
    ...answeredFields(ContextField, 'name', 'description', 'stickiness', 'sortOrder'),
    legalValues: Type.Array(LegalValueSchema),
    createdAt: Nullable(DateTime),
    usedInFeatures: Nullable(
      Type.Integer({ minimum: 0, description: 'Flags with a constraint on the field, without archived flags' }),
    ),
    usedInProjects: Nullable(Type.Integer({ minimum: 0, description: 'Projects that these flags belong to' })),
    project: Nullable(Type.String({ description: 'Project that the field belongs to; null: all projects' })),
  },
  { $id: 'contextField' },
);

const fields = { ...ContextFieldFields, legalValues: Type.Optional(Type.Array(LegalValueSchema)) };

export const CreateContextFieldBody = Type.Object(
  { name: ContextField.properties.name, ...fields, project: Type.Optional(Nullable(NameReference)) },
  { $id: 'createContextField' },
);

export const UpdateContextFieldBody = Type.Object(fields, { $id: 'updateContextField' });

/** The strategies with a constraint on a field. */
export const ContextFieldStrategiesSchema = Type.Object(
  {
    strategies: Type.Array(
      Type.Object({
        id: Type.String({ description: 'Id of the strategy' }),
        featureName: Type.String(),
        projectId: Type.String(),
        environment: Type.String(),
        strategyName: Type.String(),
      }),
    ),
  },
  { $id: 'contextFieldStrategies' },
);
