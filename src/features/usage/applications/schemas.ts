import Type from 'typebox';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { AppName } from './application.ts';

export const ApplicationParams = { appName: AppName };

const nullableText = (description: string) => Nullable(Type.String({ description }));
const at = (description: string) => Type.String({ ...DateTime, description });

/** A strategy that an SDK knows: what there is of it here. */
const KnownStrategy = Type.Object(
  {
    name: Type.String({ description: 'As the SDK calls it' }),
    notFound: Type.Optional(Type.Literal(true, { description: 'There is no strategy of this name here' })),
  },
  { additionalProperties: true, description: 'As the list of strategies has it, when there is one of this name' },
);

const UsedFlag = Type.Object({
  name: Type.String({ description: 'Of the flag' }),
  description: Nullable(Type.String({ description: 'Of the flag' })),
  type: Type.String({ description: 'Of the flag' }),
  project: Type.String({ description: 'That the flag is in' }),
  stale: Type.Boolean({ description: 'Whether it is marked as stale' }),
  archived: Type.Boolean({ description: 'Whether it is archived' }),
  createdAt: at('When it was created'),
  impressionData: Type.Boolean({ description: 'Whether applications report each evaluation' }),
});

const ApplicationFacts = {
  appName: Type.String({ description: 'As its SDKs tell it' }),
  createdAt: at('When it was heard of first'),
  updatedAt: at('When somebody changed what is said of it'),
  createdBy: Type.String({ description: 'Who made it known' }),
  description: nullableText('What it is'),
  url: nullableText('Where people read more of it'),
  icon: nullableText('Name of an icon'),
  color: nullableText('Of its icon'),
  strategies: Type.Array(Type.String(), { description: 'Names of those that the SDK knows that registered last' }),
  usage: Type.Array(
    Type.Object({
      project: Type.String({ description: 'A project of its tokens; `*` for all' }),
      environments: Type.Array(Type.String(), { description: 'Environments of its tokens there' }),
    }),
    { description: 'What its tokens were for, within a day' },
  ),
};

const InstanceFields = {
  instanceId: Type.String({ description: 'As its SDK tells it' }),
  sdkVersion: nullableText('Name and version of its SDK; null when it does not tell'),
  sdkType: Type.Enum(['frontend', 'backend'], { description: 'Whether its token is one of browsers and apps' }),
  clientIp: nullableText('Where its reports come from; null when a relay sends them'),
  lastSeen: at('When it was heard of last'),
};

export const InstancesSchema = Type.Object(
  { instances: Type.Array(Type.Object(InstanceFields), { description: 'Those that were heard of within a day' }) },
  { $id: 'applicationInstances' },
);

const Total = Type.Integer({ minimum: 0, description: 'How many match, on this page or not' });

export const ApplicationsSchema = Type.Object(
  {
    total: Total,
    applications: Type.Array(Type.Object(ApplicationFacts), { description: 'A page of them' }),
  },
  { $id: 'applications' },
);

export const ApplicationSchema = Type.Object(
  {
    ...ApplicationFacts,
    strategies: Type.Array(KnownStrategy, { description: 'Those that the SDK knows that registered last' }),
    instances: Type.Array(
      Type.Object({
        appName: AppName,
        ...InstanceFields,
        environment: Type.String({ description: 'Environment of its token' }),
      }),
      { description: 'Those that were heard of within a day' },
    ),
    seenToggles: Type.Array(UsedFlag, { description: 'Flags that it used within a day' }),
  },
  { $id: 'application' },
);

/** Contract: Application overview (applicationOverviewSchema). */
export const ApplicationOverviewSchema = Type.Object(
  {
    projects: Type.Array(Type.String(), { description: 'Projects whose flags it used within a day' }),
    featureCount: Type.Number({ description: 'Flags that it used within a day' }),
    environments: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the environment' }),
        instanceCount: Type.Number({ description: 'Instances that were heard of within a day' }),
        sdks: Type.Array(Type.String(), { description: 'Names and versions of their SDKs' }),
        frontendSdks: Type.Array(Type.String(), { description: 'Those of browsers and apps' }),
        backendSdks: Type.Array(Type.String(), { description: 'Those of servers, relays included' }),
        lastSeen: Nullable(at('When one of them was heard of last')),
        issues: Type.Object({
          missingFeatures: Type.Array(Type.String(), { description: 'Flags that it asks for and that do not exist' }),
          outdatedSdks: Type.Array(Type.String(), { description: 'SDKs that are older than what is current' }),
        }),
      }),
      { description: 'Environments that it was heard of in within a day' },
    ),
    issues: Type.Object({
      missingStrategies: Type.Array(Type.String(), {
        description: 'Strategies that its SDK knows and that do not exist here',
      }),
    }),
  },
  { $id: 'applicationOverview' },
);

export const ProjectApplicationsSchema = Type.Object(
  {
    total: Total,
    applications: Type.Array(
      Type.Object({
        name: Type.String({ description: 'As its SDKs tell it' }),
        environments: Type.Array(Type.String(), { description: 'Where it used flags of the project' }),
        instances: Type.Array(Type.String(), { description: 'Ids of its instances there' }),
        sdks: Type.Array(
          Type.Object({
            name: Type.String({ description: 'Name of an SDK' }),
            versions: Type.Array(Type.String(), { description: 'Of its instances' }),
          }),
          { description: 'Of these instances' },
        ),
      }),
      { description: 'A page of them' },
    ),
  },
  { $id: 'projectApplications' },
);

export const OutdatedSdksSchema = Type.Object(
  {
    sdks: Type.Array(
      Type.Object({
        sdkVersion: Type.String({ description: 'Name and version' }),
        applications: Type.Array(Type.String(), { description: 'Applications that have instances with it' }),
      }),
      { description: 'SDKs that are older than what is current' },
    ),
  },
  { $id: 'outdatedSdks' },
);

export const UnknownFlagsSchema = Type.Object(
  {
    unknownFlags: Type.Array(
      Type.Object({
        name: Type.String({ description: 'A name that no flag has' }),
        lastSeenAt: at('When it was asked for last'),
        reports: Type.Array(
          Type.Object({
            appName: Type.String({ description: 'Who asked for it' }),
            environments: Type.Array(
              Type.Object({
                environment: Type.String({ description: 'With a token for this environment' }),
                seenAt: at('When last'),
              }),
              { description: 'Where' },
            ),
          }),
          { description: 'By application' },
        ),
      }),
      { description: 'Newest first' },
    ),
  },
  { $id: 'unknownFlags' },
);

/** Most that a page may hold. */
export const PAGE_MAX = 1_000;

const pageWords = {
  query: Type.Optional(Type.String({ maxLength: 500, description: 'Only names that hold this text, in any case' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'How many to skip' })),
  sortOrder: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc', description: 'Which way' })),
};

export const ApplicationsQuery = Type.Object({
  ...pageWords,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_MAX, description: 'How many' })),
  sortBy: Type.Optional(Type.Literal('appName', { default: 'appName', description: 'By what' })),
});

export const ProjectApplicationsQuery = Type.Object({
  ...pageWords,
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 25, description: 'How many' })),
  sortBy: Type.Optional(Type.String({ maxLength: 100, default: 'appName', description: 'By what: `appName`' })),
});
