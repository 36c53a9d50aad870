import Type, { type Static } from 'typebox';
import { MapOf, Nullable } from '../../../model/primitives.ts';
import { AppName } from '../applications/application.ts';

/** A field that SDKs send and that the service does not use. Any value is accepted. */
const Ignored = Type.Optional(Type.Unknown());

const Count = Type.Number({ minimum: 0, description: 'How often this happened since the start of the bucket' });

const IgnoredText = Type.Optional(Nullable(Type.String()));

const FlagReportSchema = Type.Object(
  {
    yes: Type.Optional(Nullable(Count)),
    no: Type.Optional(Nullable(Count)),
    variants: Type.Optional(Nullable(MapOf(Count, { description: 'How often each variant was served' }))),
  },
  { $id: 'flagUsage', description: 'How often a flag was on and off, and how often each of its variants was served' },
);

/** A time as text or as milliseconds since 1970. */
const ReportTime = Type.Union([Type.String({ maxLength: 64 }), Type.Number()], {
  description: 'RFC 3339, or milliseconds since 1970',
});

const Bucket = Type.Object(
  {
    start: ReportTime,
    stop: ReportTime,
    toggles: MapOf(FlagReportSchema, { description: 'Counts by the name of the flag' }),
  },
  { $id: 'usageBucket', description: 'Counts between two times' },
);

/** The reporter, as old and new SDKs describe it. The environment in the body is ignored: the token decides it. */
const ReporterFields = {
  appName: AppName,
  instanceId: Type.Optional(
    Nullable(Type.String({ description: 'Id that distinguishes the instances of an application' })),
  ),
  connectionId: IgnoredText,
  environment: IgnoredText,
  sdkVersion: Type.Optional(
    Nullable(Type.String({ description: 'Name and version of the SDK: `unleash-client-node:6.12.1`' })),
  ),
  sdkType: IgnoredText,
  sdkFlavor: IgnoredText,
  sdkFlavorVersion: IgnoredText,
  platformName: IgnoredText,
  platformVersion: IgnoredText,
  yggdrasilVersion: IgnoredText,
  specVersion: IgnoredText,
  projectName: IgnoredText,
};

const ImpactSampleSchema = Type.Object({
  labels: Type.Optional(Nullable(MapOf(Type.Unknown(), { description: 'Texts or numbers by name' }))),
  value: Type.Optional(Nullable(Type.Number({ description: 'The value of a gauge, or the increase of a counter' }))),
  count: Type.Optional(Nullable(Type.Number({ description: 'For a histogram: the number of new values' }))),
  sum: Type.Optional(Nullable(Type.Number({ description: 'For a histogram: the sum of the new values' }))),
  buckets: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          le: Type.Union([Type.Number(), Type.String()], { description: 'Upper bound; `+Inf` for none' }),
          count: Type.Number({ description: 'Number of new values up to `le`' }),
        }),
        { description: 'For a histogram: the numbers of new values, cumulative' },
      ),
    ),
  ),
});

/** Metrics that an application measures itself, with names that it chooses. Metrics that cannot be kept are dropped and counted (docs/reach/metrics.md). */
const ImpactMetrics = Type.Optional(
  Nullable(
    Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Published to Prometheus as `unleash_<type>_<name>`' }),
          help: Type.Optional(Nullable(Type.String({ description: 'Explanation of the metric' }))),
          type: Type.String({ description: '`counter`, `gauge` or `histogram`' }),
          samples: Type.Array(ImpactSampleSchema, { description: 'Samples by labels' }),
        },
        { $id: 'impactMetric', description: 'A metric that the application measures itself' },
      ),
      { description: 'Metrics since the last report' },
    ),
  ),
);

export const ClientMetricsBody = Type.Object(
  {
    ...ReporterFields,
    bucket: Type.Optional(Nullable(Bucket)),
    impactMetrics: ImpactMetrics,
  },
  { $id: 'clientMetrics', additionalProperties: true },
);

export const RegistrationBody = Type.Object(
  {
    ...ReporterFields,
    strategies: Type.Optional(
      Nullable(
        Type.Array(Type.Unknown(), { maxItems: 1_000, description: 'Names of the strategies that the SDK knows' }),
      ),
    ),
    started: Ignored,
    interval: Ignored,
  },
  { $id: 'clientRegistration', additionalProperties: true },
);
export type RegistrationBody = Static<typeof RegistrationBody>;

/** Edge collects reports of applications without a name. These items are dropped, and the others are counted. */
const BulkAppName = Type.String({ ...AppName, minLength: 0 });

const BulkUse = Type.Object({
  featureName: Type.String({ minLength: 1 }),
  appName: BulkAppName,
  environment: Type.Optional(Nullable(Type.String())),
  timestamp: Type.Optional(ReportTime),
  ...FlagReportSchema.properties,
});

const BulkApplication = Type.Object({
  ...RegistrationBody.properties,
  appName: BulkAppName,
  connectVia: Type.Optional(
    Nullable(
      Type.Array(Type.Object({ appName: Type.String(), instanceId: Type.String() }), {
        description: 'Relays between the application and this service',
      }),
    ),
  ),
});

export const BulkMetricsBody = Type.Object(
  {
    applications: Type.Optional(
      Nullable(Type.Array(BulkApplication, { description: 'Instances that the relay has seen' })),
    ),
    metrics: Type.Optional(Nullable(Type.Array(BulkUse, { description: 'Counts by flag and application' }))),
    impactMetrics: ImpactMetrics,
  },
  { $id: 'bulkMetrics', additionalProperties: true },
);
