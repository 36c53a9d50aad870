import type { Rejection } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';

/** Begins a wait, for a caller at this address. */
export type Wait = (address: string) => Rejection | Promise<Rejection | undefined>;

/** What requests may have to wait for before they are served. */
export interface RequestWaits {
  /**
   * Undefined: nothing. Otherwise what keeps the request from being served, now or after a wait; where that depends on who else waits, a function that
   * begins the wait. `caller` is who calls as far as it is known now, and is
   * asked again after a wait. Asked for every request: it costs a look-up when there is nothing to wait for, and reads no header without need.
   */
  await(caller: Caller | Rejection, head: WaitingHead): Rejection | Promise<Rejection | undefined> | Wait | undefined;
}

/** Begins what there is to wait for, if that is left to do. */
export function begun<T extends Rejection | Promise<Rejection | undefined> | undefined>(
  waiting: T | Wait,
  sender: { readonly remoteAddress: string },
): T | Rejection | Promise<Rejection | undefined> {
  return typeof waiting === 'function' ? waiting(sender.remoteAddress) : waiting;
}

/** The head of a request. Valid only during the call that gets it. */
export interface WaitingHead {
  readonly authorization: string;
  /** Value of the header, "" when absent. `name` in lower case. */
  header(name: string): string;
}
