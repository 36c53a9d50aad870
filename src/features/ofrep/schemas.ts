import Type from 'typebox';
import { SdkContext } from '../../model/context.ts';
import { MODEL_LIMITS } from '../../model/limits.ts';

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
  { $id: 'openFeatureContext', additionalProperties: true, maxProperties: MODEL_LIMITS.contextProperties.max },
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
    reason: Type.Enum(['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'DEFAULT'], {
      description: 'Why it is so, in OpenFeature’s words',
    }),
    variant: Type.String({ description: 'Name of the variant; `on` or `off` without one' }),
    metadata: Type.Object(
      {
        featureEnabled: Type.Boolean({ description: 'Whether the flag is on' }),
        impressionData: Type.Boolean({ description: 'Whether applications should tell of each evaluation' }),
        payloadType: Type.Optional(Type.String({ description: 'Type of the variant’s payload' })),
      },
      { description: 'What Unleash’s SDKs know of the flag beside its value' },
    ),
  },
  { $id: 'ofrepEvaluation' },
);

const EvaluationFailure = Type.Object(
  {
    key: Type.String({ description: 'The flag’s name' }),
    errorCode: Type.Enum(['PARSE_ERROR'], { description: 'Why it has no value, in OpenFeature’s words' }),
    errorDetails: Type.String({ description: 'The same for people' }),
  },
  { $id: 'ofrepEvaluationFailure' },
);

export const Evaluation = Type.Union([EvaluationSuccess, EvaluationFailure]);

export const BulkEvaluation = Type.Object(
  { flags: Type.Array(Evaluation, { description: 'Every flag that the token sees, on or off' }) },
  { $id: 'ofrepBulkEvaluation' },
);

const Polling = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether providers may ask again for what has changed' }),
    minPollingIntervalMs: Type.Integer({ description: 'Milliseconds to leave between two requests at least' }),
    minPollingInterval: Type.Integer({ description: 'The same, by the name it had before' }),
  },
  { description: 'How often all flags may be asked for' },
);

const FlagEvaluation = Type.Object(
  {
    supportedTypes: Type.Array(Type.String(), { description: 'Types that values may have' }),
    unsupportedTypes: Type.Array(Type.String(), { description: 'Types that they never have, by the older name: none' }),
  },
  { description: 'Which flags can be evaluated' },
);

const Caching = Type.Object(
  { enabled: Type.Boolean({ description: 'Whether providers should keep what one evaluation said' }) },
  { description: 'Whether single evaluations should be kept' },
);

export const ProviderConfiguration = Type.Object(
  {
    name: Type.String({ description: 'Name of this service' }),
    capabilities: Type.Object(
      {
        cacheInvalidation: Type.Object({ polling: Polling }, { description: 'How changes are noticed' }),
        flagEvaluation: FlagEvaluation,
        caching: Caching,
      },
      { description: 'What of the protocol is there' },
    ),
  },
  { $id: 'ofrepConfiguration' },
);
