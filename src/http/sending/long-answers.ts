import { PerKeyQuota } from '../../base/queues/per-key-quota.ts';
import { Rejection } from '../../base/rejection.ts';

/** Maximum number of evaluated answers that wait before their first piece is created: in total, and per caller. Each uses little memory. */
const WAITING_MAX = 20_000;
const WAITING_EACH_MAX = 2_000;

/**
 * Maximum number of evaluated answers that are sent in pieces, because they or their readers are slow: in total, and per caller. Each buffers one
 * write.
 */
const LONG_MAX = 1_024;
const LONG_EACH_MAX = 64;

const RETRY_AFTER_S = 1;

/** The answer to a caller whose quota of answers in progress is exhausted. */
export const TOO_MANY_ANSWERS = new Rejection(
  'TooManyRequestsError',
  'Too many evaluations with this token are in progress. Try again.',
  [],
  RETRY_AFTER_S,
);

const waitingAnswers = new PerKeyQuota<string>(WAITING_MAX, WAITING_EACH_MAX);
const longAnswers = new PerKeyQuota<string>(LONG_MAX, LONG_EACH_MAX);

/** The part of the caller's quota that one evaluated answer uses. */
export class AnswerShare {
  readonly #holder: string;
  #usedQuota: PerKeyQuota<string> | undefined;

  constructor(holder: string) {
    this.#holder = holder;
  }

  /** False when the caller's quota of waiting answers is exhausted. */
  wait(): boolean {
    return this.#take(waitingAnswers);
  }

  /** Marks the answer as long. False when the caller's quota of long answers is exhausted. */
  begin(): boolean {
    return this.#usedQuota === longAnswers || this.#take(longAnswers);
  }

  end(): void {
    this.#usedQuota?.give(this.#holder);
    this.#usedQuota = undefined;
  }

  #take(quota: PerKeyQuota<string>): boolean {
    this.end();
    if (!quota.take(this.#holder)) return false;
    this.#usedQuota = quota;
    return true;
  }
}
