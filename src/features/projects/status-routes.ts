import Type from 'typebox';
import { memberCount } from '../../access/members.ts';
import { visibleProjects } from '../../access/visibility.ts';
import { YEAR_MS } from '../../base/clock.ts';
import { Rejection } from '../../base/rejection.ts';
import { tenths } from '../../base/tenths.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { type Answer, listAnswer, listPieces, ok } from '../../http/answer.ts';
import type { Feature } from '../../model/feature.ts';
import type { Project } from '../../model/project.ts';
import type { StateReader } from '../../state/collections.ts';
import type { State } from '../../state/state.ts';
import { routesOf } from '../endpoint.ts';
import { favoriteNames } from '../flags/favorites/commands.ts';
import { favoriteFeatures, presentFeature } from '../flags/present.ts';
import { FeatureSchema } from '../flags/schemas.ts';
import type { Services } from '../services.ts';
import { findProject } from '../shared/lookup.ts';
import { readingStore } from '../shared/reading-store.ts';
import {
  healthOf,
  membersSince,
  presentProjectOverview,
  presentStats,
  presentTypeCounts,
  technicalDebt,
} from './present.ts';
import { ProjectOverviewSchema } from './schemas.ts';
import { daysToProduction, type ProjectStats, WINDOW_MS } from './stats.ts';
import {
  Creator,
  FlagCreatorsSchema,
  ProjectDoraSchema,
  ProjectInsightsSchema,
  ProjectStatusSchema,
} from './stats-schemas.ts';

const route = routesOf('Projects');

/** Maximum number of creators of flags in one answer. Unleash's pages request this number. */
const CREATORS_MAX = 10_000;

/** Returns the answer for the project, or a rejection if the project does not exist or the store with its events is unavailable. */
async function answerForProject(
  { state }: Services,
  id: string,
  answer: (project: Project) => Promise<Answer>,
): Promise<Answer | Rejection> {
  const project = findProject(state, id);
  if (project instanceof Rejection) return project;
  return readingStore(() => answer(project));
}

const access = { permission: 'READ', project: 'path.projectId' } as const;

const getProjectStatus = route('GET /api/admin/projects/:projectId/status', 'getProjectStatus', {
  access,
  summary: 'Status of a project: its activity, its resources, and the lifecycle stages of its flags',
  responses: { 200: { description: 'The status', schema: ProjectStatusSchema } },
  handle: ({ params, asker }, services) =>
    answerForProject(services, params.projectId, async ({ id }) => {
      const { state, clock, projectStats, projectActivity } = services;
      const stats = await projectStats.of(id, asker);
      const activity = await projectActivity.byDay(id, clock.nowMs() - YEAR_MS, asker);
      const resources = {
        apiTokens: state.count('tokensByProject', id),
        members: await memberCount(state, id),
        segments: state.count('segmentsByProject', id),
      };
      return ok({
        activityCountByDate: Array.from(activity, ([date, count]) => ({ date, count })),
        resources,
        health: { current: healthOf(stats) },
        technicalDebt: { current: technicalDebt(stats) },
        lifecycleSummary: {
          ...stats.lifecycle,
          archived: { currentFlags: state.count('archivedByProject', id), last30Days: stats.archived.current },
        },
        staleFlags: { total: stats.stale + stats.potentiallyStale },
      });
    }),
});

const getHealthReport = route('GET /api/admin/projects/:projectId/health-report', 'getProjectHealthReport', {
  access,
  summary: 'The overview of a project, its flags, and the numbers of stale flags',
  deprecated: true,
  responses: {
    200: {
      description: 'The overview',
      schema: Type.Object(
        {
          ...ProjectOverviewSchema.properties,
          potentiallyStaleCount: Type.Integer({
            description: 'Flags that have outlived the expected lifetime of their type',
          }),
          activeCount: Type.Integer({ description: 'Flags that are neither stale nor archived' }),
          staleCount: Type.Integer({ description: 'Flags marked as stale' }),
          features: Type.Array(FeatureSchema, { description: 'The flags that are not archived' }),
        },
        { $id: 'healthReport' },
      ),
    },
  },
  handle: ({ params, caller, asker }, services) =>
    answerForProject(services, params.projectId, async (project) => {
      const { fixedStates, projectStats, flagUse } = services;
      const state = fixedStates.until(asker);
      const favoriteProjects = favoriteNames(state, caller.user, 'project');
      const favorites = favoriteFeatures(services, caller);
      const overview = await presentProjectOverview(project, { ...services, state }, favoriteProjects, asker);
      const counts = staleCounts(await projectStats.of(project.id, asker));
      return listAnswer({ ...overview, ...counts }, 'features', liveFlags(state, project.id), (feature) =>
        presentFeature(feature, { state, flagUse }, favorites),
      );
    }),
});

function* liveFlags(state: StateReader, project: string): Iterable<Feature | undefined> {
  for (const feature of state.lookup('featuresByProject', project)) yield feature.archived ? undefined : feature;
}

function staleCounts({ active, stale, potentiallyStale }: ProjectStats) {
  return { activeCount: active - stale, potentiallyStaleCount: potentiallyStale, staleCount: stale };
}

const getInsights = route('GET /api/admin/projects/:projectId/insights', 'getProjectInsights', {
  access,
  summary: 'Statistics of a project',
  deprecated: true,
  responses: { 200: { description: 'The statistics', schema: ProjectInsightsSchema } },
  handle: ({ params, asker }, services) =>
    answerForProject(services, params.projectId, async (project) => {
      const { fixedStates, clock, projectStats } = services;
      const state = fixedStates.until(asker);
      const activity = await projectStats.of(project.id, asker);
      const stats = await presentStats(project, activity, { ...services, state }, asker);
      const currentMembers = await memberCount(state, project.id);
      const change = await inSlices(membersSince(state, project.id, clock.nowMs() - WINDOW_MS), Slicer.of(asker));
      const head = {
        stats,
        health: { rating: healthOf(activity), ...staleCounts(activity) },
        technicalDebt: { rating: technicalDebt(activity), ...staleCounts(activity) },
        featureTypeCounts: presentTypeCounts(activity),
        members: { currentMembers, change },
      };
      return { status: 200, pieces: withLeadTime(head, state, project, activity) };
    }),
});

function* withLeadTime(head: object, state: StateReader, project: Project, stats: ProjectStats): Iterable<string> {
  yield `${JSON.stringify(head).slice(0, -1)},"leadTime":`;
  yield* leadTime(state, project, stats);
  yield '}';
}

const getDora = route('GET /api/admin/projects/:projectId/dora', 'getProjectDora', {
  access,
  summary: 'How long the flags of a project took until they were on in production',
  deprecated: true,
  responses: { 200: { description: 'The times of the flags', schema: ProjectDoraSchema } },
  handle: ({ params, asker }, services) =>
    answerForProject(services, params.projectId, async (project) => {
      const stats = await services.projectStats.of(project.id, asker);
      return { status: 200, pieces: leadTime(services.fixedStates.until(asker), project, stats) };
    }),
});

function leadTime(state: StateReader, { id }: Project, stats: ProjectStats): Iterable<string> {
  const present = (feature: Feature) => {
    const days = daysToProduction(state, feature);
    return days === null ? [] : [JSON.stringify({ name: feature.name, timeToProduction: tenths(days) })];
  };
  const features = state.lookup('featuresByProject', id);
  return listPieces({ projectAverage: stats.averageDaysToProduction }, [
    ['features', configuredFlags(features), present],
  ]);
}

/**
 * Yields the flags that are configured in at least one environment, because the other flags were never on. Yields undefined for each of the other
 * flags, so that many of them in a row do not block the event loop.
 */
function* configuredFlags(features: Iterable<Feature>): Iterable<Feature | undefined> {
  for (const feature of features) yield feature.environments.length === 0 ? undefined : feature;
}

const getFlagCreators = route('GET /api/admin/projects/:projectId/flag-creators', 'getProjectFlagCreators', {
  access,
  summary: 'The users who created flags of a project, archived flags included',
  responses: { 200: { description: 'The users', schema: FlagCreatorsSchema } },
  handle: ({ params, asker }, services) =>
    answerForProject(services, params.projectId, async ({ id }) => {
      const { state, projectStats } = services;
      const { creators } = await projectStats.of(id, asker);
      return ok(presentCreators(creators, state));
    }),
});

/** Returns the creators, sorted by id, without deleted users and without tokens that belong to no user: clients cannot select these. */
function presentCreators(creators: ReadonlySet<number>, state: State) {
  return [...creators]
    .sort((left, right) => left - right)
    .flatMap((creator) => {
      const user = state.get('users', String(creator));
      return user ? [{ id: user.id, name: user.name ?? user.username ?? user.email ?? 'unknown' }] : [];
    });
}

const getAllFlagCreators = routesOf('Features')('GET /api/admin/flag-creators', 'getFlagCreators', {
  access: { permission: 'READ' },
  summary: 'The users who created flags of the projects that the caller may see, archived flags included',
  query: Type.Object({
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: CREATORS_MAX,
        default: CREATORS_MAX,
        description: 'Maximum number of users',
      }),
    ),
    offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Number of users to skip' })),
  }),
  responses: {
    200: {
      description: 'The users',
      schema: Type.Object(
        {
          flagCreators: Type.Array(Creator, { description: 'A page of the users, by id' }),
          total: Type.Integer({ minimum: 0, description: 'Number of users, on all pages' }),
        },
        { $id: 'flagCreators', description: 'Users who created flags' },
      ),
    },
  },
  async handle({ query: { limit = CREATORS_MAX, offset = 0 }, caller, asker }, { state, projectStats }) {
    const visible = visibleProjects(state, caller);
    const slicer = Slicer.of(asker);
    const creators = new Set<number>();
    for (const { id } of [...state.values('projects')]) {
      if (!visible.has(id)) continue;
      for (const creator of (await projectStats.of(id, asker)).creators) creators.add(creator);
      if (slicer.spent) await slicer.pause();
    }
    const users = presentCreators(creators, state);
    const page = users.slice(offset, offset + limit);
    return listAnswer({ total: users.length }, 'flagCreators', page, (creator) => creator);
  },
});

export const projectStatusEndpoints = [
  getProjectStatus,
  getHealthReport,
  getInsights,
  getDora,
  getFlagCreators,
  getAllFlagCreators,
];
