import { Rejection } from '../../base/rejection.ts';
import type { StateReader } from '../../state/collections.ts';

const USER_DELETED = new Rejection('AuthenticationRequired', 'This user was deleted.');

/**
 * Returns a rejection if the user does not exist any more. Commands call this function before they store data for the user who sent the request,
 * because the user may have been deleted after the request arrived.
 */
export function deletedUserProblem(reader: StateReader, userId: number): Rejection | undefined {
  return reader.get('users', String(userId)) ? undefined : USER_DELETED;
}
