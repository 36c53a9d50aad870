import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';

/** The user who sent the request. An admin token belongs to no user. */
export function ownUserId({ user }: Caller): number | Rejection {
  return user === null
    ? invalid('The token you sent belongs to no user: sign in, or send a personal access token.')
    : Number(user);
}
