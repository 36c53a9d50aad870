import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { isSameJson } from '../../base/same-json.ts';
import { command } from '../../engine/command.ts';
import {
  type ChangeRequest,
  type ChangeRequestConfig,
  locationKey,
  REQUIRED_APPROVALS_MAX,
  type RequestedChange,
} from '../../model/change-request.ts';
import { NameReference } from '../../model/primitives.ts';
import type { StateReader } from '../../state/collections.ts';
import { changeRequestConfig } from '../shared/change-request-config.ts';
import { findProjectEnvironment } from '../shared/lookup.ts';
import { type UndoRule, undoOfEdits } from '../shared/undoing.ts';

const RequiredApprovals = Type.Integer({
  minimum: 1,
  maximum: REQUIRED_APPROVALS_MAX,
  description: 'Number of required approvals of a change request',
});

/**
 * Sets whether changes in one environment of a project must be reviewed, and the number of required approvals. Existing requests stay as they are:
 * the new number is checked when a request is applied.
 */
export const configureChangeRequests = command({
  name: 'configure-change-requests',
  input: Type.Object({
    project: NameReference,
    environment: NameReference,
    enabled: Type.Boolean(),
    /** Default: the number that is configured already, or one. */
    requiredApprovals: Type.Optional(RequiredApprovals),
    /** Default: as before; at first, no. */
    safeguardsSkipReview: Type.Optional(Type.Boolean()),
  }),
  decide({ draft, emit }, { project, environment, enabled, requiredApprovals, safeguardsSkipReview }) {
    const found = findProjectEnvironment(draft, project, environment);
    if (found instanceof Rejection) return found;
    const before = draft.get('changeRequestConfigs', locationKey(project, environment));
    const after = {
      project,
      environment,
      enabled,
      requiredApprovals: requiredApprovals ?? before?.requiredApprovals ?? 1,
      ...((safeguardsSkipReview ?? before?.safeguardsSkipReview) && { safeguardsSkipReview: true as const }),
    };
    if (before && isSameJson(before, after)) return undefined;
    draft.put('changeRequestConfigs', after);
    const preData = before && auditedConfig(before);
    emit({ type: 'change-request-configuration-updated', project, environment, data: auditedConfig(after), preData });
    return undefined;
  },
});

const NEEDED = ['UPDATE_PROJECT', 'PROJECT_CHANGE_REQUEST_WRITE'] as const;

/** Without settings, changes in the environment need no review. */
export const undoChangeRequestConfig: UndoRule<ChangeRequestConfig> = undoOfEdits({
  collection: 'changeRequestConfigs',
  place: ({ project, environment }) => ({ project, environment }),
  needs: { create: NEEDED, update: NEEDED, remove: NEEDED },
  events: {
    created: 'change-request-configuration-updated',
    updated: 'change-request-configuration-updated',
  },
  audited: auditedConfig,
  problem({ draft }, { project, environment }) {
    const found = findProjectEnvironment(draft, project, environment);
    return found instanceof Rejection ? found : undefined;
  },
  remove({ draft, emit }, before) {
    const { project, environment } = before;
    draft.remove('changeRequestConfigs', locationKey(project, environment));
    const [data, preData] = [auditedConfig({ ...before, enabled: false }), auditedConfig(before)];
    emit({ type: 'change-request-configuration-updated', project, environment, data, preData });
    return undefined;
  },
});

function auditedConfig({ environment, enabled, requiredApprovals, ...settings }: ChangeRequestConfig) {
  const safeguardsSkipReview = settings.safeguardsSkipReview === true;
  return { environment, changeRequestsEnabled: enabled, requiredApprovals, safeguardsSkipReview };
}

/** Whether a safeguard of a flag may switch it off by itself. Otherwise it opens a change request. */
export function maySafeguardsSwitchOff(reader: StateReader, project: string, environment: string): boolean {
  const { enabled, safeguardsSkipReview } = changeRequestConfig(reader, project, environment);
  return !enabled || safeguardsSkipReview;
}

/** The environments of the project whose changes must be reviewed. */
export function* protectedEnvironments(reader: StateReader, project: string): Generator<ChangeRequestConfig> {
  if (reader.count('protectedByProject', project) > 0) yield* reader.lookup('protectedByProject', project);
}

/** A change request as events show it. */
export function auditedRequest({ id, title, state }: Pick<ChangeRequest, 'id' | 'title' | 'state'>) {
  return { changeRequestId: id, title, state };
}

/** Changes that an event of a whole request names: so many fit a sentence, and the event stays small. */
const NAMED_CHANGES_MAX = 3;

/** A change request as its events show it, with what it changes. */
export function auditedWhole(request: ChangeRequest) {
  const changes = request.changes.slice(0, NAMED_CHANGES_MAX).map(auditedSubject);
  return { ...auditedRequest(request), changes, changeCount: request.changes.length };
}

/** A change as events show it: the flag or segment that it changes, but not the new values. */
export function auditedChange(change: RequestedChange) {
  return { changeId: change.id, ...auditedSubject(change) };
}

/** Whether a flag is switched on or off is the only value that is shown. */
function auditedSubject({ action, feature, segment, input }: RequestedChange) {
  const { enabled } = action === 'updateEnabled' ? (input as { readonly enabled?: unknown }) : {};
  return {
    action,
    ...(feature !== null && { feature }),
    ...(segment && { segment: segment.id, segmentName: segment.name }),
    ...(typeof enabled === 'boolean' && { enabled }),
  };
}
