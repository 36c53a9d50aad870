import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { ChangeRequest } from '../../model/change-request.ts';
import { authorOf, type User } from '../../model/user.ts';
import { auditedRequest } from './config.ts';

type Context = Pick<CommandContext, 'draft' | 'emit'>;

/** Suspends a scheduled change request and stores the reason. People decide how to continue. */
export function suspendSchedule({ draft, emit }: Context, request: ChangeRequest, reason: string): void {
  const { schedule, project, environment } = request;
  if (schedule?.status !== 'pending') return;
  draft.put('changeRequests', { ...request, schedule: { ...schedule, status: 'suspended', reason } });
  const data = { ...auditedRequest(request), scheduledAt: schedule.scheduledAt, reason };
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
    emit({ type: 'change-request-discarded', project, environment, data: auditedRequest(request) });
    yield;
  }
  for (const request of [...draft.lookup('pendingSchedulesByUser', key)]) {
    suspendSchedule(context, request, `The user ${name}, who scheduled it, was deleted.`);
    yield;
  }
}
