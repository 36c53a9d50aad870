import Type from 'typebox';
import { Rejection } from '../base/rejection.ts';
import type { Steps } from '../base/yield-control.ts';
import {
  type ChangeRequest,
  type ChangeRequestConfig,
  placeKey,
  REQUIRED_APPROVALS_MAX,
} from '../model/change-request.ts';
import { NameReference } from '../model/primitives.ts';
import type { StateReader } from '../state/collections.ts';
import { type CommandContext, command } from './command.ts';
import { findProjectEnvironment } from './lookup.ts';

const RequiredApprovals = Type.Integer({
  minimum: 1,
  maximum: REQUIRED_APPROVALS_MAX,
  description: 'How many people have to approve a change request',
});

/** Sets whether changes in one environment of a project have to be reviewed, and by how many. Requests that are in review stay as they are. */
export const configureChangeRequests = command({
  name: 'configure-change-requests',
  input: Type.Object({
    project: NameReference,
    environment: NameReference,
    enabled: Type.Boolean(),
    /** Left out: as it was, or one. */
    requiredApprovals: Type.Optional(RequiredApprovals),
  }),
  decide({ draft, emit }, { project, environment, enabled, requiredApprovals }) {
    const found = findProjectEnvironment(draft, project, environment);
    if (found instanceof Rejection) return found;
    const before = draft.get('changeRequestConfigs', placeKey(project, environment));
    const after = {
      ...{ project, environment, enabled },
      requiredApprovals: requiredApprovals ?? before?.requiredApprovals ?? 1,
    };
    if (before?.enabled === enabled && before.requiredApprovals === after.requiredApprovals) return undefined;
    draft.put('changeRequestConfigs', after);
    const preData = before && audited(before);
    emit({ type: 'change-request-configuration-updated', project, environment, data: audited(after), preData });
    return undefined;
  },
});

function audited({ environment, enabled, requiredApprovals }: ChangeRequestConfig) {
  return { environment, changeRequestsEnabled: enabled, requiredApprovals };
}

/** Whether changes there have to be reviewed, and by how many: null when not. For whoever tells of projects and environments. */
export function changeRequestConfig(
  reader: StateReader,
  project: string,
  environment: string,
): { readonly enabled: boolean; readonly requiredApprovals: number | null } {
  const config = reader.get('changeRequestConfigs', placeKey(project, environment));
  return config?.enabled
    ? { enabled: true, requiredApprovals: config.requiredApprovals }
    : { enabled: false, requiredApprovals: null };
}

/** The environments of the project whose changes have to be reviewed. */
export function* protectedEnvironments(reader: StateReader, project: string): Generator<ChangeRequestConfig> {
  if (reader.count('protectedByProject', project) > 0) yield* reader.lookup('protectedByProject', project);
}

/** The project loses the environment: what was to be changed there never will be. Drafts go; what others have seen stays, as cancelled. */
export function* endRequestsOfEnvironment(context: CommandContext, project: string, environment: string): Steps<void> {
  const { draft, now, emit } = context;
  const key = placeKey(project, environment);
  if (draft.get('changeRequestConfigs', key)) draft.remove('changeRequestConfigs', key);
  for (const request of [...draft.lookup('openRequestsByProject', project)]) {
    yield;
    if (request.environment !== environment) continue;
    const isDraft = request.state === 'Draft';
    if (isDraft) draft.remove('changeRequests', String(request.id));
    else draft.put('changeRequests', { ...request, state: 'Cancelled', schedule: null, closedAt: now });
    const type = isDraft ? 'change-request-discarded' : 'change-request-cancelled';
    emit({ type, project, environment, data: auditedRequest(request) });
  }
}

/** A project goes with everything that was to be changed in it. */
export function* removeRequestsOfProject({ draft }: CommandContext, project: string): Steps<void> {
  for (const config of [...draft.lookup('configsByProject', project)]) {
    draft.remove('changeRequestConfigs', placeKey(config.project, config.environment));
  }
  for (const { id } of [...draft.lookup('requestsByProject', project)]) {
    draft.remove('changeRequests', String(id));
    yield;
  }
}

/** A change request as events tell of it. */
export function auditedRequest({ id, title, state }: Pick<ChangeRequest, 'id' | 'title' | 'state'>) {
  return { changeRequestId: id, title, state };
}
