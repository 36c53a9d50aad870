import Type from 'typebox';
import { FeatureType } from '../../model/feature.ts';
import { Nullable } from '../../model/primitives.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const days = (description: string) => Type.Number({ minimum: 0, description });
const percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

export const Health = percent('Percentage of the flags that are neither stale nor potentially stale');
export const TechnicalDebt = percent('Percentage of the flags that are stale or potentially stale');

export const FeatureTypeCountsSchema = Type.Array(
  Type.Object({ type: FeatureType, count: count('Flags of the type that are not archived') }),
  { description: 'How many flags there are of each type' },
);

export const ProjectStatsSchema = Type.Object(
  {
    avgTimeToProdCurrentWindow: days(
      'Average number of days until a flag was first on in production, for flags that were created in the last 30 days',
    ),
    createdCurrentWindow: count('Flags created in the last 30 days'),
    createdPastWindow: count('Flags created in the 30 days before'),
    archivedCurrentWindow: count('Flags archived in the last 30 days'),
    archivedPastWindow: count('Flags archived in the 30 days before'),
    projectActivityCurrentWindow: count('Events of the last 30 days'),
    projectActivityPastWindow: count('Events of the 30 days before'),
    projectMembersAddedCurrentWindow: count('Users and groups that were added to the project in the last 30 days'),
  },
  { $id: 'projectStats', description: 'Activity in the project in the last 30 days, and in the 30 days before' },
);

const FlagDays = Type.Array(
  Type.Object({
    name: Type.String({ description: 'Name of the flag' }),
    timeToProduction: days('Days from the creation of the flag until it was first on in production'),
  }),
  { description: 'The flags that have been on in production' },
);

export const ProjectDoraSchema = Type.Object(
  {
    projectAverage: days('Average number of days until a flag was first on in production'),
    features: FlagDays,
  },
  { $id: 'projectDoraMetrics', description: 'How long flags take until they are on in production' },
);

const StaleCounts = {
  activeCount: count('Flags that are neither stale nor archived'),
  potentiallyStaleCount: count('Flags that have outlived the expected lifetime of their type'),
  staleCount: count('Flags marked as stale'),
};

const averageHealth = (when: string) =>
  Nullable(percent(`Average health of the project in ${when}; always null, because past values are not stored`));

/** The data about a project that the dashboard of a user shows. */
export const DashboardInsightsSchema = Type.Object(
  {
    avgHealthCurrentWindow: averageHealth('the last four weeks'),
    avgHealthPastWindow: averageHealth('the four weeks before'),
    totalFlags: count('Flags that are not archived'),
    activeFlags: count('Flags that are neither stale nor potentially stale'),
    staleFlags: count('Flags marked as stale'),
    potentiallyStaleFlags: count('Flags that have outlived the expected lifetime of their type'),
    health: Health,
    technicalDebt: TechnicalDebt,
  },
  { description: 'How many flags of the project are stale' },
);

export const ProjectInsightsSchema = Type.Object(
  {
    stats: ProjectStatsSchema,
    health: Type.Object(
      {
        rating: Health,
        ...StaleCounts,
      },
      { description: 'Flags that are not stale' },
    ),
    technicalDebt: Type.Object(
      { rating: TechnicalDebt, ...StaleCounts },
      { description: 'Flags that are stale or potentially stale' },
    ),
    featureTypeCounts: FeatureTypeCountsSchema,
    members: Type.Object(
      {
        currentMembers: count('Users with a role in the project'),
        change: Type.Integer({ description: 'Users and groups that were added to the project in the last 30 days' }),
      },
      { description: 'Members of the project' },
    ),
    leadTime: ProjectDoraSchema,
  },
  { $id: 'projectInsights', description: 'Statistics of a project' },
);

const Stage = Type.Object({
  averageDays: Nullable(
    days('Average number of days in the stage, for the flags that have left it; null if no flag has left it'),
  ),
  currentFlags: count('Flags that are in the stage now'),
});

export const ProjectStatusSchema = Type.Object(
  {
    activityCountByDate: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date', description: 'A day, in UTC' }),
        count: count('Events of the project on that day'),
      }),
      { description: 'Days of the last year that have events, oldest first' },
    ),
    resources: Type.Object(
      {
        apiTokens: count('API tokens for the project; tokens for all projects are not counted'),
        members: count('Users with a role in the project'),
        segments: count('Segments of the project'),
      },
      { description: 'What the project has' },
    ),
    health: Type.Object({ current: Health }, { description: 'Flags that are not stale' }),
    technicalDebt: Type.Object(
      { current: TechnicalDebt },
      { description: 'Flags that are stale or potentially stale' },
    ),
    lifecycleSummary: Type.Object(
      {
        initial: Stage,
        preLive: Stage,
        live: Stage,
        completed: Stage,
        archived: Type.Object({
          currentFlags: count('Flags that are archived'),
          last30Days: count('Flags that were archived in the last 30 days'),
        }),
      },
      { description: 'Flags by lifecycle stage' },
    ),
    staleFlags: Type.Object(
      { total: count('Flags that are stale or potentially stale') },
      { description: 'Flags that are stale or potentially stale' },
    ),
  },
  { $id: 'projectStatus', description: 'Status of a project' },
);

/** A user who created flags. */
export const Creator = Type.Object({
  id: Type.Integer({ description: 'Id of the user' }),
  name: Type.String({ description: 'Name of the user' }),
});

export const FlagCreatorsSchema = Type.Array(Creator, {
  $id: 'projectFlagCreators',
  description: 'Users who created flags of the project',
});
