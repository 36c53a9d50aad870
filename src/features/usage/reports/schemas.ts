import Type, { type Static } from 'typebox';
import { MapOf, Nullable } from '../../../model/primitives.ts';
import { AppName } from '../applications/application.ts';

/** What SDKs send beside what is used: taken, whatever it is. */
const Loose = Type.Optional(Type.Unknown());

const Count = Type.Number({ minimum: 0, description: 'How often since the start of the bucket' });

const LooseText = Type.Optional(Nullable(Type.String()));

const FlagReportSchema = Type.Object(
  {
    yes: Type.Optional(Nullable(Count)),
    no: Type.Optional(Nullable(Count)),
    variants: Type.Optional(Nullable(MapOf(Count, { description: 'How often each variant was given' }))),
  },
  { $id: 'flagUsage', description: 'How often a flag was on, off, and each of its variants' },
);

/** A time as text or as milliseconds since 1970. */
const ReportTime = Type.Union([Type.String({ maxLength: 64 }), Type.Number()], {
  description: 'RFC 3339, or milliseconds since 1970',
});

const Bucket = Type.Object(
  {
    start: ReportTime,
    stop: ReportTime,
    toggles: MapOf(FlagReportSchema, { description: 'By the flag’s name' }),
  },
  { $id: 'usageBucket', description: 'What was counted between two times' },
);

/** The reporter, as old and new SDKs describe it. The environment is the token's, whatever is said here. */
const About = {
  appName: AppName,
  instanceId: Type.Optional(Nullable(Type.String({ description: 'Tells the instances of an application apart' }))),
  connectionId: LooseText,
  environment: LooseText,
  sdkVersion: Type.Optional(
    Nullable(Type.String({ description: 'Name and version of the SDK: `unleash-client-node:6.12.1`' })),
  ),
  sdkType: LooseText,
  sdkFlavor: LooseText,
  sdkFlavorVersion: LooseText,
  platformName: LooseText,
  platformVersion: LooseText,
  yggdrasilVersion: LooseText,
  specVersion: LooseText,
  projectName: LooseText,
};

const ImpactSampleSchema = Type.Object({
  labels: Type.Optional(Nullable(MapOf(Type.Unknown(), { description: 'Texts or numbers by name' }))),
  value: Type.Optional(Nullable(Type.Number({ description: 'Of a gauge; of a counter: what came to it' }))),
  count: Type.Optional(Nullable(Type.Number({ description: 'Of a histogram: how many came to it' }))),
  sum: Type.Optional(Nullable(Type.Number({ description: 'Of a histogram: what came to its sum' }))),
  buckets: Type.Optional(
    Nullable(
      Type.Array(
        Type.Object({
          le: Type.Union([Type.Number(), Type.String()], { description: 'Upper bound; `+Inf` for none' }),
          count: Type.Number({ description: 'How many were not above it' }),
        }),
        { description: 'Of a histogram: what came to each, the smaller ones included' },
      ),
    ),
  ),
});

/** What an application measures itself, by the names it gives. What of it cannot be kept is left out, and counted (docs/metrics.md). */
const ImpactMetrics = Type.Optional(
  Nullable(
    Type.Array(
      Type.Object(
        {
          name: Type.String({ description: 'Told to Prometheus as `unleash_<type>_<name>`' }),
          help: Type.Optional(Nullable(Type.String({ description: 'What it is' }))),
          type: Type.String({ description: '`counter`, `gauge` or `histogram`' }),
          samples: Type.Array(ImpactSampleSchema, { description: 'By labels' }),
        },
        { $id: 'impactMetric', description: 'Something that the application measures itself' },
      ),
      { description: 'What was measured since the last report' },
    ),
  ),
);

export const ClientMetricsBody = Type.Object(
  {
    ...About,
    bucket: Type.Optional(Nullable(Bucket)),
    impactMetrics: ImpactMetrics,
  },
  { $id: 'clientMetrics', additionalProperties: true },
);

export const RegistrationBody = Type.Object(
  {
    ...About,
    strategies: Type.Optional(
      Nullable(
        Type.Array(Type.Unknown(), { maxItems: 1_000, description: 'Names of the strategies that the SDK knows' }),
      ),
    ),
    started: Loose,
    interval: Loose,
  },
  { $id: 'clientRegistration', additionalProperties: true },
);
export type RegistrationBody = Static<typeof RegistrationBody>;

const BulkUse = Type.Object({
  featureName: Type.String({ minLength: 1 }),
  appName: AppName,
  environment: Type.Optional(Nullable(Type.String())),
  timestamp: Type.Optional(ReportTime),
  ...FlagReportSchema.properties,
});

const BulkApplication = Type.Object({
  ...RegistrationBody.properties,
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
    applications: Type.Optional(Nullable(Type.Array(BulkApplication, { description: 'Instances that were heard of' }))),
    metrics: Type.Optional(Nullable(Type.Array(BulkUse, { description: 'What was counted, by flag and application' }))),
    impactMetrics: ImpactMetrics,
  },
  { $id: 'bulkMetrics', additionalProperties: true },
);
