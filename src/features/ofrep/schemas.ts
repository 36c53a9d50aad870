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

/** In traces, OpenFeature's `feature_flag.set.id` and `feature_flag.version`. */
const FlagSetFields = {
  flagSetId: Type.String({ description: 'The environment' }),
  version: Type.String({ description: 'The revision of the flags that the token sees' }),
};

const EventStream = Type.Object(
  {
    type: Type.Literal('sse'),
    endpoint: Type.Object(
      { requestUri: Type.String({ description: 'Path and query, at the origin to which this request was sent' }) },
      { description: 'The address of the stream' },
    ),
  },
  { $id: 'ofrepEventStream' },
);

const EvaluationSuccess = Type.Object(
  {
    key: Type.String({ description: 'Name of the flag' }),
    value: Type.Optional(
      Type.Unknown({
        description:
          'The payload of the variant, as a value of the payload’s type. If there is no payload: whether the flag is on. Missing if the flag is off and ' +
          'has a variant with a payload: the application’s default value applies',
      }),
    ),
    reason: Type.Enum(['STATIC', 'TARGETING_MATCH', 'SPLIT', 'DISABLED', 'DEFAULT'], {
      description: 'Reason for the value, as OpenFeature defines it',
    }),
    variant: Type.String({ description: 'Name of the variant; `on` or `off` if there is no variant' }),
    metadata: Type.Object(
      {
        featureEnabled: Type.Boolean({ description: 'Whether the flag is on' }),
        impressionData: Type.Boolean({ description: 'Whether applications should report each evaluation' }),
        payloadType: Type.Optional(Type.String({ description: 'Type of the variant’s payload' })),
        ...FlagSetFields,
      },
      { description: 'Further information about the flag that Unleash’s SDKs also have, and its set' },
    ),
  },
  { $id: 'ofrepEvaluation' },
);

const EvaluationFailure = Type.Object(
  {
    key: Type.String({ description: 'Name of the flag' }),
    errorCode: Type.Enum(['PARSE_ERROR'], { description: 'Reason why there is no value, as OpenFeature defines it' }),
    errorDetails: Type.String({ description: 'The reason as text for people' }),
    metadata: Type.Optional(Type.Object({}, { description: 'As in an evaluation with a value' })),
  },
  { $id: 'ofrepEvaluationFailure' },
);

export const Evaluation = Type.Union([EvaluationSuccess, EvaluationFailure]);

export const BulkEvaluation = Type.Object(
  {
    flags: Type.Array(Evaluation, { description: 'Every flag that the token sees, on or off' }),
    metadata: Type.Object(FlagSetFields, { description: 'The set of these flags' }),
    eventStreams: Type.Optional(
      Type.Array(EventStream, { description: 'The stream with an event whenever these flags have changed' }),
    ),
  },
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
