import Type from 'typebox';
import type { Asker } from '../../base/asking/asker.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { done, ok } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { DateTime } from '../../model/primitives.ts';
import { StoreError } from '../../stores/store.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { instanceStatistics, statisticsCsv } from './statistics.ts';

const route = routesOf('Instance Admin');
const telemetryRoute = routesOf('Telemetry');
const adminUiRoute = routesOf('Admin UI');

const Count = Type.Integer({ minimum: 0 });

const StatisticsSchema = Type.Object(
  {
    instanceId: Type.String(),
    timestamp: DateTime,
    versionOSS: Type.String(),
    versionEnterprise: Type.String({ description: 'Always empty: there is no other edition' }),
    users: Count,
    serviceAccounts: Count,
    activeUsers: Type.Object(
      { last7: Count, last30: Count, last60: Count, last90: Count },
      { description: 'Users who were seen within this number of days' },
    ),
    roles: Count,
    customRootRoles: Count,
    customRootRolesInUse: Count,
    groups: Count,
    projects: Count,
    environments: Count,
    contextFields: Count,
    segments: Count,
    strategies: Type.Integer({ minimum: 0, description: 'Number of strategy types that flags can use' }),
    releaseTemplates: Type.Integer({ minimum: 0, description: 'Number of release templates, with the archived ones' }),
    featureToggles: Type.Integer({ minimum: 0, description: 'Flags that are not archived' }),
    archivedFeatureToggles: Count,
    releasePlans: Type.Integer({ minimum: 0, description: 'Number of release plans of flags that are not archived' }),
    maxEnvironmentStrategies: Type.Integer({
      minimum: 0,
      description: 'Highest number of strategies of a flag in one environment',
    }),
    maxConstraints: Type.Integer({ minimum: 0, description: 'Highest number of constraints of a strategy' }),
    maxConstraintValues: Type.Integer({ minimum: 0, description: 'Highest number of values of a constraint' }),
    apiTokens: Type.Object({}, { additionalProperties: Count, description: 'Number of API tokens by type' }),
    clientApps: Type.Array(Type.Object({ range: Type.Literal('allTime'), count: Count }), {
      description: 'Applications whose SDKs have reported',
    }),
    SAMLenabled: Type.Boolean(),
    OIDCenabled: Type.Boolean(),
    SCIMenabled: Type.Boolean({ description: 'Whether an identity provider may manage users' }),
    passwordAuthEnabled: Type.Boolean(),
    productionChanges: Type.Object(
      { last30: Count, last60: Count, last90: Count },
      {
        description:
          'Number of audit events of environments of the type `production` within this number of days. Only stored events count',
      },
    ),
    featureExports: Type.Integer({ minimum: 0, description: 'Number of exports in the stored audit events' }),
    featureImports: Type.Integer({ minimum: 0, description: 'Number of imports in the stored audit events' }),
    sum: Type.String({ description: 'SHA-256 of all other fields, in this order, as JSON' }),
  },
  { $id: 'instanceAdminStats' },
);

async function statistics(services: Services, { caller, asker }: { readonly caller: Caller; readonly asker: Asker }) {
  try {
    return await instanceStatistics(services, caller, asker);
  } catch (error) {
    if (error instanceof StoreError) return unavailable('The store cannot be read now. Try again later.', 2);
    throw error;
  }
}

const getStatistics = route('GET /api/admin/instance-admin/statistics', 'getInstanceAdminStats', {
  access: { permission: 'READ' },
  summary: 'Statistics of the instance, for the projects that the caller may see',
  responses: { 200: { description: 'The statistics', schema: StatisticsSchema } },
  async handle({ caller, asker }, services) {
    const stats = await statistics(services, { caller, asker });
    return stats instanceof Rejection ? stats : ok(stats);
  },
});

const getStatisticsCsv = route('GET /api/admin/instance-admin/statistics/csv', 'getInstanceAdminStatsCsv', {
  access: { permission: 'READ' },
  summary: 'The same statistics as comma-separated values: a line of names, a line of values',
  responses: { 200: { description: 'The statistics', schema: Type.String(), contentType: 'text/csv' } },
  async handle({ caller, asker }, services) {
    const stats = await statistics(services, { caller, asker });
    if (stats instanceof Rejection) return stats;
    const headers = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="burgee-statistics.csv"',
    };
    return { status: 200, text: statisticsCsv(stats), headers };
  },
});

const getTelemetry = telemetryRoute('GET /api/admin/telemetry/settings', 'getTelemetrySettings', {
  access: { permission: 'READ' },
  summary: 'What the service reports to its makers: nothing',
  responses: {
    200: {
      description: 'Nothing is collected',
      schema: Type.Object(
        { versionInfoCollectionEnabled: Type.Boolean(), featureInfoCollectionEnabled: Type.Boolean() },
        { $id: 'telemetrySettings' },
      ),
    },
  },
  handle: () => ok({ versionInfoCollectionEnabled: false, featureInfoCollectionEnabled: false }),
});

const recordUiError = adminUiRoute('POST /api/admin/record-ui-error', 'recordUiError', {
  access: { permission: 'READ' },
  summary: 'Writes an error of a page into the log of the service',
  description:
    'Tokens and the query parts of addresses are left out. Above 60 errors in a minute, only their number is logged.',
  body: Type.Object(
    {
      errorMessage: Type.String({ minLength: 1, maxLength: 1_000 }),
      errorStack: Type.Optional(Type.String({ maxLength: 10_000 })),
    },
    { $id: 'recordUiError' },
  ),
  responses: { 204: { description: 'The error was accepted' } },
  handle({ body: { errorMessage, errorStack }, caller }, { uiErrors }) {
    uiErrors.record({ message: errorMessage, stack: errorStack, userId: caller.author.id });
    return done(204);
  },
});

export const instanceAdminEndpoints = [getStatistics, getStatisticsCsv, getTelemetry, recordUiError];
