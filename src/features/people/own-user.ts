import { Rejection } from '../../base/rejection.ts';
import type { StateReader } from '../../state/collections.ts';

const GONE = new Rejection('AuthenticationRequired', 'This user was deleted.');

/**
 * A rejection if the user does not exist any more. Commands call it before they store data for a user, because a user can be deleted during their own
 * request.
 */
export function goneProblem(reader: StateReader, userId: number): Rejection | undefined {
  return reader.get('users', String(userId)) ? undefined : GONE;
}
