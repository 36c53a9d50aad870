import Type from 'typebox';
import { DateTime, Nullable } from '../../../model/primitives.ts';
import { AppName } from './application.ts';

export const ApplicationParams = { appName: AppName };

const nullableText = (description: string) => Nullable(Type.String({ description }));
const timeField = (description: string) => Type.String({ ...DateTime, description });

/** A strategy that an SDK knows, with its definition here. */
const KnownStrategy = Type.Object(
  {
    name: Type.String({ description: 'Name that the SDK uses' }),
    notFound: Type.Optional(Type.Literal(true, { description: 'There is no strategy with this name here' })),
  },
  { additionalProperties: true, description: 'As in the list of strategies, if there is one with this name' },
);

const UsedFlag = Type.Object({
  name: Type.String({ description: 'Name of the flag' }),
  description: Nullable(Type.String({ description: 'Description of the flag' })),
  type: Type.String({ description: 'Type of the flag' }),
  project: Type.String({ description: 'Project of the flag' }),
  stale: Type.Boolean({ description: 'Whether it is marked as stale' }),
  archived: Type.Boolean({ description: 'Whether it is archived' }),
  createdAt: timeField('When it was created'),
  impressionData: Type.Boolean({ description: 'Whether applications report each evaluation' }),
});

const ApplicationFields = {
  appName: Type.String({ description: 'Name that its SDKs report' }),
  createdAt: timeField('When it was first reported'),
  updatedAt: timeField('When a user last changed its description'),
  createdBy: Type.String({ description: 'The user or token that created it' }),
  description: nullableText('Description'),
  url: nullableText('Page with more information'),
  icon: nullableText('Name of an icon'),
  color: nullableText('Color of its icon'),
  strategies: Type.Array(Type.String(), {
    description: 'Names of the strategies that the most recently registered SDK knows',
  }),
  project: Type.String({ description: 'The project of its tokens if there is only one; otherwise `*`' }),
  environment: Type.String({ description: 'The environment of its tokens if there is only one; otherwise `*`' }),
  usage: Type.Array(
    Type.Object({
      project: Type.String({ description: 'A project of its tokens; `*` for all' }),
      environments: Type.Array(Type.String(), { description: 'Environments of its tokens there' }),
    }),
    { description: 'Scopes of its tokens, within a day' },
  ),
};

const InstanceFields = {
  instanceId: Type.String({ description: 'Id that its SDK reports' }),
  sdkVersion: nullableText('Name and version of its SDK; null if it does not report them'),
  sdkType: Type.Enum(['frontend', 'backend'], { description: 'Whether its token is for browsers and apps' }),
  clientIp: nullableText('IP address from which it reports; null if a relay sends its reports'),
  lastSeen: timeField('When it was last seen'),
};

export const InstancesSchema = Type.Object(
  { instances: Type.Array(Type.Object(InstanceFields), { description: 'Instances that were seen within a day' }) },
  { $id: 'applicationInstances' },
);

const Total = Type.Integer({ minimum: 0, description: 'Number of matches on all pages' });

export const ApplicationsSchema = Type.Object(
  {
    total: Total,
    applications: Type.Array(Type.Object(ApplicationFields), { description: 'One page of applications' }),
  },
  { $id: 'applications' },
);

export const ApplicationSchema = Type.Object(
  {
    ...ApplicationFields,
    strategies: Type.Array(KnownStrategy, { description: 'Strategies that the most recently registered SDK knows' }),
    instances: Type.Array(
      Type.Object({
        appName: AppName,
        ...InstanceFields,
        environment: Type.String({ description: 'Environment of its token' }),
      }),
      { description: 'Instances that were seen within a day' },
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
        instanceCount: Type.Number({ description: 'Number of instances that were seen within a day' }),
        sdks: Type.Array(Type.String(), { description: 'Names and versions of their SDKs' }),
        frontendSdks: Type.Array(Type.String(), { description: 'SDKs of browsers and apps' }),
        backendSdks: Type.Array(Type.String(), { description: 'SDKs of servers, including relays' }),
        lastSeen: Nullable(timeField('When one of them was last seen')),
        issues: Type.Object({
          missingFeatures: Type.Array(Type.String(), { description: 'Flags that it uses although they do not exist' }),
          outdatedSdks: Type.Array(Type.String(), { description: 'Outdated SDKs' }),
        }),
      }),
      { description: 'Environments in which it was seen within a day' },
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
        name: Type.String({ description: 'Name that its SDKs report' }),
        environments: Type.Array(Type.String(), { description: 'Environments in which it used flags of the project' }),
        instances: Type.Array(Type.String(), { description: 'Ids of its instances in these environments' }),
        sdks: Type.Array(
          Type.Object({
            name: Type.String({ description: 'Name of an SDK' }),
            versions: Type.Array(Type.String(), { description: 'Versions in its instances' }),
          }),
          { description: 'SDKs of these instances' },
        ),
      }),
      { description: 'One page of applications' },
    ),
  },
  { $id: 'projectApplications' },
);

export const OutdatedSdksSchema = Type.Object(
  {
    sdks: Type.Array(
      Type.Object({
        sdkVersion: Type.String({ description: 'Name and version' }),
        applications: Type.Array(Type.String(), { description: 'Applications whose instances use it' }),
      }),
      { description: 'Outdated SDKs' },
    ),
  },
  { $id: 'outdatedSdks' },
);

export const UnknownFlagsSchema = Type.Object(
  {
    unknownFlags: Type.Array(
      Type.Object({
        name: Type.String({ description: 'A name that no flag has' }),
        lastSeenAt: timeField('When it was last used'),
        reports: Type.Array(
          Type.Object({
            appName: Type.String({ description: 'Application that used it' }),
            environments: Type.Array(
              Type.Object({
                environment: Type.String({ description: 'Environment of its token' }),
                seenAt: timeField('When it was last used there'),
              }),
              { description: 'Environments in which it was used' },
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

/** Maximum number of entries on a page. */
export const PAGE_MAX = 1_000;

const pageFields = {
  query: Type.Optional(
    Type.String({ maxLength: 500, description: 'Only names that contain this text, in upper or lower case' }),
  ),
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Number of entries to skip' })),
  sortOrder: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'asc', description: 'Sort direction' })),
};

export const ApplicationsQuery = Type.Object({
  ...pageFields,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_MAX, description: 'Maximum number of entries' }),
  ),
  sortBy: Type.Optional(Type.Literal('appName', { default: 'appName', description: 'Sort key' })),
});

export const ProjectApplicationsQuery = Type.Object({
  ...pageFields,
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 25, description: 'Maximum number of entries' }),
  ),
  sortBy: Type.Optional(Type.String({ maxLength: 100, default: 'appName', description: 'Sort key: `appName`' })),
});
