import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { ChangeRequest } from './change-request.ts';
import { auditedRequest } from './config.ts';

type Context = Pick<CommandContext, 'draft' | 'emit'>;

/** Takes its time from a scheduled change request, and says why: people decide what becomes of it. */
export function suspendSchedule({ draft, emit }: Context, request: ChangeRequest, reason: string): void {
  const { schedule, project, environment } = request;
  if (schedule?.status !== 'pending') return;
  draft.put('changeRequests', { ...request, schedule: { ...schedule, status: 'suspended', reason } });
  const data = { ...auditedRequest(request), scheduledAt: schedule.scheduledAt, reason };
  emit({ type: 'change-request-schedule-suspended', project, environment, data });
}

/** The flag has gone to the archive: what was to be changed of it at some time cannot be. */
export function suspendSchedulesOfFeature(context: Context, feature: string): void {
  const { draft } = context;
  if (draft.count('requestsByFeature', feature) === 0) return;
  for (const request of [...draft.lookup('requestsByFeature', feature)]) {
    suspendSchedule(context, request, `The feature ${feature} was archived.`);
  }
}

/** The project has gone to the archive, where nobody finds its requests: what they change beside its flags is not to change behind people's backs. */
export function* suspendSchedulesOfProject(context: Context, project: string): Steps<void> {
  for (const request of [...context.draft.lookup('openRequestsByProject', project)]) {
    suspendSchedule(context, request, `The project ${project} was archived.`);
    yield;
  }
}

/** The user goes: nobody can send their drafts, and nothing is applied in their name. */
export function* leaveRequests(context: Context, user: string, name: string): Steps<void> {
  const { draft, emit } = context;
  for (const request of [...draft.lookup('draftsByAuthor', user)]) {
    draft.remove('changeRequests', String(request.id));
    const { project, environment } = request;
    emit({ type: 'change-request-discarded', project, environment, data: auditedRequest(request) });
    yield;
  }
  for (const request of [...draft.lookup('pendingSchedulesByUser', user)]) {
    suspendSchedule(context, request, `The user ${name}, who scheduled it, was deleted.`);
    yield;
  }
}
