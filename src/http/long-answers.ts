import { PerKeyQuota } from '../base/per-key-quota.ts';
import { Rejection } from '../base/rejection.ts';

/** Evaluated answers that wait before anything was made of them: altogether, and of one caller. Each holds little. */
const WAITING_MAX = 20_000;
const WAITING_EACH_MAX = 2_000;

/** Evaluated answers that are sent bit by bit because they are long or their readers slow: altogether, and of one caller. Each holds what the next write is made of. */
const LONG_MAX = 1_024;
const LONG_EACH_MAX = 64;

const RETRY_AFTER_S = 1;

/** To a caller who has as many answers under way as there may be. */
export const TOO_MANY_ANSWERS = new Rejection(
  'TooManyRequestsError',
  'Too many evaluations with this token are under way.',
  [],
  RETRY_AFTER_S,
);

const waiting = new PerKeyQuota<string>(WAITING_MAX, WAITING_EACH_MAX);
const long = new PerKeyQuota<string>(LONG_MAX, LONG_EACH_MAX);

/** What one evaluated answer takes of its caller's share. */
export class AnswerShare {
  readonly #holder: string;
  #taken: PerKeyQuota<string> | undefined;

  constructor(holder: string) {
    this.#holder = holder;
  }

  /** False when the caller has as many that wait as there may be. */
  wait(): boolean {
    return this.#take(waiting);
  }

  /** The answer is a long one. False when the caller has as many of those as there may be. */
  begin(): boolean {
    return this.#taken === long || this.#take(long);
  }

  end(): void {
    this.#taken?.give(this.#holder);
    this.#taken = undefined;
  }

  #take(quota: PerKeyQuota<string>): boolean {
    this.end();
    if (!quota.take(this.#holder)) return false;
    this.#taken = quota;
    return true;
  }
}
