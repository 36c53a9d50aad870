import type { Rejection } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';

/** Begins a wait for a caller with this address. */
export type BeginWait = (address: string) => Rejection | Promise<Rejection | undefined>;

/** Decides whether a request must wait before it is served. */
export interface RequestWaits {
  /**
   * Undefined: the request need not wait. Otherwise a rejection, or a function that begins the wait: a request that is refused for another reason takes
   * no place of those who wait. `caller` is the result of the authentication now; after a wait, the request is authenticated again. Called for every
   * request: if the request need not wait, it costs one look-up, and it reads no header unnecessarily.
   */
  await(caller: Caller | Rejection, head: WaitingHead): Rejection | BeginWait | undefined;
}

/** Begins the wait if `waiting` is a function that does so; otherwise returns `waiting`. */
export function beginWait(
  waiting: Rejection | BeginWait | undefined,
  sender: { readonly remoteAddress: string },
): Rejection | Promise<Rejection | undefined> | undefined {
  return typeof waiting === 'function' ? waiting(sender.remoteAddress) : waiting;
}

/** The head of a request. Valid only during the call that gets it. */
export interface WaitingHead {
  readonly authorization: string;
  /** Value of the header, "" when absent. `name` in lower case. */
  header(name: string): string;
}
