import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import { type ChangeRequest, locationKey, parentOf, type RequestedChange } from '../../model/change-request.ts';
import type { StateReader } from '../../state/collections.ts';
import { auditedChange, auditedRequest, auditedWhole } from './config.ts';

/** Ends a request whose changes cannot be made any more: it is deleted in the state Draft, and cancelled in any other state. */
function endRequest({ draft, now, emit }: CommandContext, request: ChangeRequest): void {
  const { id, state, project, environment } = request;
  const isDraft = state === 'Draft';
  if (isDraft) draft.remove('changeRequests', String(id));
  else draft.put('changeRequests', { ...request, state: 'Cancelled', schedule: null, closedAt: now });
  const type = isDraft ? 'change-request-discarded' : 'change-request-cancelled';
  emit({ type, project, environment, data: auditedWhole(request) });
}

/** Ends the requests for an environment that is removed from the project. */
export function* endRequestsOfEnvironment(
  context: CommandContext,
  { project, environment }: { readonly project: string; readonly environment: string },
): Steps<void> {
  const { draft } = context;
  const key = locationKey(project, environment);
  if (draft.get('changeRequestConfigs', key)) draft.remove('changeRequestConfigs', key);
  for (const request of [...draft.lookup('openRequestsByProject', project)]) {
    yield;
    if (request.environment === environment) endRequest(context, request);
  }
}

/**
 * Removes the changes of flags that are being deleted from their requests: the changes were requested and approved for these flags, not for later
 * flags with the same names. A request that has other changes must be approved again.
 */
export function* endChangesOfFeatures(context: CommandContext, names: ReadonlySet<string>): Steps<void> {
  const { draft, emit } = context;
  for (const request of yield* requestsAbout(draft, names)) {
    const changes = request.changes.filter((change) => !isAbout(change, names));
    if (changes.length === 0) endRequest(context, request);
    else {
      const { state, project, environment } = request;
      const nextState = state === 'Draft' ? 'Draft' : 'In review';
      draft.put('changeRequests', { ...request, changes, state: nextState, approvals: [], schedule: null });
      for (const change of request.changes) {
        if (!isAbout(change, names)) continue;
        const data = { ...auditedRequest(request), ...auditedChange(change) };
        emit({ type: 'change-discarded', project, environment, data });
      }
    }
    yield;
  }
}

function isAbout(change: RequestedChange, names: ReadonlySet<string>): boolean {
  return names.has(change.feature ?? '') || names.has(parentOf(change) ?? '');
}

/** Searches the requests of all projects, because a flag may have been moved to another project after the request. */
function* requestsAbout(reader: StateReader, names: ReadonlySet<string>): Steps<ChangeRequest[]> {
  const found = new Map<number, ChangeRequest>();
  for (const name of names) {
    for (const index of ['requestsByFeature', 'requestsByParent'] as const) {
      if (reader.count(index, name) === 0) continue;
      for (const request of reader.lookup(index, name)) found.set(request.id, request);
    }
    yield;
  }
  return [...found.values()];
}

/** Deletes all change requests and settings of a project that is deleted. */
export function* removeRequestsOfProject({ draft }: CommandContext, project: string): Steps<void> {
  for (const config of [...draft.lookup('configsByProject', project)]) {
    draft.remove('changeRequestConfigs', locationKey(config.project, config.environment));
  }
  for (const { id } of [...draft.lookup('requestsByProject', project)]) {
    draft.remove('changeRequests', String(id));
    yield;
  }
}
