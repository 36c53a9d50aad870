import { invalid, Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';
import type { StateReader } from '../../state/collections.ts';

const USER_DELETED = new Rejection('AuthenticationRequired', 'This user was deleted.');

/**
 * Returns a rejection if the user does not exist any more. Commands call this function before they store data for the user who sent the request,
 * because the user may have been deleted after the request arrived.
 */
export function deletedUserProblem(reader: StateReader, userId: number): Rejection | undefined {
  return reader.get('users', String(userId)) ? undefined : USER_DELETED;
}

/** The id of the user who sent the request. A rejection if the request has an admin token, because an admin token belongs to no user. */
export function ownUserId({ user }: Caller): number | Rejection {
  return user === null
    ? invalid('The token you sent belongs to no user: sign on, or send a personal access token.')
    : Number(user);
}
