import Type from 'typebox';
import { Constraint } from '../../model/constraint.ts';
import { PlaygroundContext } from '../../model/context.ts';
import { Nullable } from '../../model/primitives.ts';
import { StrategyParameters } from '../../model/strategy.ts';
import { Variant, VariantPayload } from '../../model/variant.ts';

/** Contract: Playground request. */
export const PlaygroundRequest = Type.Object(
  {
    environment: Type.String({ minLength: 1 }),
    projects: Type.Optional(
      Type.Union([Type.Literal('*'), Type.Array(Type.String())], {
        default: '*',
        description: 'Ids of the projects to look at; `*` means all of them',
      }),
    ),
    context: PlaygroundContext,
  },
  { $id: 'playgroundRequest' },
);

const ConstraintWithResult = Type.Intersect([Constraint, Type.Object({ result: Type.Boolean() })]);

/** Why a strategy came out as it did: `unevaluated` when it is disabled, `incomplete` when only its SDK knows the strategy. */
const StrategyEvaluation = Type.Union([
  Type.Object({
    evaluationStatus: Type.Enum(['incomplete', 'unevaluated']),
    enabled: Type.Union([Type.Literal(false), Type.Literal('unknown')]),
  }),
  Type.Object({ evaluationStatus: Type.Literal('complete'), enabled: Type.Boolean() }),
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
    links: Type.Object({ edit: Type.String({ description: 'Path of the page where the strategy is edited' }) }),
  },
  { $id: 'playgroundStrategy' },
);

const PlaygroundFeature = Type.Object(
  {
    name: Type.String(),
    projectId: Type.String(),
    strategies: Type.Object({
      result: Type.Union([Type.Boolean(), Type.Literal('unknown')], {
        description: '`unknown` when a strategy cannot be evaluated here and all the others are false',
      }),
      data: Type.Array(PlaygroundStrategy),
    }),
    hasUnsatisfiedDependency: Type.Boolean(),
    isEnabledInCurrentEnvironment: Type.Boolean({ description: 'Whether the flag is switched on in the environment' }),
    isEnabled: Type.Boolean({ description: 'Whether the flag is on for the context; false when that is unknown' }),
    variant: Nullable(
      Type.Object({
        name: Type.String({ description: '`disabled` when the flag is off or has no variants' }),
        enabled: Type.Boolean(),
        payload: Type.Optional(VariantPayload),
        feature_enabled: Type.Optional(Type.Boolean()),
        featureEnabled: Type.Optional(Type.Boolean()),
      }),
    ),
    variants: Type.Array(Variant, { description: 'The variants that the flag’s variant was chosen from' }),
    feature_enabled: Type.Boolean({ description: 'Deprecated: as `isEnabled`' }),
    featureEnabled: Type.Boolean({ description: 'Deprecated: as `isEnabled`' }),
  },
  { $id: 'playgroundFeature' },
);

/** Contract: Playground response. */
export const PlaygroundResponse = Type.Object(
  { input: PlaygroundRequest, features: Type.Array(PlaygroundFeature) },
  { $id: 'playgroundResponse' },
);
