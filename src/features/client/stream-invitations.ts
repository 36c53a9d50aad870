import type { Caller } from '../../model/caller.ts';

/** Longer ids are treated as missing, so that callers cannot make the map large. */
const ID_CHARS_MAX = 100;

/** Maximum number of remembered SDKs: twice the open streams that a process allows. The oldest are forgotten first. */
const REMEMBERED_MAX = 20_000;

/** An SDK that did not open a stream is asked again after this time: its address may have become reachable. */
const AGAIN_AFTER_MS = 60 * 60_000;

/**
 * SDKs that are asked in one second. Each of them opens a stream at once, which sends it the whole list without compression. After a restart, streams
 * are opened again at about the same rate.
 */
const INVITED_PER_SECOND = 1_000;

interface Invited {
  readonly atMs: number;
  /** Whether the SDK has polled again, and so got the list that it dropped. */
  hasList: boolean;
}

/**
 * The SDKs that were asked to open a stream by the header `fetch-mode` of their list. An SDK that is asked drops the list of that answer, but keeps
 * its ETag. If it cannot open the stream, it polls with this ETag and would get a 304 for a list that it does not have. So the next poll of an asked
 * SDK is answered with the list, without the header, and then it is left alone for a while. If its stream is opened, it may be asked again.
 */
export class StreamInvitations {
  readonly #nowMs: () => number;
  readonly #roomFor: (caller: Caller) => number;
  /** Id of the SDK → when it was asked. The oldest first. */
  readonly #invited = new Map<string, Invited>();
  #second = 0;
  #invitedInSecond = 0;

  /** `nowMs`: a time that never goes back. `roomFor`: the number of streams that can still be opened with the caller's token. */
  constructor(nowMs: () => number, roomFor: (caller: Caller) => number) {
    this.#nowMs = nowMs;
    this.#roomFor = roomFor;
  }

  /** How to answer a poll in a scope whose SDKs should have streams. `isUnchanged`: whether the SDK names the current list. */
  choose(id: string, caller: Caller, isUnchanged: boolean): 'unchanged' | 'whole' | 'ask' {
    const earlier = this.#invited.get(id);
    if (earlier && !earlier.hasList) {
      earlier.hasList = true;
      return 'whole';
    }
    if (isUnchanged) return 'unchanged';
    return this.#invites(id, caller, earlier) ? 'ask' : 'whole';
  }

  /** Call it when an SDK opens a stream. */
  noteStream(id: string): void {
    this.#invited.delete(id);
  }

  #invites(id: string, caller: Caller, earlier: Invited | undefined): boolean {
    const atMs = this.#nowMs();
    if (earlier && atMs - earlier.atMs < AGAIN_AFTER_MS) return false;
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

  #remember(id: string, atMs: number): void {
    if (id === '' || id.length > ID_CHARS_MAX) return;
    this.#invited.delete(id);
    this.#invited.set(id, { atMs, hasList: false });
    if (this.#invited.size <= REMEMBERED_MAX) return;
    for (const oldest of this.#invited.keys()) {
      this.#invited.delete(oldest);
      return;
    }
  }
}
