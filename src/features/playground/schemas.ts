import Type from 'typebox';
import { Constraint } from '../../model/constraint.ts';
import { PlaygroundContext } from '../../model/context.ts';
import { ENVIRONMENT_LIMITS } from '../../model/limits/environments.ts';
import { PROJECT_LIMITS } from '../../model/limits/projects.ts';
import { MapOf, NameReference, Nullable } from '../../model/primitives.ts';
import { StrategyParameters } from '../../model/strategy.ts';
import { StrategyVariant, Variant, VariantPayload } from '../../model/variant.ts';
import { UnsavedChanges } from '../change-requests/unsaved-changes.ts';
import { TriedUndo } from '../history/schemas.ts';

const Projects = Type.Optional(
  Type.Union([Type.Literal('*'), Type.Array(Type.String(), { maxItems: PROJECT_LIMITS.projects.max })], {
    default: '*',
    description: 'Ids of the projects; `*` means all of them',
  }),
);

/** The environment of the changes is another field, with another meaning, in each playground. */
const TRIED_CHANGES = {
  changes: Type.Optional({
    ...UnsavedChanges,
    description:
      'Changes that are not saved: flags are evaluated as if they had been made, in order. The `input` of the answer is without them',
  }),
  project: Type.Optional({ ...NameReference, description: 'Id of the project of `changes`' }),
  undo: Type.Optional({
    ...TriedUndo,
    description:
      'An undo that is tried: flags are evaluated as if it had been made. The `input` of the answer is without it',
  }),
};

const TriedChangeRequest = Type.Optional(
  Type.Integer({ minimum: 1, description: 'Id of a change request: flags are evaluated as if it had been applied' }),
);

/** Maximum number of flags that a request names. */
const FEATURES_MAX = 100;

/** Contract: Playground request. */
export const PlaygroundRequest = Type.Object(
  {
    environment: Type.String({ minLength: 1 }),
    projects: Projects,
    features: Type.Optional(
      Type.Array(NameReference, {
        minItems: 1,
        maxItems: FEATURES_MAX,
        description:
          'Names of flags: only these are evaluated. Default: all flags of the projects. The `input` of the answer is without it',
      }),
    ),
    context: PlaygroundContext,
    changeRequest: TriedChangeRequest,
    ...TRIED_CHANGES,
  },
  { $id: 'playgroundRequest' },
);

const ConstraintWithResult = Type.Intersect([Constraint, Type.Object({ result: Type.Boolean() })]);

const EvaluatedVariant = Type.Object({
  name: Type.String({ description: '`disabled` if the flag is off or has no variants' }),
  enabled: Type.Boolean(),
  payload: Type.Optional(VariantPayload),
  feature_enabled: Type.Optional(Type.Boolean()),
  featureEnabled: Type.Optional(Type.Boolean()),
});

/** Status of a strategy's result: `unevaluated` if it is disabled, `incomplete` if only its SDK knows the strategy. */
const StrategyEvaluation = Type.Union([
  Type.Object({
    evaluationStatus: Type.Enum(['incomplete', 'unevaluated']),
    enabled: Type.Union([Type.Literal(false), Type.Literal('unknown')]),
  }),
  Type.Object({
    evaluationStatus: Type.Literal('complete'),
    enabled: Type.Boolean(),
    variant: Type.Optional(EvaluatedVariant),
    variants: Type.Optional(Type.Array(StrategyVariant, { description: 'The strategy’s own variants' })),
  }),
]);

const PlaygroundStrategy = Type.Object(
  {
    name: Type.String(),
    title: Type.Optional(Type.String()),
    id: Type.String(),
    result: StrategyEvaluation,
    disabled: Nullable(Type.Boolean()),
    segments: Type.Array(
      Type.Object({
        id: Type.Integer(),
        name: Type.String(),
        result: Type.Boolean(),
        constraints: Type.Array(ConstraintWithResult),
      }),
    ),
    constraints: Type.Array(ConstraintWithResult),
    parameters: StrategyParameters,
    rollout: Type.Optional(
      Type.Object(
        {
          position: Type.Integer({ description: 'The position of the id of the context among all ids, from 1 to 100' }),
          percentage: Type.Number({ description: 'The rollout is on for ids up to this position' }),
        },
        {
          description:
            'Where the context is in the rollout of the strategy; missing if the position is random, or the context has no id',
        },
      ),
    ),
    links: Type.Object({ edit: Type.String({ description: 'Path of the page where the strategy is edited' }) }),
  },
  { $id: 'playgroundStrategy' },
);

/** The fields of an evaluation in both playgrounds. */
export const Evaluation = {
  name: Type.String(),
  projectId: Type.String(),
  strategies: Type.Object({
    result: Type.Union([Type.Boolean(), Type.Literal('unknown')], {
      description: '`unknown` if a strategy cannot be evaluated here and all other strategies are false',
    }),
    data: Type.Array(PlaygroundStrategy),
  }),
  hasUnsatisfiedDependency: Type.Boolean(),
  isEnabledInCurrentEnvironment: Type.Boolean({ description: 'Whether the flag is switched on in the environment' }),
  isEnabled: Type.Boolean({ description: 'Whether the flag is on for the context; false if that is unknown' }),
  variant: Nullable(EvaluatedVariant),
  variants: Type.Array(Variant, { description: 'The variants from which the flag’s variant was chosen' }),
};

const PlaygroundFeature = Type.Object(
  {
    ...Evaluation,
    feature_enabled: Type.Boolean({ description: 'Deprecated: the same as `isEnabled`' }),
    featureEnabled: Type.Boolean({ description: 'Deprecated: the same as `isEnabled`' }),
  },
  { $id: 'playgroundFeature' },
);

/** Contract: Playground response. */
export const PlaygroundResponse = Type.Object(
  { input: PlaygroundRequest, features: Type.Array(PlaygroundFeature) },
  { $id: 'playgroundResponse' },
);

/** The request of the advanced playground: it names several environments, and the fields of its context can have several values. */
export const AdvancedPlaygroundRequest = Type.Object(
  {
    environments: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: ENVIRONMENT_LIMITS.environments.max,
    }),
    projects: Projects,
    context: Type.Object(
      { ...PlaygroundContext.properties, currentTime: Type.Optional(Type.String()) },
      {
        additionalProperties: true,
        description:
          'A field can have several values, separated by commas. Every combination of values is evaluated as a context',
      },
    ),
    changeRequest: TriedChangeRequest,
    ...TRIED_CHANGES,
    environment: Type.Optional({ ...NameReference, description: 'Environment of `changes`' }),
  },
  { $id: 'advancedPlaygroundRequest' },
);

const AdvancedPlaygroundFeature = Type.Object(
  {
    name: Type.String(),
    projectId: Type.String(),
    environments: MapOf(
      Type.Array(
        Type.Object({
          ...Evaluation,
          environment: Type.String(),
          context: Type.Object(
            { ...PlaygroundContext.properties, currentTime: Type.Optional(Type.String()) },
            { additionalProperties: true, description: 'The combination that was evaluated' },
          ),
        }),
      ),
      {
        description:
          'One result for each context, by environment; environments that the project does not have are missing',
      },
    ),
  },
  { $id: 'advancedPlaygroundFeature' },
);

export const AdvancedPlaygroundResponse = Type.Object(
  {
    input: AdvancedPlaygroundRequest,
    features: Type.Array(AdvancedPlaygroundFeature),
    warnings: Type.Object({
      invalidContextProperties: Type.Array(Type.String(), {
        description: 'Fields of the context that were left out because they are neither text, number nor boolean',
      }),
    }),
  },
  { $id: 'advancedPlaygroundResponse' },
);
