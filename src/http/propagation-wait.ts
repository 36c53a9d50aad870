import type { Asker } from '../base/asking/asker.ts';
import { PerKeyQuota } from '../base/queues/per-key-quota.ts';
import { invalid, type Rejection, unavailable } from '../base/rejection.ts';
import { REVISION_HEADER } from './answer.ts';
import type { EncodedAnswer } from './sending/encoded-answer.ts';

/**
 * A write with this header is answered when this percentage of the connected SDKs has received it. Example: `95%`, or `95%; timeout=10` with a
 * timeout in seconds.
 */
export const WAIT_HEADER = 'burgee-wait';

/** The percentage of the SDKs that had received the write when the answer was sent: `96.4%`. */
export const PROPAGATED_HEADER = 'burgee-propagated';

const TIMEOUT_DEFAULT_MS = 20_000;
const TIMEOUT_MAX_MS = 60_000;

/** Time between the end of the wait and the request's deadline. It is reserved for the answer. */
const RESERVE_MS = 2_000;

/** Maximum number of waiting writes: in total, and per caller. Each wait checks all connections periodically. */
const WAITS_MAX = 32;
const WAITS_EACH_MAX = 8;

const NOT_A_SHARE = invalid(
  `The header ${WAIT_HEADER} must be a percentage, such as 95%, with an optional timeout in seconds, such as 95%; timeout=10.`,
);
const TOO_MANY = unavailable(
  'Too many writes already wait until SDKs have them. Nothing was changed. Try again, or send the write without the wait.',
  5,
);

/** Reports which part of the SDKs has received a revision. */
export interface PropagationSource {
  /**
   * Resolves when the part `share` (0 to 1) of the connected SDKs that can see the revision have received it, or after the timeout, with the
   * reached part. Earlier when `isEnded` returns true. @throws AskerEnded if the asker has ended
   */
  wait(revision: number, share: number, timeoutMs: number, asker: Asker, isEnded: () => boolean): Promise<number>;
}

interface PropagationWait {
  /** The requested part of the SDKs, 0 to 1. */
  readonly share: number;
  readonly timeoutMs: number;
}

/** The wait that a write requests; undefined for most writes. */
export function waitOf(header: string | undefined): PropagationWait | Rejection | undefined {
  if (header === undefined || header === '') return undefined;
  const found = /^(\d{1,3}(?:\.\d{1,3})?)%(?:\s*;\s*timeout=(\d{1,3}))?$/.exec(header.trim());
  const share = Number(found?.[1] ?? Number.NaN) / 100;
  if (!found || !(share <= 1)) return NOT_A_SHARE;
  const timeoutMs = found[2] === undefined ? TIMEOUT_DEFAULT_MS : Number(found[2]) * 1_000;
  return { share, timeoutMs: Math.min(TIMEOUT_MAX_MS, timeoutMs) };
}

/** Answers writes only when SDKs have received them. A write that is refused here is not executed. */
export class PropagationWaits {
  readonly #source: PropagationSource;
  readonly #handlerDeadlineMs: number;
  readonly #quota = new PerKeyQuota<string>(WAITS_MAX, WAITS_EACH_MAX);

  constructor(source: PropagationSource, handlerDeadlineMs: number) {
    this.#source = source;
    this.#handlerDeadlineMs = handlerDeadlineMs;
  }

  /**
   * Executes the write, waits, and adds the reached percentage to its answer. The answer is no error if too few SDKs have received the write, because
   * the write is already done. The wait ends before the deadline of the request.
   */
  async answer(
    { share, timeoutMs }: PropagationWait,
    asker: Asker,
    write: () => EncodedAnswer | Promise<EncodedAnswer>,
    isEnded: () => boolean,
  ): Promise<EncodedAnswer | Rejection> {
    const { holder } = asker;
    if (!this.#quota.take(holder)) return TOO_MANY;
    try {
      const beginMs = performance.now();
      const answer = await write();
      const revision = Number(answer.headers[REVISION_HEADER] ?? Number.NaN);
      if (Number.isNaN(revision)) return answer;
      const remainingMs = this.#handlerDeadlineMs - RESERVE_MS - (performance.now() - beginMs);
      const reached = await this.#source.wait(
        revision,
        share,
        Math.max(0, Math.min(timeoutMs, remainingMs)),
        asker,
        isEnded,
      );
      // Rounded down: 99.96 % must not be shown as 100 %.
      return { ...answer, headers: { ...answer.headers, [PROPAGATED_HEADER]: `${Math.floor(reached * 1_000) / 10}%` } };
    } finally {
      this.#quota.give(holder);
    }
  }
}
