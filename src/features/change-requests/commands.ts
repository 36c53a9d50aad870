import Type, { type Static } from 'typebox';
import { permissionProblem } from '../../access/permission-problem.ts';
import { invalid, notFound, Rejection, withPathPrefix } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, command, longCommand } from '../../engine/command.ts';
import type { Grant } from '../../model/caller.ts';
import type { ChangeRequest, RequestedChange } from '../../model/change-request.ts';
import { MODEL_LIMITS } from '../../model/limits.ts';
import { DateTime, NameReference } from '../../model/primitives.ts';
import { Draft } from '../../state/draft.ts';
import { limitProblem } from '../limits/limit-rules.ts';
import { findProjectEnvironment } from '../shared/lookup.ts';
import { CHANGE_PERMISSIONS, permissionFor, subjectOf } from './actions.ts';
import { auditedChange } from './config.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';
import {
  approvalsNeeded,
  emitRequestEvent,
  findDraft,
  findForEditor,
  findVisibleRequest,
  isUnreviewed,
  notEnabledProblem,
  participationProblem,
  stateProblem,
  withComment,
} from './lookup.ts';
import { reviewFirst, withSchedule } from './schedule.ts';
import { tryChange, tryChanges, WantedChange } from './trying.ts';

export const RequestTitle = Type.String({ minLength: 1, maxLength: MODEL_LIMITS.titleLength.max });

export const CommentText = Type.String({ minLength: 1, maxLength: CHANGE_REQUEST_LIMITS.commentLength.max });

export const ChangeRequestId = Type.Integer({ minimum: 1 });

const Location = { project: NameReference, id: ChangeRequestId };

/** Which draft gets the changes: a new one, or the one with this id. */
const WantedDraft = Type.Union([Type.Literal('new'), ChangeRequestId]);

/** `WantedDraft` in a request. */
export const DraftChoice = Type.String({
  pattern: '^(new|[1-9]\\d{0,14})$',
  description: 'Id of the draft that gets the changes, or `new` for a new draft. Default: the newest draft',
});

/** The choice as the command takes it. */
export const chosenDraft = (choice: string | undefined): { readonly draft?: 'new' | number } =>
  choice === undefined ? {} : { draft: choice === 'new' ? 'new' : Number(choice) };

/** What a caller needs who requests changes. */
export const grantToRequest = (project: string, environment: string): Grant => ({
  required: CHANGE_PERMISSIONS,
  project,
  environment,
});

/**
 * Adds changes to a change request of the caller in the state Draft: the newest one in the environment, or the wanted one. Creates one if there is none.
 * Each change is tried on a temporary state.
 */
export const requestChanges = longCommand({
  name: 'request-changes',
  input: Type.Object({
    project: NameReference,
    environment: NameReference,
    changes: Type.Array(WantedChange, { minItems: 1, maxItems: CHANGE_REQUEST_LIMITS.changeRequestChanges.max }),
    draft: Type.Optional(WantedDraft),
    scheduledAt: Type.Optional(DateTime),
  }),
  *decide(context, { project, environment, changes, draft: wanted, scheduledAt }) {
    const { draft, by, now } = context;
    const found = findProjectEnvironment(draft, project, environment);
    if (found instanceof Rejection) return found;
    const problem =
      (yield* changesPermissionProblem(context, { project, environment }, changes)) ??
      (scheduledAt === undefined ? notEnabledProblem(draft, project, environment) : undefined);
    if (problem) return problem;
    const isNew = wanted === 'new' || scheduledAt !== undefined;
    const existing = isNew ? undefined : findDraft(draft, { project, environment, author: by, id: wanted });
    if (!existing && typeof wanted === 'number') {
      return notFound(`You have no draft ${wanted} in the environment ${environment} of the project ${project}.`);
    }
    const request = existing ?? newRequest(context, { project, environment }, scheduledAt === undefined ? 1 : 0);
    const changed = yield* withChanges(context, request, changes);
    if (changed instanceof Rejection) return changed;
    if (scheduledAt !== undefined && !isUnreviewed(changed)) return reviewFirst(changed);
    const after = withReason(context, changed);
    draft.put('changeRequests', after);
    if (!existing) emitRequestEvent(context, after, 'change-request-created', { createdAt: now });
    for (const change of after.changes.slice(request.changes.length)) {
      emitRequestEvent(context, after, 'change-added', auditedChange(change));
    }
    return scheduledAt === undefined ? after : withSchedule(context, after, scheduledAt);
  },
});

/**
 * The reason that the caller stated is for the reviewers, too: they read the comments, not the audit log. A reason that is a comment already is not
 * repeated, and none is added where the comments are full: a reason never makes a change exceed their limit.
 */
function withReason(context: CommandContext, request: ChangeRequest): ChangeRequest {
  const { by, caller, limits } = context;
  const { reason } = caller;
  const { comments } = request;
  if (reason === null || comments.length >= limits.changeRequestComments) return request;
  return comments.some((one) => one.text === reason && one.by.id === by.id)
    ? request
    : withComment(context, request, reason);
}

type Place = Pick<ChangeRequest, 'project' | 'environment'>;

function newRequest({ draft, by, now }: CommandContext, place: Place, minApprovals: number): ChangeRequest {
  const id = draft.next('changeRequests');
  return {
    id,
    ...place,
    title: `Change request #${id}`,
    state: 'Draft',
    minApprovals,
    changes: [],
    approvals: [],
    rejections: [],
    comments: [],
    schedule: null,
    createdBy: by,
    createdAt: now,
    closedAt: null,
  };
}

/** A rejection if the caller does not have the permission that one of the changes needs outside a change request; otherwise undefined. */
function* changesPermissionProblem(
  { draft, caller }: CommandContext,
  { project, environment }: Place,
  changes: readonly Static<typeof WantedChange>[],
): Steps<Rejection | undefined> {
  for (const { action } of changes) {
    const permission = permissionFor(action);
    const problem = permission && permissionProblem({ draft, caller }, [permission], project, environment);
    if (problem) return problem;
    yield;
  }
  return undefined;
}

/** The request with these changes added at the end. Each change is tried on a state in which the earlier changes have been made. */
function* withChanges(
  context: CommandContext,
  request: ChangeRequest,
  wanted: readonly Static<typeof WantedChange>[],
): Steps<ChangeRequest | Rejection> {
  const trial = new Draft(context.draft);
  yield* tryChanges({ ...context, draft: trial }, request, request.changes);
  const changes = [...request.changes];
  for (const [index, wantedChange] of wanted.entries()) {
    const id = context.draft.next('requestedChanges');
    const change = yield* tryChange(context, trial, request, { ...wantedChange, id });
    if (change instanceof Rejection) return wanted.length === 1 ? change : withPathPrefix(change, `/${index}`);
    changes.push(change);
  }
  const problem = yield* limitProblem({ before: context.draft, after: trial }, trial.changes(), context.limits);
  if (problem) return problem;
  const after = { ...request, changes };
  return { ...after, minApprovals: approvalsNeeded(context.draft, after) };
}

/** Replaces one change by another change of the same flag or segment. The request must then be approved again. */
export const editChange = longCommand({
  name: 'edit-change',
  input: Type.Object({ ...Location, changeId: ChangeRequestId, change: Type.Omit(WantedChange, ['feature']) }),
  *decide(context, { project, id, changeId, change: { action, payload } }) {
    const { draft } = context;
    const request = findForEditor(context, project, id);
    if (request instanceof Rejection) return request;
    const before = findChange(request, changeId);
    if (before instanceof Rejection) return before;
    const problem =
      stateProblem(request, EDITABLE_STATES) ??
      subjectProblem(before, action, payload) ??
      (yield* changesPermissionProblem(context, request, [{ action }]));
    if (problem) return problem;
    const trial = new Draft(draft);
    const earlierChanges = request.changes.slice(0, request.changes.indexOf(before));
    yield* tryChanges({ ...context, draft: trial }, request, earlierChanges);
    const change = yield* tryChange(context, trial, request, {
      id: changeId,
      action,
      feature: before.feature,
      payload,
    });
    if (change instanceof Rejection) return change;
    const limitRejection = yield* limitProblem({ before: draft, after: trial }, trial.changes(), context.limits);
    if (limitRejection) return limitRejection;
    const changes = request.changes.map((one) => (one === before ? change : one));
    const edited = putWithoutApprovals(context, withReason(context, { ...request, changes }));
    emitRequestEvent(context, request, 'change-edited', auditedChange(change));
    return edited;
  },
});

/** A rejection if the new action or payload is for another flag or segment than the replaced change. */
function subjectProblem(
  { feature, segment }: RequestedChange,
  action: RequestedChange['action'],
  payload: unknown,
): Rejection | undefined {
  const isSame =
    subjectOf(action) === 'feature'
      ? feature !== null
      : segment !== null && (payload as { readonly id?: unknown } | null)?.id === segment.id;
  return isSame ? undefined : invalid('The new change must be for the same flag or the same segment.', '/action');
}

const EDITABLE_STATES = ['Draft', 'In review', 'Approved'] as const;

/** Removes one change. The only change of a request can be removed only in the state Draft; in other states users must cancel the request. */
export const discardChange = command({
  name: 'discard-change',
  input: Type.Object({ ...Location, changeId: ChangeRequestId }),
  decide(context, { project, id, changeId }) {
    const request = findForEditor(context, project, id);
    if (request instanceof Rejection) return request;
    const change = findChange(request, changeId);
    if (change instanceof Rejection) return change;
    const problem = stateProblem(request, EDITABLE_STATES);
    if (problem) return problem;
    if (request.state !== 'Draft' && request.changes.length === 1) {
      return invalid(`This is the only change of the change request ${id}: cancel the change request instead.`);
    }
    putWithoutApprovals(context, { ...request, changes: request.changes.filter((one) => one !== change) });
    emitRequestEvent(context, request, 'change-discarded', auditedChange(change));
    return undefined;
  },
});

/** Stores a request whose changes were edited, without its approvals. The request must be approved again. */
function putWithoutApprovals({ draft }: CommandContext, request: ChangeRequest): ChangeRequest {
  const state = request.state === 'Approved' ? 'In review' : request.state;
  const minApprovals = approvalsNeeded(draft, request);
  const edited: ChangeRequest = { ...request, state, minApprovals, approvals: [] };
  draft.put('changeRequests', edited);
  return edited;
}

function findChange({ id, changes }: ChangeRequest, changeId: number): RequestedChange | Rejection {
  return (
    changes.find((change) => change.id === changeId) ?? notFound(`The change request ${id} has no change ${changeId}.`)
  );
}

/** Deletes a change request in the state Draft. Afterwards only the audit log shows that it existed. */
export const discardChangeRequest = command({
  name: 'discard-change-request',
  input: Type.Object(Location),
  decide(context, { project, id }) {
    const request = findForEditor(context, project, id);
    if (request instanceof Rejection) return request;
    const problem = stateProblem(request, ['Draft']);
    if (problem) return problem;
    context.draft.remove('changeRequests', String(id));
    emitRequestEvent(context, request, 'change-request-discarded');
    return undefined;
  },
});

/** Changes the title. */
export const renameChangeRequest = command({
  name: 'rename-change-request',
  input: Type.Object({ ...Location, title: RequestTitle }),
  decide(context, { project, id, title }) {
    const request = findForEditor(context, project, id);
    if (request instanceof Rejection) return request;
    context.draft.put('changeRequests', { ...request, title });
    return undefined;
  },
});

/** Adds a comment, in any state of the request. */
export const commentChangeRequest = command({
  name: 'comment-change-request',
  input: Type.Object({ ...Location, text: CommentText }),
  decide(context, { project, id, text }) {
    const request = findVisibleRequest(context, project, id);
    if (request instanceof Rejection) return request;
    const problem = participationProblem(context, request);
    if (problem) return problem;
    context.draft.put('changeRequests', withComment(context, request, text));
    return undefined;
  },
});
