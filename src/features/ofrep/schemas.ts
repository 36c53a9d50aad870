import Type from 'typebox';
import { SdkContext } from '../../model/context.ts';
import { MODEL_LIMITS } from '../../model/limits.ts';

/** The attributes of a context: the attributes of OpenFeature, the fields of Unleash, and any other attributes, which become properties. */
const OpenFeatureContext = Type.Object(
  {
    targetingKey: Type.Optional(
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()], {
        description: 'Key of the user. It is used as `userId` unless the context has a `userId`',
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
    key: Type.String({ description: 'Name of the flag' }),
    value: Type.Unknown({
      description:
        'The payload of the variant, as a value of the payload’s type. If there is no payload: whether the flag is on',
    }),
    reason: Type.Enum(['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'DEFAULT'], {
      description: 'Reason for the value, as OpenFeature defines it',
    }),
    variant: Type.String({ description: 'Name of the variant; `on` or `off` if there is no variant' }),
    metadata: Type.Object(
      {
        featureEnabled: Type.Boolean({ description: 'Whether the flag is on' }),
        impressionData: Type.Boolean({ description: 'Whether applications should report each evaluation' }),
        payloadType: Type.Optional(Type.String({ description: 'Type of the variant’s payload' })),
      },
      { description: 'Further information about the flag that Unleash’s SDKs also have' },
    ),
  },
  { $id: 'ofrepEvaluation' },
);

const EvaluationFailure = Type.Object(
  {
    key: Type.String({ description: 'Name of the flag' }),
    errorCode: Type.Enum(['PARSE_ERROR'], { description: 'Reason why there is no value, as OpenFeature defines it' }),
    errorDetails: Type.String({ description: 'The reason as text for people' }),
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
    enabled: Type.Boolean({ description: 'Whether providers may poll for changes' }),
    minPollingIntervalMs: Type.Integer({ description: 'Minimum number of milliseconds between two requests' }),
    minPollingInterval: Type.Integer({ description: 'The same as `minPollingIntervalMs`, under its former name' }),
  },
  { description: 'How often all flags may be requested' },
);

const FlagEvaluation = Type.Object(
  {
    supportedTypes: Type.Array(Type.String(), { description: 'Types that values can have' }),
    unsupportedTypes: Type.Array(Type.String(), {
      description: 'Always empty; a field of former versions of the protocol',
    }),
  },
  { description: 'The types of values that flags can have' },
);

const Caching = Type.Object(
  { enabled: Type.Boolean({ description: 'Whether providers should cache a single evaluation' }) },
  { description: 'Caching of single evaluations' },
);

export const ProviderConfiguration = Type.Object(
  {
    name: Type.String({ description: 'Name of this service' }),
    capabilities: Type.Object(
      {
        cacheInvalidation: Type.Object({ polling: Polling }, { description: 'How providers notice changes' }),
        flagEvaluation: FlagEvaluation,
        caching: Caching,
      },
      { description: 'Supported parts of the protocol' },
    ),
  },
  { $id: 'ofrepConfiguration' },
);
