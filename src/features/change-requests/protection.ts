import { may } from '../../access/may.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import type { Guard, Transition } from '../../engine/guard.ts';
import type { Caller } from '../../model/caller.ts';
import type { Change } from '../../state/commit.ts';
import { environmentRuleProblem } from '../shared/environment-rule.ts';
import { protectedEnvironments } from './config.ts';

/** Refuses changes that must be reviewed by another user first. */
export const protectionGuard: Guard = {
  name: 'protection',
  demandsReview: true,
  *beforeCommit({ before, after, changes, caller, command }) {
    return command.isReviewed ? undefined : yield* protectionProblem({ before, after }, changes, caller);
  },
};

/**
 * Returns undefined if the caller may make these changes without a review, otherwise a rejection that names an environment whose changes must be
 * reviewed. The changes of every command are checked, so that no command (import, clone, batch, patch) bypasses a review
 * (docs/decisions/change-requests.md). `reviewedProject` is the project whose change request is being applied.
 */
export function* protectionProblem(
  transition: Transition,
  changes: readonly Change[],
  caller: Caller,
  reviewedProject: string | null = null,
): Steps<Rejection | undefined> {
  if (transition.before.count('protectedEnvironments', '') === 0 || caller.kind === 'system') return undefined;
  const { before } = transition;
  return yield* environmentRuleProblem(transition, changes, {
    environmentsOf: (project) => protectedEnvironments(before, project),
    problemOf: (project, environment) =>
      project === reviewedProject || may(before, caller, 'SKIP_CHANGE_REQUEST', project, environment)
        ? undefined
        : reviewNeeded(project, environment),
  });
}

function reviewNeeded(project: string, environment: string): Rejection {
  const message =
    `Changes in the environment ${environment} of the project ${project} have to be reviewed: request them with ` +
    `POST /api/admin/projects/${project}/environments/${environment}/change-requests, and send the change request to review. ` +
    'Callers with the permission SKIP_CHANGE_REQUEST in this environment need no review.';
  return new Rejection('NoAccessError', message, [{ message, review: { project, environment } }]);
}
