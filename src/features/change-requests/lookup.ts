import { forbidden, may } from '../../access/may.ts';
import { type CallerInState, permissionProblem } from '../../access/permission-problem.ts';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import type { CommandContext, NewEvent } from '../../engine/command.ts';
import { type ChangeRequest, draftKey, isSameAuthor, isWide } from '../../model/change-request.ts';
import type { EnvironmentPermission } from '../../model/permission.ts';
import type { Author } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { changeRequestConfig } from '../shared/change-request-config.ts';
import { findProject } from '../shared/lookup.ts';
import { CHANGE_PERMISSIONS } from './actions.ts';
import { auditedRequest, auditedWhole, protectedEnvironments } from './config.ts';

/** Whether the caller may see the request. Only the author and admins may see and change a change request in the state Draft. */
function maySeeRequest({ draft, caller }: CallerInState, request: ChangeRequest): boolean {
  if (request.state !== 'Draft' || isSameAuthor(request.createdBy, caller.author)) return true;
  return may(draft, caller, 'ADMIN', null, null);
}

/** The change request if it belongs to the project and the caller may see it. Otherwise a rejection that reports the request as missing. */
export function findVisibleRequest(
  { draft, caller }: CallerInState,
  project: string,
  id: number,
): ChangeRequest | Rejection {
  // Every operation reports a missing project and a private project with the same text.
  const owningProject = findProject(draft, project);
  if (owningProject instanceof Rejection) return owningProject;
  const request = draft.get('changeRequests', String(id));
  if (request?.project === project && maySeeRequest({ draft, caller }, request)) return request;
  return notFound(`The change request ${id} does not exist in the project ${project}.`);
}

/** The change request that the field `changeRequest` of a body names, if the caller may read it; otherwise a rejection. */
export function findNamedRequest({ draft, caller }: CallerInState, id: number): ChangeRequest | Rejection {
  const request = draft.get('changeRequests', String(id));
  const mayRead = request && may(draft, caller, 'READ', request.project, null);
  return mayRead && maySeeRequest({ draft, caller }, request)
    ? request
    : invalid(`The change request ${id} does not exist.`, '/changeRequest');
}

interface WantedDraft {
  readonly project: string;
  readonly environment: string;
  readonly author: Author;
  /** Undefined: the newest. */
  readonly id: number | undefined;
}

/** The author's change request in the state Draft in the environment. */
export function findDraft(
  reader: StateReader,
  { project, environment, author, id }: WantedDraft,
): ChangeRequest | undefined {
  let newest: ChangeRequest | undefined;
  for (const request of reader.lookup('drafts', draftKey(project, environment, author))) {
    if (request.id === id) return request;
    if (id === undefined && (!newest || request.id > newest.id)) newest = request;
  }
  return newest;
}

/** The change request if the caller may edit it: an admin, or its author if they still have a permission for change requests in the environment. */
export function findForEditor(
  { draft, caller, by }: Pick<CommandContext, 'draft' | 'caller' | 'by'>,
  project: string,
  id: number,
): ChangeRequest | Rejection {
  const request = findVisibleRequest({ draft, caller }, project, id);
  if (request instanceof Rejection || may(draft, caller, 'ADMIN', null, null)) return request;
  const problem = participationProblem({ draft, caller }, request);
  if (problem) return problem;
  if (isSameAuthor(request.createdBy, by)) return request;
  return new Rejection(
    'NoAccessError',
    `The change request ${id} belongs to ${request.createdBy.name}: only its author and admins may do this.`,
  );
}

/** A rejection if the caller may neither request, approve nor apply changes in the environment; otherwise undefined. */
export function participationProblem(
  context: Pick<CommandContext, 'draft' | 'caller'>,
  { project, environment }: ChangeRequest,
) {
  const permissions = [...CHANGE_PERMISSIONS, 'APPROVE_CHANGE_REQUEST', 'APPLY_CHANGE_REQUEST'] as const;
  return permissionProblem(context, permissions, project, environment);
}

/** A rejection if changes in the environment need no review: then users make their changes directly, and cannot request them. */
export function notEnabledProblem(reader: StateReader, project: string, environment: string): Rejection | undefined {
  if (changeRequestConfig(reader, project, environment).enabled) return undefined;
  return invalid(
    `Change requests are not enabled in the environment ${environment} of the project ${project}. ` +
      `PUT /api/admin/projects/${project}/environments/${environment}/change-requests/config enables them.`,
  );
}

/** The environments that the request affects and whose reviewers must approve it. */
export function affectedEnvironments(reader: StateReader, request: ChangeRequest): string[] {
  const environments = new Set([request.environment]);
  if (isWide(request)) {
    for (const { environment } of protectedEnvironments(reader, request.project)) environments.add(environment);
  }
  return [...environments];
}

/**
 * The number of required approvals: the highest number of all environments that the request affects. A request that began without a review needs none
 * where none is asked for.
 */
export function approvalsNeeded(reader: StateReader, request: ChangeRequest): number {
  const needed = affectedEnvironments(reader, request).map((environment) => {
    const { enabled, requiredApprovals } = changeRequestConfig(reader, request.project, environment);
    return isUnreviewed(request) && !enabled ? 0 : (requiredApprovals ?? 1);
  });
  return Math.max(...needed);
}

/** Whether the request needs no approval: it only waits for its time. */
export const isUnreviewed = ({ minApprovals }: Pick<ChangeRequest, 'minApprovals'>) => minApprovals === 0;

/** A rejection if the request has too few approvals. The required number may have grown since the request was approved. */
export function approvalsProblem(reader: StateReader, request: ChangeRequest): Rejection | undefined {
  const { id, approvals } = request;
  const needed = approvalsNeeded(reader, request);
  if (approvals.length >= needed) return undefined;
  return conflict(`The change request ${id} now needs ${needed} approvals, and has ${approvals.length}.`);
}

/** A rejection unless the caller has the permission in every environment that the request affects. */
export function reviewProblem(
  { draft, caller }: CallerInState,
  request: ChangeRequest,
  permission: EnvironmentPermission,
): Rejection | undefined {
  for (const environment of affectedEnvironments(draft, request)) {
    if (!may(draft, caller, permission, request.project, environment)) {
      return forbidden([permission], request.project, environment);
    }
  }
  return undefined;
}

/** Records an event about the request in the audit log. */
export function emitRequestEvent(
  { emit }: Pick<CommandContext, 'emit'>,
  request: ChangeRequest,
  type: NewEvent['type'],
  data: object = {},
): void {
  const { project, environment } = request;
  const audited = 'changeId' in data ? auditedRequest(request) : auditedWhole(request);
  emit({ type, project, environment, data: { ...audited, ...data } });
}

/** The request with one more comment, or the unchanged request if the comment has no text. */
export function withComment(
  { by, now }: Pick<CommandContext, 'by' | 'now'>,
  request: ChangeRequest,
  text: string | undefined,
): ChangeRequest {
  if (text === undefined || text === '') return request;
  const id = (request.comments.at(-1)?.id ?? 0) + 1;
  return { ...request, comments: [...request.comments, { id, text, by, at: now }] };
}

/** Stores a closed request. `dropOldClosed` decides for every command which closed requests are kept. */
export function putClosed(
  { draft, now }: Pick<CommandContext, 'draft' | 'now'>,
  request: ChangeRequest,
  state: 'Applied' | 'Cancelled' | 'Rejected',
): ChangeRequest {
  const closed: ChangeRequest = { ...request, state, schedule: null, closedAt: now };
  draft.put('changeRequests', closed);
  return closed;
}

/** A rejection if the request is in none of the states. */
export function stateProblem(request: ChangeRequest, states: readonly ChangeRequest['state'][]): Rejection | undefined {
  if (states.includes(request.state)) return undefined;
  return invalid(
    `The change request ${request.id} is in the state ${request.state}; this operation needs the state ${states.join(' or ')}.`,
  );
}
