import type { Clock } from '../../base/clock.ts';
import { FairQueue } from '../../base/queues/fair-queue.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { VALIDATED_TOKENS_MAX } from './token-validation.ts';

/** Maximum number of unknown tokens that are cached. */
const UNKNOWN_MAX = 10_000;
/** Maximum number of tokens that wait for validation. */
const PENDING_MAX = 1_000;
/** Maximum number of concurrent validation requests for unknown tokens. */
const REQUESTS_MAX = 4;
/** Tokens that arrive within this time are validated in one request. */
const GATHER_MS = 5;

/**
 * Maximum number of requests that wait because their token is not known yet. This quota is separate, so that invalid tokens cannot block clients with
 * valid tokens.
 */
const STRANGERS_MAX = 1_000;

export const TOO_MANY = unavailable('Too many requests wait for the upstream service.', 2);

/** A token that waits for validation, or is being validated. */
interface PendingToken {
  readonly secret: string;
  /** Resolves with undefined when the token is known now, or certainly does not exist. */
  readonly answer: Promise<Rejection | undefined>;
  readonly resolve: (answer: Rejection | undefined) => void;
}

/** A waiting request with an unknown token, and how to end its wait. */
interface Stranger {
  reject(): void;
}

/** The decision about one token: the token is accepted, it does not exist, or the rejection for its callers. */
type Decision = 'accepted' | 'unknown' | Rejection;

/** Validates tokens: decides about each of them, or about all of them with one rejection. Never rejects. */
export type DecideTokens = (secrets: readonly string[]) => Promise<((secret: string) => Decision) | Rejection>;

interface UnknownTokensParts {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly decide: DecideTokens;
  /** The rejection for a token that is displaced by tokens of other callers before it was validated. */
  readonly displaced: Rejection;
  /** How long unknown tokens are cached: a client that repeatedly sends an unknown token must not load the service that knows the tokens. */
  readonly unknownMs: number;
}

/**
 * Asks another service about tokens that are not known here. The questions are bounded: each token is asked about once at a time, many tokens are
 * asked about in one request, few requests run at the same time, and tokens that do not exist are cached. A relay and a server that adopts tokens use
 * it.
 */
export class UnknownTokens {
  readonly #parts: UnknownTokensParts;
  /** Token → the time until which it counts as unknown, by the clock of `performance`. The oldest entry is first. */
  readonly #unknown = new Map<string, number>();
  readonly #pending = new Map<string, PendingToken>();
  /** Tokens that are not being validated yet, queued by the address that first sent them. */
  readonly #queue = new FairQueue<PendingToken>(PENDING_MAX);
  /** The waiting requests, queued by client address. */
  readonly #strangers = new FairQueue<Stranger>(STRANGERS_MAX);
  #runningRequests = 0;
  #isGathering = false;

  constructor(parts: UnknownTokensParts) {
    this.#parts = parts;
  }

  /** Whether the token was found not to exist a short time ago. */
  isUnknown(secret: string): boolean {
    const untilMs = this.#unknown.get(secret);
    if (untilMs === undefined) return false;
    if (untilMs > performance.now()) return true;
    this.#unknown.delete(secret);
    return false;
  }

  /**
   * Lets a request with an unknown token wait for its validation. `network` is the client address; addresses are served in turn, so one address does
   * not wait for all tokens of another address. Resolves with undefined when the token is known now, or certainly does not exist.
   */
  async await(secret: string, network: string): Promise<Rejection | undefined> {
    const stranger: Stranger = { reject: () => {} };
    const rejection = new Promise<Rejection>((resolve) => {
      stranger.reject = () => resolve(TOO_MANY);
    });
    const displaced = this.#strangers.add(network, stranger);
    if (displaced === stranger) return TOO_MANY;
    displaced?.reject();
    try {
      return await Promise.race([rejection, this.#learn(secret, network)]);
    } finally {
      this.#strangers.delete(network, stranger);
    }
  }

  /** Validates these tokens in one request, which does not wait in the queue. Tokens that are being validated are left out of the result. */
  async validateNow(secrets: readonly string[]): Promise<void> {
    const pendingTokens = secrets
      .filter((secret) => !this.#pending.has(secret))
      .map((secret) => this.#addPending(secret));
    await this.#decide(pendingTokens, secrets);
  }

  #learn(secret: string, network: string): Promise<Rejection | undefined> {
    const existing = this.#pending.get(secret);
    if (existing) return existing.answer;
    const pending = this.#addPending(secret);
    const displaced = this.#queue.add(network, pending);
    if (displaced) this.#settle(displaced, this.#parts.displaced);
    void this.#validateSoon();
    return pending.answer;
  }

  #noteUnknown(secret: string): void {
    this.#unknown.set(secret, performance.now() + this.#parts.unknownMs);
    if (this.#unknown.size <= UNKNOWN_MAX) return;
    for (const oldest of this.#unknown.keys()) {
      this.#unknown.delete(oldest);
      return;
    }
  }

  /** Adds a pending token: further requests with this token wait for the same answer. */
  #addPending(secret: string): PendingToken {
    let settle: PendingToken['resolve'] = () => {};
    const answer = new Promise<Rejection | undefined>((resolve) => {
      settle = resolve;
    });
    const pending = { secret, answer, resolve: settle };
    this.#pending.set(secret, pending);
    return pending;
  }

  #settle({ secret, resolve }: PendingToken, answer: Rejection | undefined): void {
    this.#pending.delete(secret);
    resolve(answer);
  }

  /** Validates the waiting tokens, with as many per request as allowed and a few concurrent requests. Never rejects. */
  async #validateSoon(): Promise<void> {
    if (this.#isGathering || this.#runningRequests >= REQUESTS_MAX) return;
    this.#isGathering = true;
    await this.#parts.clock.sleep(GATHER_MS);
    this.#isGathering = false;
    const part: PendingToken[] = [];
    while (part.length < VALIDATED_TOKENS_MAX) {
      const pending = this.#queue.take();
      if (!pending) break;
      part.push(pending);
    }
    if (part.length === 0) return;
    this.#runningRequests++;
    if (this.#queue.size > 0) void this.#validateSoon();
    await this.#decide(
      part,
      part.map(({ secret }) => secret),
    );
    this.#runningRequests--;
    if (this.#queue.size > 0) void this.#validateSoon();
  }

  async #decide(pendingTokens: readonly PendingToken[], secrets: readonly string[]): Promise<void> {
    const decisions = await this.#parts.decide(secrets);
    for (const pending of pendingTokens) {
      const decision = decisions instanceof Rejection ? decisions : decisions(pending.secret);
      if (decision === 'unknown') this.#noteUnknown(pending.secret);
      this.#settle(pending, decision instanceof Rejection ? decision : undefined);
    }
  }
}
