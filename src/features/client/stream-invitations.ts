import { type Caller, holderOf } from '../../model/caller.ts';
import { connectionIdIn, type HeaderSource } from '../propagation/propagation.ts';

/** Longer ids are treated as missing, so that callers cannot make the map large. */
const ID_CHARS_MAX = 100;

/** The header by which relays, and SDKs without an id of their connection, are remembered. */
const INSTANCE_HEADER = 'unleash-instanceid';

/** Maximum number of remembered SDKs: twice the open streams that a process allows. The oldest are forgotten first. */
const REMEMBERED_MAX = 20_000;

/** An SDK that did not open a stream is asked again after this time: its address may have become reachable. */
const AGAIN_AFTER_MS = 60 * 60_000;

/**
 * SDKs that are asked in one second. Each of them opens a stream at once, which sends it the whole list without compression. After a restart, streams
 * are opened again at about the same rate.
 */
const INVITED_PER_SECOND = 1_000;

/** The id by which the SDK or relay is remembered, with its token; "" if it has none that is usable. */
export function invitedIdOf(head: HeaderSource, caller: Caller): string {
  const id = connectionIdIn(head) || (head.header(INSTANCE_HEADER) ?? '');
  return id === '' || id.length > ID_CHARS_MAX ? '' : `${id} ${holderOf(caller)}`;
}

/**
 * The SDKs that were asked to open a stream by the header `fetch-mode` of their list. An SDK that is asked drops the list of that answer. If it cannot
 * open the stream, it polls again: it gets the list then, because the answer that asked had no ETag and this SDK is left alone for a while. If its
 * stream is opened, it may be asked again.
 */
export class StreamInvitations {
  readonly #nowMs: () => number;
  readonly #roomFor: (caller: Caller) => number;
  /** Id of the SDK → when it was asked. The oldest first. */
  readonly #invited = new Map<string, number>();
  #second = 0;
  #invitedInSecond = 0;

  /** `nowMs`: a time that never goes back. `roomFor`: the number of streams that can still be opened with the caller's token. */
  constructor(nowMs: () => number, roomFor: (caller: Caller) => number) {
    this.#nowMs = nowMs;
    this.#roomFor = roomFor;
  }

  /** Whether to ask the SDK with this `invitedIdOf` now. An SDK without an id cannot be remembered, and is never asked. */
  invites(id: string, caller: Caller): boolean {
    if (id === '') return false;
    const atMs = this.#nowMs();
    const earlierMs = this.#invited.get(id);
    if (earlierMs !== undefined && atMs - earlierMs < AGAIN_AFTER_MS) return false;
    const second = Math.floor(atMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#invitedInSecond = 0;
    }
    if (this.#invitedInSecond >= Math.min(INVITED_PER_SECOND, this.#roomFor(caller))) return false;
    this.#invitedInSecond++;
    this.#remember(id, atMs);
    return true;
  }

  /** Call it when an SDK opens a stream. */
  noteStream(id: string): void {
    this.#invited.delete(id);
  }

  #remember(id: string, atMs: number): void {
    this.#invited.delete(id);
    this.#invited.set(id, atMs);
    if (this.#invited.size <= REMEMBERED_MAX) return;
    for (const oldest of this.#invited.keys()) {
      this.#invited.delete(oldest);
      return;
    }
  }
}
