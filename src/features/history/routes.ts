import Type, { type Static } from 'typebox';
import { visibleProjects } from '../../access/visibility.ts';
import type { Asker } from '../../base/asking/asker.ts';
import { invalid, notFound, Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';
import { routesOf } from '../endpoint.ts';
import { At, time, timeOf } from '../past/moment.ts';
import type { Services } from '../services.ts';
import { findProject } from '../shared/lookup.ts';
import { HISTORY_TYPES } from '../shared/recorded.ts';
import { basisOf, type SightBasis } from '../shared/sight-basis.ts';
import { difference } from './difference.ts';
import { historyPage } from './entries.ts';
import { DifferenceSchema, HistorySchema } from './schemas.ts';
import { type HistoryScope, scopeOf, seenScope } from './scope.ts';

const route = routesOf('History');

const PAGE_LIMIT = 50;
const PAGE_MAX = 100;

const PageQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_LIMIT, description: 'Maximum number of commits' }),
  ),
  before: Type.Optional(Type.Integer({ minimum: 1, description: 'Only commits before this revision' })),
  from: Type.Optional(time('Only commits since this time, as in RFC 3339; a date alone means 00:00 UTC of that day')),
  to: Type.Optional(
    time(
      'Only commits until this time, as in RFC 3339; a date alone means 00:00 UTC of that day, so that the day itself is left out',
    ),
  ),
  createdBy: Type.Optional(
    Type.Integer({
      minimum: -2_147_483_648,
      maximum: 2_147_483_647,
      description: 'Id of a user as in GET /api/admin/event-creators: only their commits',
    }),
  ),
});

const DESCRIPTION =
  'Each commit with what it changed: the fields before and after. The history reaches as far back as the audit log is kept (docs/use/history.md). For the ' +
  'next page, set `before` to `next`. With `createdBy`, a page may be short or empty although there is a next one.';

const common = {
  description: DESCRIPTION,
  query: PageQuery,
  responses: { 200: { description: 'A page of the history', schema: HistorySchema } },
  errors: [429],
  basis: ({ caller }: { readonly caller: Caller }, { state }: Services) => basisOf(state, caller),
};

async function answer(
  services: Services,
  { basis: { visible }, asker }: { readonly basis: SightBasis; readonly asker: Asker },
  scope: HistoryScope,
  { limit = PAGE_LIMIT, before, from, to, createdBy }: Static<typeof PageQuery>,
) {
  const fromMs = from === undefined ? undefined : timeOf(from, '/from');
  if (fromMs instanceof Rejection) return fromMs;
  const toMs = to === undefined ? undefined : timeOf(to, '/to');
  if (toMs instanceof Rejection) return toMs;
  const seen = seenScope(scope, services.state, visible);
  const request = { scope: seen, limit, before, fromMs, toMs, createdBy, visible, asker };
  const page = await historyPage(services, request);
  if (page instanceof Rejection) return page;
  return { status: 200, pieces: [`{"entries":[`, ...withCommas(page.entries), `],"next":${page.next}}`] };
}

function withCommas(texts: readonly string[]): string[] {
  return texts.map((text, index) => (index > 0 ? `,${text}` : text));
}

const instanceHistory = route('GET /api/admin/history', 'getHistory', {
  access: { permission: 'READ' },
  summary: 'The history of everything that the caller may see, or of one object',
  ...common,
  query: Type.Object({
    ...PageQuery.properties,
    type: Type.Optional(Type.Enum(HISTORY_TYPES, { description: 'Type of one object, with `id`: only its history' })),
    id: Type.Optional(Type.String({ minLength: 1, maxLength: 250, description: 'Name or id of the object' })),
  }),
  handle({ query: { type, id, ...page }, basis, asker }, services) {
    if (type === undefined && id === undefined) return answer(services, { basis, asker }, { of: 'instance' }, page);
    if (type === undefined || id === undefined) return invalid('`type` and `id` belong together.', '/type');
    return answer(services, { basis, asker }, scopeOf(type, id), page);
  },
});

const projectHistory = route('GET /api/admin/projects/:projectId/history', 'getProjectHistory', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The history of a project, with its flags',
  ...common,
  handle({ params, query, basis, asker }, services) {
    const project = findProject(services.state, params.projectId);
    if (project instanceof Rejection) return project;
    return answer(services, { basis, asker }, { of: 'project', id: project.id }, query);
  },
});

const flagHistory = route('GET /api/admin/projects/:projectId/features/:featureName/history', 'getFeatureHistory', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The history of a flag, with the changes of the segments that it used',
  ...common,
  handle({ params: { projectId, featureName }, query, basis, asker }, services) {
    const feature = services.state.get('features', featureName);
    const isSeen = feature && basis.visible.has(feature.project);
    if (isSeen && feature.project !== projectId) {
      return notFound(`The feature ${featureName} does not exist in the project ${projectId}.`);
    }
    return answer(services, { basis, asker }, { of: 'feature', id: featureName }, query);
  },
});

const environmentHistory = route('GET /api/admin/environments/:name/history', 'getEnvironmentHistory', {
  access: { permission: 'READ' },
  summary: 'The history of an environment: its own fields, and the settings of flags in it',
  ...common,
  handle({ params: { name }, query, basis, asker }, services) {
    if (!services.state.get('environments', name)) return notFound(`The environment ${name} does not exist.`);
    return answer(services, { basis, asker }, { of: 'environment', id: name }, query);
  },
});

const segmentHistory = route('GET /api/admin/segments/:id/history', 'getSegmentHistory', {
  access: { permission: 'READ' },
  summary: 'The history of a segment, also of one that was deleted',
  params: { id: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) },
  ...common,
  handle: ({ params, query, basis, asker }, services) =>
    answer(services, { basis, asker }, { of: 'segment', id: String(params.id) }, query),
});

const historyDifference = route('GET /api/admin/history/difference', 'getHistoryDifference', {
  access: { permission: 'READ', project: 'query.project' },
  summary: 'What differs between two moments',
  description:
    'Of everything that the caller may see, or of one project, flag, environment or segment: name at most one of them.',
  query: Type.Object({
    from: { ...At, description: 'The first moment: a revision, or a time as in RFC 3339' },
    to: Type.Optional({ ...At, description: 'The second moment. Default: now' }),
    project: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Id of a project' })),
    feature: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Name of a flag' })),
    environment: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Name of an environment' })),
    segment: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Id of a segment' })),
  }),
  responses: { 200: { description: 'The differences', schema: DifferenceSchema } },
  errors: [404, 413, 429],
  async handle({ query: { from, to, project, feature, environment, segment }, caller, asker }, services) {
    const scopes: HistoryScope[] = [];
    for (const [of, id] of Object.entries({ project, feature, environment, segment })) {
      if (id !== undefined) scopes.push({ of, id: String(id) } as HistoryScope);
    }
    if (scopes.length > 1) return invalid('Name at most one of project, feature, environment and segment.');
    const visible = visibleProjects(services.state, caller);
    const scope = seenScope(scopes[0] ?? { of: 'instance' }, services.state, visible);
    const found = await difference(services, { from, to, scope, visible, asker });
    if (found instanceof Rejection) return found;
    const head = `{"from":${found.from},"to":${found.to},"changes":[`;
    return { status: 200, pieces: [head, ...withCommas(found.changes), `],"more":${found.more}}`] };
  },
});

export const historyEndpoints = [
  historyDifference,
  instanceHistory,
  projectHistory,
  flagHistory,
  environmentHistory,
  segmentHistory,
];
