import type { Steps } from '../../base/yield-control.ts';
import type { CommandContext } from '../../engine/command.ts';
import type { StateReader } from '../../state/collections.ts';
import { type ChangeRequest, parentOf, placeKey, type RequestedChange } from './change-request.ts';
import { auditedChange, auditedRequest } from './config.ts';

/** Nothing of it can be made any more: a draft goes; what others have seen stays, as cancelled. */
function endRequest({ draft, now, emit }: CommandContext, request: ChangeRequest): void {
  const { id, state, project, environment } = request;
  const isDraft = state === 'Draft';
  if (isDraft) draft.remove('changeRequests', String(id));
  else draft.put('changeRequests', { ...request, state: 'Cancelled', schedule: null, closedAt: now });
  const type = isDraft ? 'change-request-discarded' : 'change-request-cancelled';
  emit({ type, project, environment, data: auditedRequest(request) });
}

/** The project loses the environment: what was to be changed there never will be. */
export function* endRequestsOfEnvironment(context: CommandContext, project: string, environment: string): Steps<void> {
  const { draft } = context;
  const key = placeKey(project, environment);
  if (draft.get('changeRequestConfigs', key)) draft.remove('changeRequestConfigs', key);
  for (const request of [...draft.lookup('openRequestsByProject', project)]) {
    yield;
    if (request.environment === environment) endRequest(context, request);
  }
}

/**
 * Flags are deleted for good. What was to be changed of them was asked, and approved, of these, not of others that get their names later: it leaves
 * the requests it is in, and what is left of those has to be approved anew.
 */
export function* endChangesOfFeatures(context: CommandContext, names: ReadonlySet<string>): Steps<void> {
  const { draft, emit } = context;
  for (const request of yield* requestsAbout(draft, names)) {
    const changes = request.changes.filter((change) => !isAbout(change, names));
    if (changes.length === 0) endRequest(context, request);
    else {
      const { state, project, environment } = request;
      const anew = state === 'Draft' ? 'Draft' : 'In review';
      draft.put('changeRequests', { ...request, changes, state: anew, approvals: [], schedule: null });
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

/** Of every project: a flag may have been moved since. */
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
