import { PerKeyQuota } from '../base/queues/per-key-quota.ts';
import { invalid, Rejection, unavailable } from '../base/rejection.ts';
import type { Caller } from '../model/caller.ts';
import { NOT_KNOWN_YET, UNAUTHENTICATED } from './authentication.ts';
import type { RequestWaits, WaitingHead } from './request-waits.ts';

/** A request that carries it is answered from that revision or a newer one. A write returns its revision in `burgee-revision`. */
export const MIN_REVISION_HEADER = 'burgee-min-revision';

/** Where revisions come from; without one, no request carries any that could still be to come. */
export interface RevisionSource {
  /** The newest revision that can be read. */
  readonly current: number;
  /** Resolves with whether the revision can be read now; waits for it, bounded. */
  wait(revision: number): Promise<boolean>;
}

/** Requests with a valid credential that wait at a time: altogether, and those of one token. */
const KNOWN_MAX = 950;
const KNOWN_EACH_MAX = 250;

/** Requests that wait without one: theirs may come with the revision, or they ask for what is open to every caller. */
const UNKNOWN_MAX = 32;

const NOT_A_REVISION = invalid(`The header ${MIN_REVISION_HEADER} must be a revision, as burgee-revision returns it.`);
const TOO_MANY = unavailable('Too many requests wait for a revision.', 1);

/** Requests that wait until their revision is there. Who calls has been asked before, so that no caller waits at another's cost. */
export class RevisionWaits implements RequestWaits {
  readonly #source: RevisionSource;
  readonly #known = new PerKeyQuota<string>(KNOWN_MAX, KNOWN_EACH_MAX);
  readonly #unknown = new PerKeyQuota<string>(UNKNOWN_MAX, UNKNOWN_MAX);

  constructor(source: RevisionSource) {
    this.#source = source;
  }

  /** Requests that wait now. */
  get count(): number {
    return this.#known.count + this.#unknown.count;
  }

  /**
   * What to wait for before the request may be served: nothing, if it has no such header or the revision is there. Costs a look-up then.
   * `caller` is who calls as far as it is known now; after a wait that must be asked again.
   */
  await(
    caller: Caller | Rejection,
    head: Pick<WaitingHead, 'header'>,
  ): Rejection | Promise<Rejection | undefined> | undefined {
    const header = head.header(MIN_REVISION_HEADER);
    if (header === '') return undefined;
    if (caller instanceof Rejection && caller !== UNAUTHENTICATED && caller !== NOT_KNOWN_YET) return undefined;
    if (!/^\d{1,15}$/.test(header)) return NOT_A_REVISION;
    const revision = Number(header);
    if (revision <= this.#source.current) return undefined;
    const secret = caller instanceof Rejection ? undefined : caller.token?.secret;
    const isKnown = secret !== undefined || (!(caller instanceof Rejection) && caller.kind !== 'nobody');
    const shares = isKnown ? this.#known : this.#unknown;
    const holder = secret ?? '';
    if (!shares.take(holder)) return TOO_MANY;
    return this.#source
      .wait(revision)
      .finally(() => shares.give(holder))
      .then((isThere) => (isThere ? undefined : this.#notHere(revision)));
  }

  #notHere(revision: number): Rejection {
    const message = `Revision ${revision} has not reached this replica; it stands at ${this.#source.current}.`;
    return unavailable(message, 1);
  }
}
