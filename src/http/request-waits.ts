import type { Rejection } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';

/** What requests may have to wait for before they are served. */
export interface RequestWaits {
  /**
   * Undefined: nothing. Otherwise what keeps the request from being served, now or after a wait. `caller` is who calls as far as it is known now, and is
   * asked again after a wait; `authorization` what they sent. Asked for every request: it costs a look-up when there is nothing to wait for.
   */
  await(
    minRevision: string | undefined,
    caller: Caller | Rejection,
    authorization: string,
  ): Rejection | Promise<Rejection | undefined> | undefined;
}
