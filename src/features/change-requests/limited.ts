import type { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Transition } from '../../engine/guard.ts';
import { type ChangeRequest, isOpen, requestBytes } from '../../model/change-request.ts';
import type { Limits } from '../../model/limits.ts';
import type { StateReader } from '../../state/collections.ts';
import { type ChangedEntity, type LimitedCollections, limitRejection, measuredBy } from '../shared/limit-checks.ts';

const ofOne = measuredBy<ChangeRequest>(
  ({ id }) => `The change request ${id}`,
  ({ changes, comments }) => ({
    changeRequestChanges: changes.length,
    changeRequestBytes: changes.reduce((sum, { bytes }) => sum + bytes, 0),
    changeRequestComments: comments.length,
  }),
);

export const limited: LimitedCollections = { changeRequests: { problem: changeRequestProblem } };

function* changeRequestProblem(
  changed: ChangedEntity<ChangeRequest>,
  transition: Transition,
  limits: Limits,
): Steps<Rejection | undefined> {
  const problem = yield* ofOne.problem(changed, transition, limits);
  if (problem) return problem;
  const { entity: request, previous } = changed;
  if ((!previous || !isOpen(previous)) && isOpen(request)) {
    const count = transition.after.count('openRequestsByProject', request.project);
    if (count > limits.openChangeRequests) return limitRejection('', 'openChangeRequests', count, limits);
  }
  // If the request does not grow, the sums do not grow either. This check saves time, because one command may suspend many change requests.
  if (previous && requestBytes(request) <= requestBytes(previous)) return undefined;
  return changeRequestBytesProblem(transition, request, limits);
}

/** Checks the sums of the sizes of change requests. `dropOldClosed` has already removed closed change requests to free capacity. */
function changeRequestBytesProblem({ before, after }: Transition, { project }: ChangeRequest, limits: Limits) {
  const bytesOf = (reader: StateReader) => reader.sum('openRequests', '') + reader.sum('closedRequests', '');
  const open = after.sum('openRequestsByProject', project);
  if (open > limits.openChangeRequestBytes && open > before.sum('openRequestsByProject', project)) {
    return limitRejection(`The project ${project}`, 'openChangeRequestBytes', open, limits);
  }
  const all = bytesOf(after);
  if (all <= limits.changeRequestsBytes || all <= bytesOf(before)) return undefined;
  return limitRejection('', 'changeRequestsBytes', all, limits);
}
