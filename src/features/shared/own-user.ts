import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';

/** Whose request it is. An admin token is nobody's. */
export function ownUserId({ user }: Caller): number | Rejection {
  return user === null
    ? invalid('The token you sent is no user’s: sign in, or send a personal access token.')
    : Number(user);
}
