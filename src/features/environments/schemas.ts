import Type from 'typebox';
import { Constraint } from '../../model/constraint.ts';
import { Environment } from '../../model/environment.ts';
import { MapOf, Nullable, SortOrder } from '../../model/primitives.ts';
import { StrategyParameters } from '../../model/strategy.ts';
import { StrategyVariant } from '../../model/variant.ts';
import { answeredFields } from '../shared/entity-fields.ts';
import { EnvironmentChanges, NewEnvironmentFields } from './commands.ts';

export const DefaultStrategySchema = Type.Object(
  {
    name: Type.String({ description: 'The type of strategy' }),
    title: Nullable(Type.String({ description: 'Title for people' })),
    disabled: Type.Boolean({ description: 'Has no effect: flags get the strategy enabled' }),
    parameters: StrategyParameters,
    constraints: Type.Array(Constraint, { description: 'All constraints must be met' }),
    segments: Type.Array(Type.Integer(), { description: 'Ids of segments; all segments must be met' }),
    variants: Type.Array(StrategyVariant, { description: 'Variants of the strategy' }),
  },
  { $id: 'defaultStrategy', description: 'The strategy that flags get when they are switched on without a strategy' },
);

const fields = answeredFields(
  Environment,
  'name',
  'type',
  'enabled',
  'protected',
  'sortOrder',
  'requireReason',
  'fetchMode',
);

const Count = Type.Optional(Nullable(Type.Integer({ minimum: 0 })));

/** Contract: Environment (environmentSchema). */
export const EnvironmentSchema = Type.Object(
  {
    ...fields,
    projectCount: Count,
    apiTokenCount: Count,
    enabledToggleCount: Count,
    requiredApprovals: Type.Optional(
      Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
        description: 'Always null: the number of required approvals is set per project',
      }),
    ),
    defaultStrategy: Type.Optional(Type.Null({ description: 'Always null: the default strategy is set per project' })),
  },
  { $id: 'environment' },
);

/** An environment, with counts for one project. */
const ProjectEnvironmentSchema = Type.Object(
  {
    ...fields,
    projectApiTokenCount: Type.Integer({ description: 'Tokens of the environment that have access to the project' }),
    projectEnabledToggleCount: Type.Integer({ description: 'Flags of the project that are on in the environment' }),
    requiredApprovals: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description:
        'Number of users who must approve a change request of the project in the environment; null: no approval is needed',
    }),
    defaultStrategy: Nullable(DefaultStrategySchema),
    visible: Type.Boolean({ description: 'Whether flags of the project can be switched in the environment' }),
  },
  { $id: 'projectEnvironment' },
);

export const EnvironmentListSchema = Type.Object({
  version: Type.Integer(),
  environments: Type.Array(EnvironmentSchema),
});

export const ProjectEnvironmentListSchema = Type.Object({
  version: Type.Integer(),
  environments: Type.Array(ProjectEnvironmentSchema),
});

export const CreateEnvironmentBody = Type.Object(NewEnvironmentFields, { $id: 'createEnvironment' });

/** A name that a new environment may have; in tokens, `*` means all environments. */
export const EnvironmentNameBody = Type.Object({ name: NewEnvironmentFields.name }, { $id: 'environmentName' });

export const UpdateEnvironmentBody = Type.Object(EnvironmentChanges, { $id: 'updateEnvironment' });

export const SortOrderBody = MapOf(SortOrder, {
  description: 'Name → sort order; the sort orders of other environments do not change',
});
