import Type from 'typebox';
import { SdkContext } from '../../model/context.ts';
import { LIMITS } from '../../model/limits.ts';

/** Attributes of a context: what OpenFeature knows by name, what Unleash knows by name, and whatever else, as properties. */
const OpenFeatureContext = Type.Object(
  {
    targetingKey: Type.Optional(
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
        description: 'Who is asked for: Unleash’s `userId`, unless the context names one',
      }),
    ),
    ...SdkContext.properties,
  },
  { $id: 'openFeatureContext', additionalProperties: true, maxProperties: LIMITS.contextProperties.max },
);

export const EvaluationRequest = Type.Object(
  { context: Type.Optional(OpenFeatureContext) },
  { $id: 'ofrepEvaluationRequest', additionalProperties: true },
);

const EvaluationSuccess = Type.Object(
  {
    key: Type.String({ description: 'The flag’s name' }),
    value: Type.Unknown({
      description: 'The payload of the variant, by its type; without one, whether the flag is on',
    }),
    reason: Type.Enum(['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'DEFAULT']),
    variant: Type.Optional(Type.String()),
    metadata: Type.Object({
      featureEnabled: Type.Boolean({ description: 'Whether the flag is on' }),
      impressionData: Type.Boolean(),
      payloadType: Type.Optional(Type.String({ description: 'Type of the variant’s payload' })),
    }),
  },
  { $id: 'ofrepEvaluation' },
);

const EvaluationFailure = Type.Object(
  {
    key: Type.String({ description: 'The flag’s name' }),
    errorCode: Type.Enum(['PARSE_ERROR']),
    errorDetails: Type.String(),
  },
  { $id: 'ofrepEvaluationFailure' },
);

export const Evaluation = Type.Union([EvaluationSuccess, EvaluationFailure]);

export const BulkEvaluation = Type.Object({ flags: Type.Array(Evaluation) }, { $id: 'ofrepBulkEvaluation' });

export const ProviderConfiguration = Type.Object(
  {
    name: Type.String(),
    capabilities: Type.Object({
      cacheInvalidation: Type.Object({
        polling: Type.Object({
          enabled: Type.Boolean(),
          minPollingIntervalMs: Type.Integer({ description: 'Milliseconds' }),
          minPollingInterval: Type.Integer({ description: 'Milliseconds; the name it had before' }),
        }),
      }),
      flagEvaluation: Type.Object({
        supportedTypes: Type.Array(Type.String()),
        unsupportedTypes: Type.Array(Type.String(), { description: 'The name it had before: none' }),
      }),
      caching: Type.Object({ enabled: Type.Boolean() }),
    }),
  },
  { $id: 'ofrepConfiguration' },
);
