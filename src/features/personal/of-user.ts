import type { Rejection } from '../../base/rejection.ts';
import type { Answer } from '../../http/answer.ts';
import type { Caller } from '../../model/caller.ts';
import { ownUserId } from '../people/own-user.ts';

type Outcome = Answer | Rejection | Promise<Answer | Rejection>;

/** Answers with the personal data of the user who sent the request. A rejection if the request has an admin token, which belongs to no user. */
export function ofUser(caller: Caller, answer: (userId: number) => Outcome): Outcome {
  const userId = ownUserId(caller);
  return typeof userId === 'number' ? answer(userId) : userId;
}
