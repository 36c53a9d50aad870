import { invalid, Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';
import type { StateReader } from '../../state/collections.ts';

const GONE = new Rejection('AuthenticationRequired', 'This user was deleted.');

/**
 * A rejection if the user does not exist any more. Commands call it before they store data for a user, because a user can be deleted during their own
 * request.
 */
export function goneProblem(reader: StateReader, userId: number): Rejection | undefined {
  return reader.get('users', String(userId)) ? undefined : GONE;
}

/** The user who sent the request. An admin token belongs to no user. */
export function ownUserId({ user }: Caller): number | Rejection {
  return user === null
    ? invalid('The token you sent belongs to no user: sign in, or send a personal access token.')
    : Number(user);
}
