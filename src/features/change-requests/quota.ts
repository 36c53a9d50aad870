import { type Order, sortedInSteps } from '../../base/lists/sorted.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Guard } from '../../engine/guard.ts';
import { type ChangeRequest, isOpen, requestBytes } from '../../model/change-request.ts';
import type { Limits } from '../../model/limits.ts';
import type { Draft } from '../../state/draft.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';

/** The number of requests and bytes above the limits; negative if there is capacity left. */
interface Excess {
  readonly count: number;
  readonly bytes: number;
}

/** The fraction of the instance's limits that is freed in addition, so that the search for the oldest requests is not repeated for every request. */
const SPARE = 1 / 64;

const oldestFirst: Order<ChangeRequest> = (one, other) =>
  (one.closedAt ?? '') < (other.closedAt ?? '')
    ? -1
    : Number((one.closedAt ?? '') > (other.closedAt ?? '')) || one.id - other.id;

/** Deletes old closed change requests if new requests need their quota. */
export const changeRequestQuotaGuard: Guard = {
  name: 'change request quota',
  followUp: (draft, _caller, limits) => dropOldClosed(draft, limits),
};

/**
 * Deletes closed change requests, oldest first, if the project or the instance would have more requests after the command than its quota allows.
 * Every command calls this function before its changes are checked against the limits, so that closed requests never prevent new requests. Open
 * requests are never deleted, whatever their size: the limits refuse their growth.
 */
export function* dropOldClosed(draft: Draft, limits: Limits): Steps<void> {
  const projects = new Set<string>();
  let hasChangedRequest = false;
  for (const [, request] of draft.changed('changeRequests')) {
    if (!request) continue;
    hasChangedRequest = true;
    if (!isOpen(request)) projects.add(request.project);
    yield;
  }
  if (!hasChangedRequest) return;
  for (const project of projects) {
    const count = draft.count('closedRequestsByProject', project) - CHANGE_REQUEST_LIMITS.closedChangeRequests.max;
    const bytes = draft.sum('closedRequestsByProject', project) - CHANGE_REQUEST_LIMITS.closedChangeRequestBytes.max;
    yield* dropOldest(draft, 'closedRequestsByProject', project, { count, bytes });
  }
  const count = draft.size('changeRequests') - limits.changeRequests;
  const bytes = draft.sum('openRequests', '') + draft.sum('closedRequests', '') - limits.changeRequestsBytes;
  if (count <= 0 && bytes <= 0) return;
  yield* dropOldest(draft, 'closedRequests', '', {
    count: count > 0 ? Math.ceil(count + limits.changeRequests * SPARE) : count,
    bytes: bytes > 0 ? Math.ceil(bytes + limits.changeRequestsBytes * SPARE) : bytes,
  });
}

function* dropOldest(
  draft: Draft,
  index: 'closedRequests' | 'closedRequestsByProject',
  key: string,
  excess: Excess,
): Steps<void> {
  let { count, bytes } = excess;
  if (count <= 0 && bytes <= 0) return;
  for (const request of yield* sortedInSteps(draft.lookup(index, key), oldestFirst)) {
    if (count <= 0 && bytes <= 0) return;
    draft.remove('changeRequests', String(request.id));
    count -= 1;
    bytes -= requestBytes(request);
    yield;
  }
}
