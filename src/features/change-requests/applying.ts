import Type from 'typebox';
import { may } from '../../access/may.ts';
import { type CallerInState, permissionProblem } from '../../access/permission-problem.ts';
import { conflict, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, decideInSteps, longCommand, type NewEvent } from '../../engine/command.ts';
import { type Caller, NOBODY, systemCaller } from '../../model/caller.ts';
import { type ChangeRequest, isSameAuthor, type RequestedChange, type Schedule } from '../../model/change-request.ts';
import type { StateReader } from '../../state/collections.ts';
import { Draft } from '../../state/draft.ts';
import { limitProblem } from '../limits/limit-rules.ts';
import { deleteSegment, updateSegment } from '../segments/commands.ts';
import { isInMaintenance } from '../shared/maintenance.ts';
import { commandOfStoredChange, permissionFor, type ReadyCommand } from './actions.ts';
import { affectedEnvironments, approvalsProblem, emitRequestEvent, isUnreviewed, putClosed } from './lookup.ts';
import { protectionProblem } from './protection.ts';
import { dropOldClosed } from './quota.ts';
import { suspendSchedule } from './schedule.ts';

/**
 * Makes all changes of the request on the draft, or none, and closes the request. The permissions were checked when the changes were requested, and
 * they are not checked again. This function checks only the number of approvals and whether the state still allows the changes. A rejection names the
 * change that cannot be made.
 */
export function* applyRequest(context: CommandContext, request: ChangeRequest): Steps<ChangeRequest | Rejection> {
  const approvalsRejection = approvalsProblem(context.draft, request);
  if (approvalsRejection) return approvalsRejection;
  const layer = new Draft(context.draft);
  const events: NewEvent[] = [];
  // The request is closed before its changes are made: a change that archives a flag suspends all scheduled requests for that flag, and would suspend
  // this request too.
  const closed = putClosed({ draft: layer, now: context.now }, request, 'Applied');
  const emit = (event: NewEvent) => void events.push(event);
  const rejection = yield* makeChanges({ ...context, draft: layer, emit }, request);
  if (rejection) return rejection;
  yield* dropOldClosed(layer, context.limits);
  const transition = { before: context.draft, after: layer };
  const changes = layer.changes();
  const problem =
    (yield* limitProblem(transition, changes, context.limits)) ??
    (yield* protectionProblem(transition, changes, context.caller, request.project));
  if (problem) return problem;
  context.draft.absorb(changes);
  for (const event of events) context.emit(event);
  emitRequestEvent(context, closed, 'change-request-applied', {
    approvedBy: closed.approvals.map(({ by }) => by.name),
  });
  return closed;
}

/** Makes all changes of the request on the context's draft. A rejection names the change that cannot be made. */
export function* makeChanges(context: CommandContext, request: ChangeRequest): Steps<Rejection | undefined> {
  for (const change of request.changes) {
    const rejection = yield* makeChange(context, request.project, change);
    if (rejection) return changeRejection(request, change, rejection);
  }
  return undefined;
}

/** Makes one change of a request of the project on the context's draft, in the name of the user or token that applies it. */
export function* makeChange(
  context: CommandContext,
  project: string,
  change: RequestedChange,
): Steps<Rejection | undefined> {
  const ready = yield* commandOfStoredChange(change);
  if (ready instanceof Rejection) return ready;
  const problem = yield* decideChange({ ...context, caller: systemCaller(context.by) }, project, ready);
  yield;
  return problem;
}

/**
 * Decides the command of a change on the context's draft. The commands check that flags belong to the project. A segment must be global or belong to
 * the project, before and after the change: the reviewers belong to this project and may not change segments of another project.
 */
export function* decideChange(
  context: CommandContext,
  project: string,
  { command, input }: ReadyCommand,
): Steps<Rejection | undefined> {
  const { draft } = context;
  const segment = command === updateSegment || command === deleteSegment ? String(input.id) : undefined;
  const before = segment === undefined ? undefined : draft.get('segments', segment);
  const outcome = yield* decideInSteps(command, context, input);
  if (outcome instanceof Rejection) return outcome;
  const after = segment === undefined ? undefined : draft.get('segments', segment);
  for (const owner of [before?.project ?? null, after?.project ?? null]) {
    if (owner === null || owner === project) continue;
    return conflict(
      `The segment ${before?.name} belongs, or would belong, to the project ${owner}, not to ${project}.`,
    );
  }
  return undefined;
}

/** The rejection of the whole request because one of its changes cannot be made. */
function changeRejection(
  { id }: ChangeRequest,
  { action, id: changeId }: RequestedChange,
  { message }: Rejection,
): Rejection {
  return conflict(
    `The change request ${id} cannot be applied; nothing was changed. Its change ${changeId} (${action}): ${message}`,
  );
}

/**
 * Applies a scheduled change request that is due. The draft decides whether it is due and still pending: if several replicas submit the command at
 * the same time, the first one applies the request and the others do nothing. A problem that prevents the application is stored with the request.
 */
export const applyDueChangeRequest = longCommand({
  name: 'apply-due-change-request',
  input: Type.Object({ id: Type.Integer({ minimum: 1 }) }),
  isReviewed: true,
  *decide(context, { id }) {
    const { draft, by, now } = context;
    const request = draft.get('changeRequests', String(id));
    const schedule = request?.schedule;
    if (request?.state !== 'Scheduled' || schedule?.status !== 'pending') return undefined;
    if (Date.parse(schedule.scheduledAt) > Date.parse(now) || !isSameAuthor(schedule.by, by)) return undefined;
    // In maintenance mode users cannot make changes, and scheduled changes wait too.
    if (isInMaintenance(draft)) return undefined;
    const caller = callerOf(context, schedule);
    const suspension = lostPermission(context, request, caller);
    if (suspension !== undefined) {
      suspendSchedule(context, request, suspension);
      return undefined;
    }
    const outcome = yield* applyRequest({ ...context, caller }, request);
    if (outcome instanceof Rejection) {
      const reason = outcome.message;
      draft.put('changeRequests', {
        ...request,
        schedule: { ...schedule, scheduledAt: now, status: 'failed', reason },
      });
      emitRequestEvent(context, request, 'change-request-scheduled-application-failure', {
        scheduledAt: schedule.scheduledAt,
        reason,
      });
    } else {
      emitRequestEvent(context, outcome, 'change-request-scheduled-application-success', {
        scheduledAt: schedule.scheduledAt,
      });
    }
    return undefined;
  },
});

/**
 * The caller who scheduled the request, with their current permissions. A deleted or deactivated user, or a deleted or expired token, has no
 * permissions.
 */
function callerOf({ draft, now }: CommandContext, { user, by }: Schedule): Caller {
  if (user === null)
    return isAdminToken(draft, by.name, now) ? { ...NOBODY, kind: 'admin', author: by } : { ...NOBODY, author: by };
  const owner = draft.get('users', user);
  const isActive = owner !== undefined && owner.deactivatedAt === undefined;
  return isActive ? { ...NOBODY, kind: 'user', author: by, user } : { ...NOBODY, author: by };
}

function isAdminToken(reader: StateReader, name: string, now: string): boolean {
  for (const { type, expiresAt } of reader.lookup('tokensByName', name))
    if (type === 'admin' && (expiresAt === null || Date.parse(expiresAt) > Date.parse(now))) return true;
  return false;
}

/** Why the caller may not apply the request any more, as a text for people; undefined if they still may. */
function lostPermission({ draft }: CommandContext, request: ChangeRequest, caller: Caller): string | undefined {
  if (isUnreviewed(request)) return lostChange({ draft, caller }, request);
  for (const environment of affectedEnvironments(draft, request)) {
    if (may(draft, caller, 'APPLY_CHANGE_REQUEST', request.project, environment)) continue;
    const where = `the environment ${environment} of the project ${request.project}`;
    return `${caller.author.name}, who scheduled it, may not apply change requests in ${where} any more.`;
  }
  return undefined;
}

/** The same, of a request without a review: its changes need their own permissions, as they do without a request. */
function lostChange({ draft, caller }: CallerInState, { project, environment, changes }: ChangeRequest) {
  for (const { action } of changes) {
    const permission = permissionFor(action);
    if (permission === null || permissionProblem({ draft, caller }, [permission], project, environment) === undefined)
      continue;
    return `${caller.author.name}, who scheduled it, may not make the change ${action} in the environment ${environment} of the project ${project} any more.`;
  }
  return undefined;
}
