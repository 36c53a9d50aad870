import Type from 'typebox';
import { may } from '../../access/may.ts';
import { invalid, Rejection } from '../../base/rejection.ts';
import { command } from '../../engine/command.ts';
import { userCaller } from '../../model/caller.ts';
import { NameReference } from '../../model/primitives.ts';
import type { User } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import { ChangeRequestId } from './commands.ts';
import { CHANGE_REQUEST_LIMITS } from './limits.ts';
import { findForEditor, stateProblem } from './lookup.ts';

export const Reviewers = Type.Array(Type.Integer({ minimum: 1 }), {
  maxItems: CHANGE_REQUEST_LIMITS.requestedReviewers.max,
  description: 'Ids of the users who are asked; they replace all users who were asked before',
});

/** Whether the user can be asked to review: the user must be a person who may approve changes in the environment. */
export function mayReview(reader: StateReader, user: User, project: string, environment: string): boolean {
  if (user.accountType !== 'User') return false;
  return may(reader, userCaller(user, null), 'APPROVE_CHANGE_REQUEST', project, environment);
}

/** Asks people to review a change request. The list does not restrict who may approve the request; it only shows who was asked. */
export const requestReviewers = command({
  name: 'request-reviewers',
  input: Type.Object({ project: NameReference, id: ChangeRequestId, reviewers: Reviewers }),
  decide(context, { project, id, reviewers }) {
    const { draft } = context;
    const request = findForEditor(context, project, id);
    if (request instanceof Rejection) return request;
    const problem = stateProblem(request, ['Draft', 'In review', 'Approved', 'Scheduled']);
    if (problem) return problem;
    for (const [index, reviewer] of reviewers.entries()) {
      const user = draft.get('users', String(reviewer));
      if (user && mayReview(draft, user, project, request.environment)) continue;
      const where = `the environment ${request.environment} of the project ${project}`;
      return invalid(`There is no user ${reviewer} who may approve changes in ${where}.`, `/reviewers/${index}`);
    }
    draft.put('changeRequests', { ...request, reviewers: [...new Set(reviewers)] });
    return undefined;
  },
});
