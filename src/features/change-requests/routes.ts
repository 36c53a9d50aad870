import Type from 'typebox';
import type { Asker } from '../../base/asking/asker.ts';
import { Rejection } from '../../base/rejection.ts';
import { inSlices, Slicer } from '../../base/yield-control.ts';
import { done, ok } from '../../http/answer.ts';
import { type ChangeRequest, REQUIRED_APPROVALS_MAX } from '../../model/change-request.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { CHANGE_PERMISSIONS } from './actions.ts';
import {
  chosenDraft,
  commentChangeRequest,
  DraftChoice,
  discardChange,
  discardChangeRequest,
  editChange,
  renameChangeRequest,
  requestChanges,
} from './commands.ts';
import { configureChangeRequests } from './config.ts';
import { findVisibleRequest } from './lookup.ts';
import { moveChangeRequest } from './moves.ts';
import { presentApprovers, presentChangeRequest } from './present.ts';
import { requestReviewers } from './reviewers.ts';
import { ScheduledAt } from './schedule.ts';
import {
  ApproversSchema,
  ChangeRequestSchema,
  CommentBody,
  EditChangeBody,
  MoveBody,
  NewChangesBody,
  ReviewersBody,
  TitleBody,
  UpdateChangeRequestConfigBody,
} from './schemas.ts';

const route = routesOf('Change Requests');

const PATH = '/api/admin/projects/:projectId/change-requests/:id';

const ProjectId = Type.String({ description: 'Id of the project' });
const EnvironmentName = Type.String({ description: 'Name of the environment' });

const RequestParams = {
  projectId: ProjectId,
  id: Type.Integer({ minimum: 1, description: 'Id of the change request' }),
};

const ChangeParams = { ...RequestParams, changeId: Type.Integer({ minimum: 1, description: 'Id of the change' }) };

/** Allows callers who may change or review anything in the environment. The command checks the permissions for the specific change request. */
const PARTICIPANT_ACCESS = {
  permission: [...CHANGE_PERMISSIONS, 'APPROVE_CHANGE_REQUEST', 'APPLY_CHANGE_REQUEST', 'UPDATE_PROJECT'],
  project: 'path.projectId',
  environment: 'entity.changeRequests',
} as const;

const requestAnswer =
  ({ state }: Services, asker: Asker) =>
  async (request: ChangeRequest) =>
    ok(await inSlices(presentChangeRequest(request, state), Slicer.of(asker)));

/** Replaces a number outside the range by the nearest bound, as Unleash does. */
const withinRange = (approvals: number) => Math.min(REQUIRED_APPROVALS_MAX, Math.max(1, approvals));

const updateConfig = route(
  'PUT /api/admin/projects/:projectId/environments/:environment/change-requests/config',
  'updateProjectChangeRequestConfig',
  {
    access: { permission: ['UPDATE_PROJECT', 'PROJECT_CHANGE_REQUEST_WRITE'], project: 'path.projectId' },
    summary:
      'Sets whether changes in an environment of a project must be reviewed, and the number of required approvals',
    params: { projectId: ProjectId, environment: EnvironmentName },
    body: UpdateChangeRequestConfigBody,
    responses: { 204: { description: 'Done' } },
    handle({ params: { projectId: project, environment }, body, caller }, services) {
      const { changeRequestsEnabled: enabled, requiredApprovals: wanted, safeguardsSkipReview } = body;
      const requiredApprovals = wanted === undefined ? {} : { requiredApprovals: withinRange(wanted) };
      const input = { project, environment, enabled, ...requiredApprovals, safeguardsSkipReview };
      return change(services, caller, configureChangeRequests, input, () => done(204));
    },
  },
);

const addChanges = route(
  'POST /api/admin/projects/:projectId/environments/:environment/change-requests',
  'createChangeRequest',
  {
    access: { permission: CHANGE_PERMISSIONS, project: 'path.projectId', environment: 'path.environment' },
    summary: 'Adds changes to the caller’s newest draft in an environment; creates the draft if there is none',
    description:
      'With `draft`, the changes are added to another draft of the caller, or to a new one. With `scheduledAt`, where changes need no review, they become a request of their own that is applied at this time; 409 where they need one. Each change is tried immediately on a temporary state, and refused if it cannot be made. Flags do not change before the request is applied.',
    params: { projectId: ProjectId, environment: EnvironmentName },
    query: Type.Object({ draft: Type.Optional(DraftChoice), scheduledAt: Type.Optional(ScheduledAt) }),
    body: NewChangesBody,
    responses: { 200: { description: 'The draft, or the scheduled request', schema: ChangeRequestSchema } },
    errors: [409],
    handle({ params: { projectId: project, environment }, query, body, caller, asker }, services) {
      const draft = chosenDraft(query.draft);
      const { scheduledAt } = query;
      const later = scheduledAt === undefined ? {} : { scheduledAt };
      const changes = (Array.isArray(body) ? body : [body]).map(({ action, feature, payload }) => ({
        action,
        feature: feature ?? null,
        payload: payload ?? null,
      }));
      return change(
        services,
        caller,
        requestChanges,
        { project, environment, changes, ...draft, ...later },
        requestAnswer(services, asker),
      );
    },
  },
);

const getChangeRequest = route(`GET ${PATH}`, 'getChangeRequest', {
  access: { permission: 'READ', project: 'path.projectId' },
  edits: 'changeRequest',
  // Conflicts with the current flags are computed for each answer.
  showsMore: true,
  summary: 'One change request, with its current conflicts; only its author and admins can see a draft',
  params: RequestParams,
  responses: { 200: { description: 'The change request', schema: ChangeRequestSchema } },
  handle({ params, caller, asker }, services) {
    const request = findVisibleRequest({ draft: services.state, caller }, params.projectId, params.id);
    return request instanceof Rejection ? request : requestAnswer(services, asker)(request);
  },
});

const discard = route(`DELETE ${PATH}`, 'discardChangeRequest', {
  access: PARTICIPANT_ACCESS,
  edits: 'changeRequest',
  summary: 'Discards a draft',
  params: RequestParams,
  responses: { 200: { description: 'The draft was deleted' } },
  handle: ({ params: { projectId: project, id }, caller }, services) =>
    change(services, caller, discardChangeRequest, { project, id }),
});

const moveTo = route(`PUT ${PATH}/state`, 'changeChangeRequestState', {
  access: PARTICIPANT_ACCESS,
  edits: 'changeRequest',
  summary: 'Sends a change request to review, approves, rejects, cancels, schedules or applies it',
  params: RequestParams,
  body: MoveBody,
  responses: { 200: { description: 'The change request as it is now', schema: ChangeRequestSchema } },
  errors: [409],
  handle({ params: { projectId: project, id }, body, caller, asker }, services) {
    const { state, comment, scheduledAt, changesVersion } = body;
    const input = {
      project,
      id,
      state,
      ...(changesVersion !== undefined && { changesVersion }),
      ...(comment !== undefined && { comment }),
      ...(scheduledAt !== undefined && { scheduledAt }),
    };
    return change(services, caller, moveChangeRequest, input, requestAnswer(services, asker));
  },
});

const updateTitle = route(`PUT ${PATH}/title`, 'updateChangeRequestTitle', {
  access: PARTICIPANT_ACCESS,
  edits: 'changeRequest',
  summary: 'Changes the title of a change request',
  params: RequestParams,
  body: TitleBody,
  responses: { 204: { description: 'Done' } },
  handle: ({ params: { projectId: project, id }, body: { title }, caller }, services) =>
    change(services, caller, renameChangeRequest, { project, id, title }, () => done(204)),
});

const addComment = route(`POST ${PATH}/comments`, 'addChangeRequestComment', {
  access: PARTICIPANT_ACCESS,
  edits: 'changeRequest',
  summary: 'Adds a comment to a change request',
  params: RequestParams,
  body: CommentBody,
  responses: { 204: { description: 'Done' } },
  handle: ({ params: { projectId: project, id }, body: { text }, caller }, services) =>
    change(services, caller, commentChangeRequest, { project, id, text }, () => done(204)),
});

const getApprovers = route(`GET ${PATH}/approvers`, 'getChangeRequestApprovers', {
  access: { permission: 'READ', project: 'path.projectId' },
  summary: 'The users who were asked to review a change request, and their verdicts so far',
  params: RequestParams,
  responses: { 200: { description: 'The users who were asked', schema: ApproversSchema } },
  handle({ params, caller }, { state }) {
    const request = findVisibleRequest({ draft: state, caller }, params.projectId, params.id);
    return request instanceof Rejection ? request : ok({ reviewers: presentApprovers(request, state) });
  },
});

const askReviewers = route(`PUT ${PATH}/approvers`, 'addChangeRequestReviewers', {
  access: PARTICIPANT_ACCESS,
  edits: 'changeRequest',
  summary: 'Sets the users who are asked to review a change request',
  description: 'Other users who may approve the change request still may approve it.',
  params: RequestParams,
  body: ReviewersBody,
  responses: { 204: { description: 'Done' } },
  handle: ({ params: { projectId: project, id }, body: { reviewers }, caller }, services) =>
    change(services, caller, requestReviewers, { project, id, reviewers }, () => done(204)),
});

const editOne = route(`PUT ${PATH}/changes/:changeId`, 'editChange', {
  access: PARTICIPANT_ACCESS,
  edits: 'changeRequest',
  summary: 'Replaces one change by another change of the same flag or segment',
  description: 'Approvals so far are removed: the change request must be approved again.',
  params: ChangeParams,
  body: EditChangeBody,
  responses: { 200: { description: 'The change request as it is now', schema: ChangeRequestSchema } },
  errors: [409],
  handle({ params: { projectId: project, id, changeId }, body: { action, payload }, caller, asker }, services) {
    const input = { project, id, changeId, change: { action, payload: payload ?? null } };
    return change(services, caller, editChange, input, requestAnswer(services, asker));
  },
});

const discardOne = route(`DELETE ${PATH}/changes/:changeId`, 'discardChange', {
  access: PARTICIPANT_ACCESS,
  edits: 'changeRequest',
  summary: 'Removes one change from a change request',
  description: 'Approvals so far are removed: the change request must be approved again.',
  params: ChangeParams,
  responses: { 200: { description: 'The change was removed' } },
  handle: ({ params: { projectId: project, id, changeId }, caller }, services) =>
    change(services, caller, discardChange, { project, id, changeId }),
});

export const changeRequestEndpoints = [
  updateConfig,
  addChanges,
  getChangeRequest,
  discard,
  moveTo,
  updateTitle,
  addComment,
  getApprovers,
  askReviewers,
  editOne,
  discardOne,
];
