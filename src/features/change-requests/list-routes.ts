import Type from 'typebox';
import { firstInSteps } from '../../base/lists/sorted.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { type Answer, listAnswer, ok } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import {
  authorKey,
  CHANGE_REQUEST_STATES,
  type ChangeRequest,
  isOpen,
  isSameAuthor,
  type RequestedChange,
} from '../../model/change-request.ts';
import { NameReference } from '../../model/primitives.ts';
import type { State } from '../../state/state.ts';
import { routesOf } from '../endpoint.ts';
import { changeRequestConfig } from '../shared/change-request-config.ts';
import { findFeature, findProject, findProjectEnvironment } from '../shared/lookup.ts';
import { basisOf } from '../shared/sight-basis.ts';
import { approvalProblem } from './moves.ts';
import {
  changeRequestsJson,
  presentChangeRequest,
  presentReviewer,
  presentSearchResult,
  presentWithoutChanges,
} from './present.ts';
import { mayReview } from './reviewers.ts';
import {
  ChangeRequestConfigSchema,
  ChangeRequestCountSchema,
  ChangeRequestListSchema,
  ChangeRequestSearchSchema,
  ReviewersSchema,
  ScheduledSchema,
} from './schemas.ts';

const route = routesOf('Change Requests');

const PATH = '/api/admin/projects/:projectId/change-requests';

const ProjectParams = { projectId: Type.String({ description: 'Id of the project' }) };

const READ = { permission: 'READ', project: 'path.projectId' } as const;

/** Lists contain a change request in the state Draft only for its author. Admins can read it by its id (`maySeeRequest`). */
const isListedFor = (caller: Caller | null, { state, createdBy }: ChangeRequest) =>
  state !== 'Draft' || (caller !== null && isSameAuthor(createdBy, caller.author));

const newestFirst = (left: ChangeRequest, right: ChangeRequest) => right.id - left.id;

const fullList = (requests: readonly ChangeRequest[], state: State) => ({
  status: 200,
  pieces: changeRequestsJson(requests, (request) => presentChangeRequest(request, state)),
});

const getConfig = route(`GET ${PATH}/config`, 'getProjectChangeRequestConfig', {
  access: READ,
  summary: 'Lists in which environments of a project changes must be reviewed',
  params: ProjectParams,
  responses: {
    200: { description: 'One entry for each environment of the project', schema: ChangeRequestConfigSchema },
  },
  handle({ params }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const environments = project.environments.flatMap((name) => state.get('environments', name) ?? []);
    environments.sort((left, right) => left.sortOrder - right.sortOrder || (left.name < right.name ? -1 : 1));
    return ok(
      environments.map(({ name, type }) => {
        const { enabled, ...settings } = changeRequestConfig(state, project.id, name);
        return { environment: name, type, changeRequestEnabled: enabled, ...settings };
      }),
    );
  },
});

function shortList(
  state: State,
  projectId: string,
  caller: Caller,
  index: 'requestsByProject' | 'openRequestsByProject',
): Answer | Rejection {
  const project = findProject(state, projectId);
  if (project instanceof Rejection) return project;
  const requests = [...state.lookup(index, project.id)].filter((one) => isListedFor(caller, one));
  const present = function* (request: ChangeRequest) {
    yield;
    return presentWithoutChanges(request, state);
  };
  return { status: 200, pieces: changeRequestsJson(requests.sort(newestFirst), present) };
}

const listOfProject = route(`GET ${PATH}`, 'getProjectChangeRequests', {
  access: READ,
  summary: 'The change requests of a project, newest first, without their changes; drafts of other users are left out',
  params: ProjectParams,
  responses: { 200: { description: 'The change requests', schema: ChangeRequestListSchema } },
  handle: ({ params, caller }, { state }) => shortList(state, params.projectId, caller, 'requestsByProject'),
});

const listOpen = route(`GET ${PATH}/open`, 'getOpenChangeRequests', {
  access: READ,
  summary: 'The change requests of a project that can still be applied, newest first, without their changes',
  params: ProjectParams,
  responses: { 200: { description: 'The change requests', schema: ChangeRequestListSchema } },
  handle: ({ params, caller }, { state }) => shortList(state, params.projectId, caller, 'openRequestsByProject'),
});

const listPending = route(`GET ${PATH}/pending`, 'getPendingChangeRequestsForUser', {
  access: READ,
  summary: 'The caller’s own change requests that can still be applied, drafts first',
  params: ProjectParams,
  responses: { 200: { description: 'The change requests', schema: ChangeRequestListSchema } },
  handle({ params, caller }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const own = [...state.lookup('openRequestsByProject', project.id)].filter(({ createdBy }) =>
      isSameAuthor(createdBy, caller.author),
    );
    const draftRank = ({ state: requestState }: ChangeRequest) => Number(requestState === 'Draft');
    return fullList(
      own.sort((left, right) => draftRank(right) - draftRank(left) || newestFirst(left, right)),
      state,
    );
  },
});

const listPendingOfFeature = route(`GET ${PATH}/pending/:featureName`, 'getPendingChangeRequestsForFeature', {
  access: READ,
  summary: 'The change requests that would change a flag; drafts of other users are left out',
  params: { ...ProjectParams, featureName: Type.String({ description: 'Name of the flag' }) },
  responses: { 200: { description: 'The change requests', schema: ChangeRequestListSchema } },
  handle({ params: { projectId, featureName }, caller }, { state }) {
    const feature = findFeature(state, projectId, featureName, 'any');
    if (feature instanceof Rejection) return feature;
    const found = [...state.lookup('requestsByFeature', featureName)].filter(
      (request) => request.project === projectId && isListedFor(caller, request),
    );
    return fullList(found.sort(newestFirst), state);
  },
});

const countRequests = route(`GET ${PATH}/count`, 'getProjectChangeRequestCount', {
  access: READ,
  summary: 'The number of change requests of a project in each state; drafts are not counted',
  params: ProjectParams,
  responses: { 200: { description: 'The counts', schema: ChangeRequestCountSchema } },
  handle({ params }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const counts = new Map<string, number>();
    for (const request of state.lookup('requestsByProject', project.id)) {
      counts.set(request.state, (counts.get(request.state) ?? 0) + 1);
    }
    const countOf = (name: ChangeRequest['state']) => counts.get(name) ?? 0;
    return ok({
      total: state.count('requestsByProject', project.id) - countOf('Draft'),
      approved: countOf('Approved'),
      applied: countOf('Applied'),
      rejected: countOf('Rejected'),
      reviewRequired: countOf('In review'),
      scheduled: countOf('Scheduled'),
    });
  },
});

/**
 * A list of names or ids; one of them must match. A client may send one value without a list. `maxItems` is half of the parameters that a query may
 * have, because an operation has two such lists.
 */
const anyOf = (description: string) =>
  Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 100, description }));

const listScheduled = route(`GET ${PATH}/scheduled`, 'getScheduledChangeRequests', {
  access: READ,
  summary:
    'Id, title and environment of the scheduled change requests that would change a named flag or strategy; empty if none is named',
  params: ProjectParams,
  query: Type.Object({
    feature: anyOf('Name of a flag; may be repeated'),
    strategyId: anyOf('Id of a strategy; may be repeated'),
  }),
  responses: { 200: { description: 'The change requests, newest first', schema: ScheduledSchema } },
  async handle({ params, query, asker }, { state }) {
    const project = findProject(state, params.projectId);
    if (project instanceof Rejection) return project;
    const [features, strategies] = [new Set<unknown>(query.feature), new Set<unknown>(query.strategyId)];
    const isWanted = ({ feature, input }: RequestedChange) =>
      features.has(feature) || strategies.has((input as { readonly strategyId?: string }).strategyId);
    const found: ChangeRequest[] = [];
    const slicer = Slicer.of(asker);
    for (const request of state.lookup('openRequestsByProject', project.id)) {
      if (slicer.spent) await slicer.pause();
      if (request.state === 'Scheduled' && request.changes.some(isWanted)) found.push(request);
    }
    return ok(found.sort(newestFirst).map(({ id, title, environment }) => ({ id, title, environment })));
  },
});

const listReviewers = route(`GET ${PATH}/available-reviewers/:environment`, 'getAvailableChangeRequestReviewers', {
  access: READ,
  summary: 'The people who can be asked to review changes in an environment of a project: all who may approve them',
  params: { ...ProjectParams, environment: Type.String({ description: 'Name of the environment' }) },
  responses: { 200: { description: 'The people', schema: ReviewersSchema } },
  handle({ params: { projectId, environment }, asker }, { fixedStates }) {
    const state = fixedStates.until(asker);
    const found = findProjectEnvironment(state, projectId, environment);
    if (found instanceof Rejection) return found;
    function* reviewers() {
      for (const user of state.values('users')) {
        yield mayReview(state, user, projectId, environment) ? user : undefined;
      }
    }
    return listAnswer({}, 'reviewers', reviewers(), presentReviewer);
  },
});

const PAGE_LENGTH_MAX = 1_000;

const SearchQuery = Type.Object({
  offset: Type.Optional(Type.Integer({ minimum: 0, default: 0, description: 'Number of requests to skip' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LENGTH_MAX,
      default: 50,
      description: 'Maximum number of requests in the answer',
    }),
  ),
  createdBy: Type.Optional(
    Type.String({
      pattern: '^(IS:)?-?\\d{1,15}$',
      description: 'Only requests of the user with this id, optionally with the prefix `IS:`',
    }),
  ),
  requestedApproverId: Type.Optional(
    Type.String({
      pattern: '^(IS:)?\\d{1,15}$',
      description: 'Only requests that the user with this id was asked to review, optionally with the prefix `IS:`',
    }),
  ),
  environment: Type.Optional({ ...NameReference, description: 'Only requests for this environment' }),
  feature: anyOf(
    'Only requests that change the flag with this name; may be repeated: then they change at least one of the flags',
  ),
  awaitsMyApproval: Type.Optional(
    Type.Boolean({
      description:
        'true: only requests that wait for approvals, and that the caller may approve and has not approved. Requests with changes of the caller are ' +
        'left out, because authors may not approve their own changes',
    }),
  ),
  project: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 104,
      description: 'Only requests of this project, optionally with the prefix `IS:`',
    }),
  ),
  state: Type.Optional(
    Type.String({
      pattern: `^(IS:)?(open|closed|${CHANGE_REQUEST_STATES.join('|')})$`,
      description: 'Only requests in this state, or all `open` or `closed` ones, optionally with the prefix `IS:`',
    }),
  ),
});

const withoutPrefix = (text: string | undefined) => text?.replace(/^IS:/, '');

const search = route('GET /api/admin/search/change-requests', 'searchChangeRequests', {
  access: { permission: 'READ' },
  summary: 'Change requests of all projects that the caller may read, newest first; drafts of other users are left out',
  query: SearchQuery,
  responses: { 200: { description: 'A page of change requests', schema: ChangeRequestSearchSchema } },
  basis({ query, caller }, { state }) {
    const { author, user } = caller;
    // A person who has no drafts gets what all others with the same projects get.
    // Only the author sees a draft.
    const isPersonal = query.awaitsMyApproval === true || state.count('draftsByAuthor', authorKey(author)) > 0;
    return {
      ...basisOf(state, caller, isPersonal ? JSON.stringify([user, author]) : ''),
      caller: isPersonal ? caller : null,
    };
  },
  async handle({ query, asker, basis: { visible, caller } }, { state }) {
    const [project, wantedState, createdBy] = [
      withoutPrefix(query.project),
      withoutPrefix(query.state),
      withoutPrefix(query.createdBy),
    ];
    const reviewer = withoutPrefix(query.requestedApproverId);
    const features = query.feature && new Set<string | null>(query.feature);
    const changesFlag = ({ changes }: ChangeRequest) =>
      !features || changes.some(({ feature }) => features.has(feature));
    const context = caller && { draft: state, caller, by: caller.author };
    const mayApprove = (request: ChangeRequest) =>
      context !== null && isOpen(request) && approvalProblem(context, request) === undefined;
    const found: ChangeRequest[] = [];
    const slicer = Slicer.of(asker);
    // The loop pauses, and it may reach requests that are added during a pause.
    const all = project === undefined ? state.values('changeRequests') : state.lookup('requestsByProject', project);
    for (const request of all) {
      if (slicer.spent) await slicer.pause();
      if (createdBy !== undefined && request.createdBy.id !== Number(createdBy)) continue;
      if (query.environment !== undefined && request.environment !== query.environment) continue;
      if (reviewer !== undefined && !request.reviewers?.includes(Number(reviewer))) continue;
      if (wantedState !== undefined && !isInState(request, wantedState)) continue;
      if (!isListedFor(caller, request) || !visible.has(request.project) || !changesFlag(request)) continue;
      if (query.awaitsMyApproval === true && !mayApprove(request)) continue;
      found.push(request);
    }
    const { offset = 0, limit = 50 } = query;
    const first = await inSlices(firstInSteps(found, newestFirst, offset + limit), slicer);
    return listAnswer({ total: found.length }, 'changeRequests', first.slice(offset), (request) =>
      presentSearchResult(request, state),
    );
  },
});

function isInState(request: ChangeRequest, wanted: string): boolean {
  if (wanted === 'open' || wanted === 'closed') return isOpen(request) === (wanted === 'open');
  return request.state === wanted;
}

export const changeRequestListEndpoints = [
  getConfig,
  listOfProject,
  listOpen,
  listPending,
  listPendingOfFeature,
  listScheduled,
  listReviewers,
  countRequests,
  search,
];
