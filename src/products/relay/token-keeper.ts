import type { Clock } from '../../base/clock.ts';
import { pushAll } from '../../base/lists/push-all.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import type { State } from '../../state/state.ts';
import type { AcceptedTokens, TokenDecisions } from './accepted-tokens.ts';
import { beginningOf, isTokenText, VALIDATED_TOKENS_MAX } from './token-validation.ts';
import { type DecideTokens, UnknownTokens } from './unknown-tokens.ts';
import { toUpstreamError } from './upstream-error.ts';

/** How long unknown tokens are cached. */
const UNKNOWN_MS = 10_000;
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
  readonly #unknown: UnknownTokens;
  readonly #stop = new AbortController();
  #done: Promise<unknown> = Promise.resolve();
  /** The number of unknown tokens of the start that was last logged. */
  #loggedUnknownCount = 0;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.#unknown = new UnknownTokens({
      clock: parts.clock,
      displaced: NOT_VALIDATED,
      unknownMs: UNKNOWN_MS,
      decide: (secrets) => this.#decide(secrets),
    });
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
    return isTokenText(secret) && !this.#unknown.isUnknown(secret);
  }

  /**
   * Lets a request with an unknown token wait until upstream has validated the token. `network` is the client address. Resolves with undefined when
   * the token is known now, or certainly does not exist.
   */
  learn(secret: string, network: string): Promise<Rejection | undefined> {
    return this.#unknown.await(secret, network);
  }

  /** Same as `learn`, for a relay in front of this one: a token that this relay refuses counts as one that does not exist. */
  async learnForRelay(secret: string, network: string): Promise<Rejection | undefined> {
    const problem = await this.learn(secret, network);
    return problem === TOO_WIDE ? undefined : problem;
  }

  /** Validates a token that upstream refused. */
  suspect(secret: string): void {
    if (this.#parts.acceptedTokens.isTrusted(secret) || this.#stop.signal.aborted) return;
    void this.#revalidate([secret]).catch(() => {});
  }

  async #decide(secrets: readonly string[]): ReturnType<DecideTokens> {
    const decisions = await this.#validate(secrets);
    return decisions instanceof Rejection ? decisions : (secret) => outcomeOf(secret, decisions);
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
      for (const part of partsOf(acceptedTokens.unknownStartTokens())) await this.#unknown.validateNow(part);
      if (acceptedTokens.isSettled) this.#logUnknownStartTokens();
      await clock.sleep(acceptedTokens.isSettled ? UNKNOWN_MS : RETRY_MS, this.#stop.signal);
    }
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

function outcomeOf(secret: string, { tooWide, undecided, accepted }: TokenDecisions) {
  if (tooWide.has(secret)) return TOO_WIDE;
  if (undecided.has(secret)) return NOT_VALIDATED;
  return accepted.has(secret) ? ('accepted' as const) : ('unknown' as const);
}

function* partsOf(secrets: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < secrets.length; start += VALIDATED_TOKENS_MAX)
    yield secrets.slice(start, start + VALIDATED_TOKENS_MAX);
}
