import { Rejection } from '../../base/rejection.ts';
import type { StateReader } from '../../state/collections.ts';

const GONE = new Rejection('AuthenticationRequired', 'There is no such user any more.');

/** For what is kept of a user: they may be deleted while their request is under way, and nothing of theirs may come after that. */
export function goneProblem(reader: StateReader, userId: number): Rejection | undefined {
  return reader.get('users', String(userId)) ? undefined : GONE;
}
