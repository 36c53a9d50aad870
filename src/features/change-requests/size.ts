import { type Order, sortedInSteps } from '../../base/sorted.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Guard } from '../../engine/guard.ts';
import type { Limits } from '../../model/limits.ts';
import type { Draft } from '../../state/draft.ts';
import { type ChangeRequest, isOpen, requestBytes } from './change-request.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';

/** What there is too much of; below 0 where there is room. */
interface Excess {
  readonly count: number;
  readonly bytes: number;
}

/** Of the whole instance's bounds this part is cleared at once: looking for the oldest is then paid once for many new requests. */
const SPARE = 1 / 64;

const oldestFirst: Order<ChangeRequest> = (one, other) =>
  (one.closedAt ?? '') < (other.closedAt ?? '')
    ? -1
    : Number((one.closedAt ?? '') > (other.closedAt ?? '')) || one.id - other.id;

/** Drops old change requests where new ones need their quota. */
export const changeRequestQuotaGuard: Guard = {
  name: 'change request quota',
  followUp: (draft, _caller, limits) => makeRoom(draft, limits),
};

/**
 * Change requests that are over give way, the oldest first, where the command on the draft would leave more of them than are kept: in their project,
 * or in the instance. Asked for every command, before its changes are held against the limits, so that nobody is kept from asking by what
 * is past. What is open stays, whatever it takes: it is for the limits to refuse its growth.
 */
export function* makeRoom(draft: Draft, limits: Limits): Steps<void> {
  const projects = new Set<string>();
  let isConcerned = false;
  for (const [, request] of draft.changed('changeRequests')) {
    if (!request) continue;
    isConcerned = true;
    if (!isOpen(request)) projects.add(request.project);
    yield;
  }
  if (!isConcerned) return;
  for (const project of projects) {
    const count = draft.count('closedRequestsByProject', project) - CHANGE_REQUEST_LIMITS.closedChangeRequests.max;
    const bytes = draft.sum('closedRequestsByProject', project) - CHANGE_REQUEST_LIMITS.closedChangeRequestBytes.max;
    yield* drop(draft, 'closedRequestsByProject', project, { count, bytes });
  }
  const count = draft.size('changeRequests') - limits.changeRequests;
  const bytes = draft.sum('openRequests', '') + draft.sum('closedRequests', '') - limits.changeRequestsBytes;
  if (count <= 0 && bytes <= 0) return;
  yield* drop(draft, 'closedRequests', '', {
    count: count > 0 ? Math.ceil(count + limits.changeRequests * SPARE) : count,
    bytes: bytes > 0 ? Math.ceil(bytes + limits.changeRequestsBytes * SPARE) : bytes,
  });
}

function* drop(
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
