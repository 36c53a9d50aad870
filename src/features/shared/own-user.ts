import { invalid, type Rejection } from '../../base/rejection.ts';
import type { Caller } from '../../model/caller.ts';

/** The id of the user who sent the request. A rejection if the request has an admin token, because an admin token belongs to no user. */
export function ownUserId({ user }: Caller): number | Rejection {
  return user === null
    ? invalid('The token you sent belongs to no user: sign on, or send a personal access token.')
    : Number(user);
}
