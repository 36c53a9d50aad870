import { Rejection } from '../../base/rejection.ts';
import type { StateReader } from '../../state/collections.ts';

const GONE = new Rejection('AuthenticationRequired', 'This user was deleted.');

/**
 * Checks that a user still exists before something is stored for them: a user can be deleted during their own request, and nothing may be stored for
 * them after that.
 */
export function goneProblem(reader: StateReader, userId: number): Rejection | undefined {
  return reader.get('users', String(userId)) ? undefined : GONE;
}
