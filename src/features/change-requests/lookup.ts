import { forbidden, may } from '../../access/may.ts';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import type { CommandContext, NewEvent } from '../../engine/command.ts';
import type { EnvironmentPermission } from '../../model/permission.ts';
import type { Author } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { type Asked, permissionProblem } from '../people/permission-problem.ts';
import { findProject } from '../shared/lookup.ts';
import { CHANGE_PERMISSIONS } from './actions.ts';
import { type ChangeRequest, draftKey, isSameAuthor, isWide } from './change-request.ts';
import { auditedRequest, changeRequestConfig, protectedEnvironments } from './config.ts';

/** A draft is its author's: admins, who may change it, see it as well, and to everybody else it is not there yet. */
export function isSeenBy({ draft, caller }: Asked, request: ChangeRequest): boolean {
  if (request.state !== 'Draft' || isSameAuthor(request.createdBy, caller.author)) return true;
  return may(draft, caller, 'ADMIN', null, null);
}

/** The change request, bound to its project, if the caller sees it: of one that they do not, whatever is asked, there is none. */
export function findSeenRequest({ draft, caller }: Asked, project: string, id: number): ChangeRequest | Rejection {
  // As of a private project: that there is none is told in the same words, whatever is asked of it.
  const owner = findProject(draft, project);
  if (owner instanceof Rejection) return owner;
  const request = draft.get('changeRequests', String(id));
  if (request?.project === project && isSeenBy({ draft, caller }, request)) return request;
  return notFound(`The change request ${id} does not exist in the project ${project}.`);
}

/** The one draft that the author has in the environment. */
export function openDraft(
  reader: StateReader,
  project: string,
  environment: string,
  author: Author,
): ChangeRequest | undefined {
  for (const request of reader.lookup('drafts', draftKey(project, environment, author))) return request;
  return undefined;
}

/** The change request, if the caller may change what it says: whoever asked for it, and admins. */
export function findOwn(
  { draft, caller, by }: Pick<CommandContext, 'draft' | 'caller' | 'by'>,
  project: string,
  id: number,
): ChangeRequest | Rejection {
  const request = findSeenRequest({ draft, caller }, project, id);
  if (request instanceof Rejection || may(draft, caller, 'ADMIN', null, null)) return request;
  const refusal = takesPart({ draft, caller }, request);
  if (refusal) return refusal;
  if (isSameAuthor(request.createdBy, by)) return request;
  return new Rejection(
    'NoAccessError',
    `The change request ${id} is ${request.createdBy.name}’s: only they may do this, and admins.`,
  );
}

/** Why the caller has nothing to do with changes of the environment, or undefined. */
export function takesPart(asked: Pick<CommandContext, 'draft' | 'caller'>, { project, environment }: ChangeRequest) {
  const enough = [...CHANGE_PERMISSIONS, 'APPROVE_CHANGE_REQUEST', 'APPLY_CHANGE_REQUEST'] as const;
  return permissionProblem(asked, enough, project, environment);
}

/** Where changes need no review there is nothing to ask for. */
export function changeRequestNotEnabled(
  reader: StateReader,
  project: string,
  environment: string,
): Rejection | undefined {
  if (changeRequestConfig(reader, project, environment).enabled) return undefined;
  return invalid(
    `Change requests are not enabled in the environment ${environment} of the project ${project}. ` +
      `PUT /api/admin/projects/${project}/environments/${environment}/change-requests/config enables them.`,
  );
}

/** The environments in which the request shows, and whose reviewers have a say in it. */
export function environmentsReached(reader: StateReader, request: ChangeRequest): string[] {
  const reached = new Set([request.environment]);
  if (isWide(request)) {
    for (const { environment } of protectedEnvironments(reader, request.project)) reached.add(environment);
  }
  return [...reached];
}

/** As many as the strictest of those environments asks for. */
export function approvalsNeeded(reader: StateReader, request: ChangeRequest): number {
  const needed = environmentsReached(reader, request).map(
    (environment) => changeRequestConfig(reader, request.project, environment).requiredApprovals ?? 1,
  );
  return Math.max(...needed);
}

/** Why the request may not be made yet: more approvals may be needed by now than when it was approved. */
export function approvalsProblem(reader: StateReader, request: ChangeRequest): Rejection | undefined {
  const { id, approvals } = request;
  const needed = approvalsNeeded(reader, request);
  if (approvals.length >= needed) return undefined;
  return conflict(`The change request ${id} needs ${needed} approvals by now, and has ${approvals.length}.`);
}

/** Why the caller may not approve, or apply, the request; undefined when they may in every environment that it reaches. */
export function reviewProblem(
  { draft, caller }: Pick<CommandContext, 'draft' | 'caller'>,
  request: ChangeRequest,
  permission: EnvironmentPermission,
): Rejection | undefined {
  for (const environment of environmentsReached(draft, request)) {
    if (!may(draft, caller, permission, request.project, environment)) {
      return forbidden([permission], request.project, environment);
    }
  }
  return undefined;
}

/** What happened to the request, for the audit log. */
export function emitOf(
  { emit }: Pick<CommandContext, 'emit'>,
  request: ChangeRequest,
  type: NewEvent['type'],
  data: object = {},
): void {
  const { project, environment } = request;
  emit({ type, project, environment, data: { ...auditedRequest(request), ...data } });
}

/** The request with one more comment; without a text as it is. */
export function commented(
  { by, now }: Pick<CommandContext, 'by' | 'now'>,
  request: ChangeRequest,
  text: string | undefined,
): ChangeRequest {
  if (text === undefined || text === '') return request;
  const id = (request.comments.at(-1)?.id ?? 0) + 1;
  return { ...request, comments: [...request.comments, { id, text, by, at: now }] };
}

/** Puts a request that is over. What is kept of those is decided for every command: `makeRoom`. */
export function putClosed(
  { draft, now }: Pick<CommandContext, 'draft' | 'now'>,
  request: ChangeRequest,
  state: 'Applied' | 'Cancelled' | 'Rejected',
): ChangeRequest {
  const closed: ChangeRequest = { ...request, state, schedule: null, closedAt: now };
  draft.put('changeRequests', closed);
  return closed;
}

/** A rejection when the request is not in one of the states. */
export function stateProblem(request: ChangeRequest, states: readonly ChangeRequest['state'][]): Rejection | undefined {
  if (states.includes(request.state)) return undefined;
  return invalid(
    `The change request ${request.id} is in the state ${request.state}; this takes one in ${states.join(' or ')}.`,
  );
}
