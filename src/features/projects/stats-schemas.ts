import Type from 'typebox';
import { FeatureType } from '../../model/feature.ts';
import { Nullable } from '../../model/primitives.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const days = (description: string) => Type.Number({ minimum: 0, description });
const percent = (description: string) => Type.Integer({ minimum: 0, maximum: 100, description });

export const Health = percent('Share of the flags that are neither stale nor potentially stale');
export const TechnicalDebt = percent('Share of the flags that are stale or potentially stale');

export const FeatureTypeCountsSchema = Type.Array(
  Type.Object({ type: FeatureType, count: count('Flags of the type that are not archived') }),
  { description: 'How many flags there are of each type' },
);

export const ProjectStatsSchema = Type.Object(
  {
    avgTimeToProdCurrentWindow: days(
      'Of the flags that were created in the last 30 days: days until they were first on in production, on average',
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
    name: Type.String({ description: 'Of the flag' }),
    timeToProduction: days('Days from its creation until it was first on in production'),
  }),
  { description: 'The flags that have been on in production' },
);

export const ProjectDoraSchema = Type.Object(
  {
    projectAverage: days('Days until a flag was first on in production, on average'),
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
  Nullable(percent(`Health of the project in ${when}, on average; always null: past values are not stored`));

/** The data about a project that the dashboard of a user shows. */
export const DashboardInsightsSchema = Type.Object(
  {
    avgHealthCurrentWindow: averageHealth('the last four weeks'),
    avgHealthPastWindow: averageHealth('the four weeks before'),
    totalFlags: count('Flags that are not archived'),
    activeFlags: count('Those that are neither stale nor potentially stale'),
    staleFlags: count('Flags marked as stale'),
    potentiallyStaleFlags: count('Flags that have outlived the expected lifetime of their type'),
    health: Health,
    technicalDebt: TechnicalDebt,
  },
  { description: 'How well the flags of the project are looked after' },
);

export const ProjectInsightsSchema = Type.Object(
  {
    stats: ProjectStatsSchema,
    health: Type.Object(
      {
        rating: Health,
        ...StaleCounts,
      },
      { description: 'How well the flags are looked after' },
    ),
    technicalDebt: Type.Object({ rating: TechnicalDebt, ...StaleCounts }, { description: 'What there is to clear up' }),
    featureTypeCounts: FeatureTypeCountsSchema,
    members: Type.Object(
      {
        currentMembers: count('Users with a role in the project'),
        change: Type.Integer({ description: 'Users and groups that were added to the project in the last 30 days' }),
      },
      { description: 'Who is in the project' },
    ),
    leadTime: ProjectDoraSchema,
  },
  { $id: 'projectInsights', description: 'Statistics of a project' },
);

const Stage = Type.Object({
  averageDays: Nullable(days('Average number of days in the stage, of the flags that have left it')),
  currentFlags: count('Flags that are in the stage now'),
});

export const ProjectStatusSchema = Type.Object(
  {
    activityCountByDate: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date', description: 'A day, in UTC' }),
        count: count('Events of the project on that day'),
      }),
      { description: 'Days of the last year on which something happened, oldest first' },
    ),
    resources: Type.Object(
      {
        apiTokens: count('API tokens made for the project'),
        members: count('Users with a role in the project'),
        segments: count('Segments of the project'),
      },
      { description: 'What the project has' },
    ),
    health: Type.Object({ current: Health }, { description: 'How well the flags are looked after' }),
    technicalDebt: Type.Object({ current: TechnicalDebt }, { description: 'What there is to clear up' }),
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
      { description: 'What there is to clear up' },
    ),
  },
  { $id: 'projectStatus', description: 'Status of a project' },
);

/** A user who created flags. */
export const Creator = Type.Object({
  id: Type.Integer({ description: 'Of the user' }),
  name: Type.String({ description: 'Of the user' }),
});

export const FlagCreatorsSchema = Type.Array(Creator, {
  $id: 'projectFlagCreators',
  description: 'Users who created flags of the project',
});
