import { PerKeyQuota } from '../base/queues/per-key-quota.ts';
import { invalid, Rejection, unavailable } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import { NOT_KNOWN_YET, UNAUTHENTICATED } from './authentication.ts';
import type { BeginWait, RequestWaits, WaitingHead } from './request-waits.ts';

/** A request with this header is answered from this revision or a newer one. A write returns its revision in `burgee-revision`. */
export const MIN_REVISION_HEADER = 'burgee-min-revision';

/** Provides the revisions of the state. */
export interface RevisionSource {
  /** The newest revision that can be read. */
  readonly current: number;
  /** Waits for the revision, with a time limit. Resolves with true if the revision can be read. */
  wait(revision: number): Promise<boolean>;
}

/** Maximum number of waiting requests with a valid credential: in total, and per token. */
const KNOWN_MAX = 950;
const KNOWN_EACH_MAX = 250;

/** Maximum number of waiting requests without a valid credential. The awaited revision may contain their token, or the route may need none. */
const UNKNOWN_MAX = 32;

const NOT_A_REVISION = invalid(`The header ${MIN_REVISION_HEADER} must be a revision, as burgee-revision returns it.`);
const TOO_MANY = unavailable('Too many requests wait for a revision. Try again.', 1);

/** Makes requests wait until their revision can be read. The caller is determined before the wait, so that no caller uses the quota of another. */
export class RevisionWaits implements RequestWaits {
  readonly #source: RevisionSource;
  readonly #known = new PerKeyQuota<string>(KNOWN_MAX, KNOWN_EACH_MAX);
  readonly #unknown = new PerKeyQuota<string>(UNKNOWN_MAX, UNKNOWN_MAX);

  constructor(source: RevisionSource) {
    this.#source = source;
  }

  /** Number of requests that wait now. */
  get count(): number {
    return this.#known.count + this.#unknown.count;
  }

  /**
   * Undefined: the request may be served now, because it has no header `burgee-min-revision` or the revision can be read. Otherwise the rejection, or
   * a function that begins the wait. `caller` is the result of the authentication now; after a wait, authenticate again.
   */
  await(caller: Caller | Rejection, head: Pick<WaitingHead, 'header'>): Rejection | BeginWait | undefined {
    const header = head.header(MIN_REVISION_HEADER);
    if (header === '') return undefined;
    if (caller instanceof Rejection && caller !== UNAUTHENTICATED && caller !== NOT_KNOWN_YET) return undefined;
    if (!/^\d{1,15}$/.test(header)) return NOT_A_REVISION;
    const revision = Number(header);
    if (revision <= this.#source.current) return undefined;
    return () =>
      this.wait(caller, revision)?.then((isReached) =>
        isReached ? undefined : notReached(revision, this.#source.current),
      ) ?? TOO_MANY;
  }

  /**
   * Waits until this revision can be read, as a request with the header does and within the same quotas. Resolves with false when the time is over.
   * Undefined: too many requests wait.
   */
  wait(caller: Caller | Rejection, revision: number): Promise<boolean> | undefined {
    const secret = caller instanceof Rejection ? undefined : caller.token?.secret;
    const isKnown = secret !== undefined || (!(caller instanceof Rejection) && caller.kind !== 'nobody');
    const quota = isKnown ? this.#known : this.#unknown;
    const holder = secret ?? '';
    if (!quota.take(holder)) return undefined;
    return this.#source.wait(revision).finally(() => quota.give(holder));
  }
}

/** The answer to a request that has waited long enough for a revision. */
function notReached(revision: number, current: number): Rejection {
  return unavailable(
    `Revision ${revision} has not reached this replica, whose newest revision is ${current}. Try again.`,
    1,
  );
}
