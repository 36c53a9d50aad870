import Type from 'typebox';
import { conflict, invalid, type Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { ChangeRequest } from '../../model/change-request.ts';
import { DateTime } from '../../model/primitives.ts';
import { authorOf, type User } from '../../model/user.ts';
import { auditedWhole } from './config.ts';
import { emitRequestEvent } from './lookup.ts';

type Context = Pick<CommandContext, 'draft' | 'emit'>;

/** The longest time from now for which a request can be scheduled, in milliseconds. */
const AHEAD_MAX_MS = 366 * 24 * 3_600_000;

/** The request, to be applied at a time in the name of the caller. */
export function withSchedule(
  context: CommandContext,
  request: ChangeRequest,
  scheduledAt: string,
): ChangeRequest | Rejection {
  const { draft, by, caller, now } = context;
  const aheadMs = Date.parse(scheduledAt) - Date.parse(now);
  if (aheadMs <= 0) return invalid(`${scheduledAt} is in the past. Send a later time.`, '/scheduledAt');
  if (aheadMs > AHEAD_MAX_MS) return invalid(`${scheduledAt} is more than a year in the future.`, '/scheduledAt');
  const at = new Date(Date.parse(scheduledAt)).toISOString();
  const scheduled: ChangeRequest = {
    ...request,
    state: 'Scheduled',
    schedule: { scheduledAt: at, status: 'pending', reason: null, by, user: caller.user },
  };
  draft.put('changeRequests', scheduled);
  emitRequestEvent(context, scheduled, 'change-request-scheduled', { scheduledAt: at });
  return scheduled;
}

/** When changes are made that need no review, in a request. */
export const ScheduledAt = Type.Unsafe<string>({
  ...DateTime,
  description: 'When the changes are made, at most a year ahead. Only where they need no review',
});

/** Why changes that need approvals are not scheduled at once. */
export function reviewFirst({ environment, minApprovals }: ChangeRequest): Rejection {
  const approvals = minApprovals === 1 ? 'an approval' : `${minApprovals} approvals`;
  return conflict(
    `These changes of the environment ${environment} need ${approvals}: request them without a time, and schedule the change request when it is approved.`,
  );
}

/** Suspends a scheduled change request and stores the reason. People decide how to continue. */
export function suspendSchedule({ draft, emit }: Context, request: ChangeRequest, reason: string): void {
  const { schedule, project, environment } = request;
  if (schedule?.status !== 'pending') return;
  draft.put('changeRequests', { ...request, schedule: { ...schedule, status: 'suspended', reason } });
  const data = { ...auditedWhole(request), scheduledAt: schedule.scheduledAt, reason };
  emit({ type: 'change-request-schedule-suspended', project, environment, data });
}

/** Suspends the scheduled requests that change an archived flag, because their changes cannot be made. */
export function suspendSchedulesOfFeature(context: Context, feature: string): undefined {
  const { draft } = context;
  if (draft.count('requestsByFeature', feature) === 0) return;
  for (const request of [...draft.lookup('requestsByFeature', feature)]) {
    suspendSchedule(context, request, `The feature ${feature} was archived.`);
  }
}

/** Suspends the scheduled requests of an archived project: users cannot find them any more, so their application would go unnoticed. */
export function* suspendSchedulesOfProject(context: Context, project: string): Steps<void> {
  for (const request of [...context.draft.lookup('openRequestsByProject', project)]) {
    suspendSchedule(context, request, `The project ${project} was archived.`);
    yield;
  }
}

/** Deletes the requests in the state Draft of a user who is being deleted, and suspends the requests that the user scheduled. */
export function* endRequestsOfUser(context: Context, user: User): Steps<void> {
  const { draft, emit } = context;
  const [key, { name }] = [String(user.id), authorOf(user)];
  for (const request of [...draft.lookup('draftsByAuthor', key)]) {
    draft.remove('changeRequests', String(request.id));
    const { project, environment } = request;
    emit({ type: 'change-request-discarded', project, environment, data: auditedWhole(request) });
    yield;
  }
  for (const request of [...draft.lookup('pendingSchedulesByUser', key)]) {
    suspendSchedule(context, request, `The user ${name}, who scheduled it, was deleted.`);
    yield;
  }
}
