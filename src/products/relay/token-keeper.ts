import type { Clock } from '../../base/clock.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import type { Logger } from '../../base/logger.ts';
import { FairQueue } from '../../base/queues/fair-queue.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import type { State } from '../../state/state.ts';
import type { AcceptedTokens, TokenDecisions } from './accepted-tokens.ts';
import { beginningOf, isTokenText, VALIDATED_TOKENS_MAX } from './token-validation.ts';
import { toUpstreamError } from './upstream-error.ts';

/** How long unknown tokens are cached: a client that repeatedly sends an unknown token must not load upstream. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 10_000;
/** Maximum number of tokens that wait for validation. */
const PENDING_MAX = 1_000;
/** Maximum number of concurrent validation requests for unknown tokens. */
const REQUESTS_MAX = 4;
/** Tokens that arrive within this time are validated in one request. */
const GATHER_MS = 5;
/**
 * Delay before the tokens of the start are validated again after a failure. If upstream answers that it does not know them, the delay is
 * `UNKNOWN_MS`.
 */
const RETRY_MS = 2_000;
/**
 * Delay before a second validation of a token that upstream no longer knows. The second validation is needed because SDKs stop permanently when their
 * token is refused.
 */
const DOUBT_MS = 2_000;

const NOT_VALIDATED = unavailable('The upstream service cannot validate your token now; it may be a new one.', 2);

const TOO_WIDE = new Rejection(
  'NoAccessError',
  'This relay is strict, and your token has a wider scope than the tokens that it was started with.',
);

/** A token that waits for validation, or is being validated. */
interface PendingToken {
  readonly secret: string;
  /** Resolves with undefined when the token is known now, or certainly does not exist. */
  readonly answer: Promise<Rejection | undefined>;
  readonly resolve: (answer: Rejection | undefined) => void;
}

interface TokenParts {
  readonly acceptedTokens: AcceptedTokens;
  readonly state: State;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly revalidateMs: number;
}

/** Validates tokens with upstream: when they are first seen, and then periodically. */
export class TokenKeeper {
  readonly #parts: TokenParts;
  /** Token → the time until which it counts as unknown, by the clock of `performance`. The oldest entry is first. */
  readonly #unknown = new Map<string, number>();
  readonly #pending = new Map<string, PendingToken>();
  /** Tokens that are not being validated yet, queued by the address that first sent them. */
  readonly #queue = new FairQueue<PendingToken>(PENDING_MAX);
  #runningRequests = 0;
  #isGathering = false;
  readonly #stop = new AbortController();
  #done: Promise<unknown> = Promise.resolve();
  /** The number of unknown tokens of the start that was last logged. */
  #loggedUnknownCount = 0;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** Resolves when the tokens that need no validation are stored. */
  async begin(): Promise<void> {
    const rejection = await this.#parts.acceptedTokens.begin();
    this.#done = Promise.all([
      rejection && this.#trustLater(),
      this.#learnStartTokens(),
      this.#revalidatePeriodically(),
    ]);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Whether upstream may know a token that is unknown here. */
  mayBeKnownUpstream(secret: string): boolean {
    return isTokenText(secret) && !this.#isUnknown(secret);
  }

  /**
   * Validates an unknown token with upstream. `network` is the client address; addresses are served in turn, so one address does not wait for all
   * tokens of another address. Resolves with undefined when the token is known now, or certainly does not exist.
   */
  learn(secret: string, network: string): Promise<Rejection | undefined> {
    const existing = this.#pending.get(secret);
    if (existing) return existing.answer;
    const pending = this.#addPending(secret);
    const displaced = this.#queue.add(network, pending);
    if (displaced) this.#settle(displaced, NOT_VALIDATED);
    void this.#validateSoon();
    return pending.answer;
  }

  /** Validates a token that upstream refused. */
  suspect(secret: string): void {
    if (this.#parts.acceptedTokens.isTrusted(secret) || this.#stop.signal.aborted) return;
    void this.#revalidate([secret]).catch(() => {});
  }

  #isUnknown(secret: string): boolean {
    const untilMs = this.#unknown.get(secret);
    if (untilMs === undefined) return false;
    if (untilMs > performance.now()) return true;
    this.#unknown.delete(secret);
    return false;
  }

  #noteUnknown(secret: string): void {
    this.#unknown.set(secret, performance.now() + UNKNOWN_MS);
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
    const decisions = await this.#validate(part.map(({ secret }) => secret));
    this.#runningRequests--;
    for (const pending of part) this.#settle(pending, this.#outcome(pending.secret, decisions));
    if (this.#queue.size > 0) void this.#validateSoon();
  }

  #outcome(secret: string, decisions: TokenDecisions | Rejection): Rejection | undefined {
    if (decisions instanceof Rejection) return decisions;
    if (decisions.tooWide.has(secret)) return TOO_WIDE;
    if (decisions.undecided.has(secret)) return NOT_VALIDATED;
    if (!decisions.accepted.has(secret)) this.#noteUnknown(secret);
    return undefined;
  }

  async #validate(secrets: readonly string[]): Promise<TokenDecisions | Rejection> {
    const { acceptedTokens, logger } = this.#parts;
    try {
      return await acceptedTokens.validate(secrets);
    } catch (error) {
      logger.warn({ problem: toUpstreamError(error).message }, 'upstream cannot validate tokens');
      return NOT_VALIDATED;
    }
  }

  /** Stores pretrusted tokens later, when the store is available. */
  async #trustLater(): Promise<void> {
    const { clock, acceptedTokens } = this.#parts;
    for (let isRejected = true; isRejected && !this.#stop.signal.aborted; ) {
      await clock.sleep(RETRY_MS, this.#stop.signal);
      isRejected = (await acceptedTokens.trust()) !== undefined;
    }
  }

  /** Validates tokens of the start until upstream knows them: they may be created there later, and a relay gets no traffic until it is ready. */
  async #learnStartTokens(): Promise<void> {
    const { acceptedTokens, clock } = this.#parts;
    while (!this.#stop.signal.aborted) {
      for (const part of partsOf(acceptedTokens.unknownStartTokens())) await this.#validateStartTokens(part);
      if (acceptedTokens.isSettled) this.#logUnknownStartTokens();
      await clock.sleep(acceptedTokens.isSettled ? UNKNOWN_MS : RETRY_MS, this.#stop.signal);
    }
  }

  async #validateStartTokens(secrets: readonly string[]): Promise<void> {
    const pendingTokens = secrets
      .filter((secret) => !this.#pending.has(secret))
      .map((secret) => this.#addPending(secret));
    const decisions = await this.#validate(secrets);
    for (const pending of pendingTokens) this.#settle(pending, this.#outcome(pending.secret, decisions));
  }

  /** Logs the number of missing tokens, but only when it changes. */
  #logUnknownStartTokens(): void {
    const beginnings = this.#parts.acceptedTokens.unknownStartTokens().map(beginningOf);
    const count = beginnings.length;
    if (count > 0 && count !== this.#loggedUnknownCount)
      this.#parts.logger.error({ count, beginnings }, 'upstream does not know some of the tokens of the start');
    this.#loggedUnknownCount = count;
  }

  async #revalidatePeriodically(): Promise<void> {
    const { clock, revalidateMs, state, acceptedTokens, logger } = this.#parts;
    // The first validation runs without a delay: the data of an earlier process may be old.
    for (let delayMs = 0; ; delayMs = revalidateMs) {
      await clock.sleep(delayMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      const secrets = [...state.values('apiTokens')].map(({ secret }) => secret);
      try {
        await this.#revalidate(secrets.filter((secret) => !acceptedTokens.isTrusted(secret)));
      } catch (error) {
        logger.warn({ problem: toUpstreamError(error).message }, 'known tokens could not be validated');
      }
    }
  }

  /** Updates known tokens with upstream's current answer. @throws UpstreamError */
  async #revalidate(secrets: readonly string[]): Promise<void> {
    const doubtful: string[] = [];
    for (const part of partsOf(secrets)) pushAll(doubtful, await this.#refresh(part));
    if (doubtful.length === 0) return;
    await this.#parts.clock.sleep(DOUBT_MS, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const deletedSecrets: string[] = [];
    for (const part of partsOf(doubtful)) pushAll(deletedSecrets, await this.#refresh(part));
    if (deletedSecrets.length === 0) return;
    await this.#parts.acceptedTokens.forget(deletedSecrets);
    this.#parts.logger.warn(
      { count: deletedSecrets.length },
      'tokens were deleted upstream: their callers are refused from now on',
    );
  }

  /** Returns the tokens that upstream does not know. @throws UpstreamError */
  async #refresh(secrets: readonly string[]): Promise<readonly string[]> {
    const decisions = await this.#parts.acceptedTokens.validate(secrets);
    if (decisions instanceof Rejection) return [];
    const { accepted, tooWide, undecided } = decisions;
    return secrets.filter((secret) => !accepted.has(secret) && !tooWide.has(secret) && !undecided.has(secret));
  }
}

function* partsOf(secrets: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < secrets.length; start += VALIDATED_TOKENS_MAX)
    yield secrets.slice(start, start + VALIDATED_TOKENS_MAX);
}
