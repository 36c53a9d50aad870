import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { FairQueue } from '../../base/queues/fair-queue.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import type { State } from '../../state/state.ts';
import { ASKED_MAX, beginningOf, isTokenText } from './token-question.ts';
import type { Taken, TokenTaker } from './token-taker.ts';
import { upstreamError } from './upstream-error.ts';

/** How long unknown tokens are cached: a client that repeatedly sends an unknown token must not load upstream. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 10_000;
/** Maximum number of tokens that wait for validation. */
const ASKING_MAX = 1_000;
/** Maximum number of concurrent validation requests for unknown tokens. */
const QUESTIONS_MAX = 4;
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

const NOT_ASKED = unavailable('The upstream service cannot validate your token now; it may be a new one.', 2);

const TOO_WIDE = new Rejection(
  'NoAccessError',
  'This relay is strict, and your token has a wider scope than the tokens that it was started with.',
);

/** A token that waits for validation, or is being validated. */
interface Asking {
  readonly secret: string;
  /** Resolves with undefined when the token is known now, or certainly does not exist. */
  readonly sent: Promise<Rejection | undefined>;
  readonly report: (sent: Rejection | undefined) => void;
}

interface TokenParts {
  readonly taker: TokenTaker;
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
  readonly #asking = new Map<string, Asking>();
  /** Tokens that are not being validated yet, queued by the address that first sent them. */
  readonly #toAsk = new FairQueue<Asking>(ASKING_MAX);
  #questions = 0;
  #isGathering = false;
  readonly #stop = new AbortController();
  #done: Promise<unknown> = Promise.resolve();
  /** The number of unknown tokens of the start that was last logged. */
  #loggedMissing = 0;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** Resolves when the tokens that need no validation are stored. */
  async begin(): Promise<void> {
    const refused = await this.#parts.taker.begin();
    this.#done = Promise.all([refused && this.#trustLater(), this.#learnNamed(), this.#revalidateNowAndThen()]);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Whether upstream may know a token that is unknown here. */
  isWorthAsking(secret: string): boolean {
    return isTokenText(secret) && !this.#isUnknown(secret);
  }

  /**
   * Validates an unknown token with upstream. `network` is the client address; addresses are served in turn, so one address does not wait for all
   * tokens of another. Resolves with undefined when the token is known now, or certainly does not exist.
   */
  learn(secret: string, network: string): Promise<Rejection | undefined> {
    const known = this.#asking.get(secret);
    if (known) return known.sent;
    const asking = this.#expect(secret);
    const out = this.#toAsk.add(network, asking);
    if (out) this.#settle(out, NOT_ASKED);
    void this.#askSoon();
    return asking.sent;
  }

  /** Upstream refused this token: validates it now. */
  suspect(secret: string): void {
    if (this.#parts.taker.isTrusted(secret) || this.#stop.signal.aborted) return;
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

  /** From now on, requests with this token wait for the same answer. */
  #expect(secret: string): Asking {
    let report: Asking['report'] = () => {};
    const sent = new Promise<Rejection | undefined>((resolve) => {
      report = resolve;
    });
    const asking = { secret, sent, report };
    this.#asking.set(secret, asking);
    return asking;
  }

  #settle({ secret, report }: Asking, sent: Rejection | undefined): void {
    this.#asking.delete(secret);
    report(sent);
  }

  /** Validates the waiting tokens, with as many per request as allowed and a few concurrent requests. Never rejects. */
  async #askSoon(): Promise<void> {
    if (this.#isGathering || this.#questions >= QUESTIONS_MAX) return;
    this.#isGathering = true;
    await this.#parts.clock.sleep(GATHER_MS);
    this.#isGathering = false;
    const part: Asking[] = [];
    while (part.length < ASKED_MAX) {
      const asking = this.#toAsk.take();
      if (!asking) break;
      part.push(asking);
    }
    if (part.length === 0) return;
    this.#questions++;
    if (this.#toAsk.size > 0) void this.#askSoon();
    const taken = await this.#askAndTake(part.map(({ secret }) => secret));
    this.#questions--;
    for (const asking of part) this.#settle(asking, this.#outcome(asking.secret, taken));
    if (this.#toAsk.size > 0) void this.#askSoon();
  }

  #outcome(secret: string, taken: Taken | Rejection): Rejection | undefined {
    if (taken instanceof Rejection) return taken;
    if (taken.tooWide.has(secret)) return TOO_WIDE;
    if (taken.undecided.has(secret)) return NOT_ASKED;
    if (!taken.kept.has(secret)) this.#noteUnknown(secret);
    return undefined;
  }

  async #askAndTake(secrets: readonly string[]): Promise<Taken | Rejection> {
    const { taker, logger } = this.#parts;
    try {
      return await taker.take(secrets);
    } catch (error) {
      logger.warn({ problem: upstreamError(error).message }, 'upstream cannot validate tokens');
      return NOT_ASKED;
    }
  }

  /** Stores pretrusted tokens later, when the store is available. */
  async #trustLater(): Promise<void> {
    const { clock, taker } = this.#parts;
    for (let isLeft = true; isLeft && !this.#stop.signal.aborted; ) {
      await clock.sleep(RETRY_MS, this.#stop.signal);
      isLeft = (await taker.trust()) !== undefined;
    }
  }

  /** Validates tokens of the start until upstream knows them: they may be created there later, and a relay gets no traffic until it is ready. */
  async #learnNamed(): Promise<void> {
    const { taker, clock } = this.#parts;
    while (!this.#stop.signal.aborted) {
      for (const part of partsOf(taker.missing())) await this.#askNamed(part);
      if (taker.isSettled) this.#logMissing();
      await clock.sleep(taker.isSettled ? UNKNOWN_MS : RETRY_MS, this.#stop.signal);
    }
  }

  async #askNamed(secrets: readonly string[]): Promise<void> {
    const asked = secrets.filter((secret) => !this.#asking.has(secret)).map((secret) => this.#expect(secret));
    const taken = await this.#askAndTake(secrets);
    for (const asking of asked) this.#settle(asking, this.#outcome(asking.secret, taken));
  }

  /** Logs the number of missing tokens, but only when it changes. */
  #logMissing(): void {
    const beginnings = this.#parts.taker.missing().map(beginningOf);
    const count = beginnings.length;
    if (count > 0 && count !== this.#loggedMissing)
      this.#parts.logger.error({ count, beginnings }, 'upstream does not know some of the tokens of the start');
    this.#loggedMissing = count;
  }

  async #revalidateNowAndThen(): Promise<void> {
    const { clock, revalidateMs, state, taker, logger } = this.#parts;
    // The first validation runs without a delay: the data of an earlier process may be old.
    for (let delayMs = 0; ; delayMs = revalidateMs) {
      await clock.sleep(delayMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      const secrets = [...state.values('apiTokens')].map(({ secret }) => secret);
      try {
        await this.#revalidate(secrets.filter((secret) => !taker.isTrusted(secret)));
      } catch (error) {
        logger.warn({ problem: upstreamError(error).message }, 'known tokens could not be validated');
      }
    }
  }

  /** Updates known tokens with upstream's current answer. @throws UpstreamError */
  async #revalidate(secrets: readonly string[]): Promise<void> {
    const doubtful: string[] = [];
    for (const part of partsOf(secrets)) doubtful.push(...(await this.#refresh(part)));
    if (doubtful.length === 0) return;
    await this.#parts.clock.sleep(DOUBT_MS, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const gone: string[] = [];
    for (const part of partsOf(doubtful)) gone.push(...(await this.#refresh(part)));
    if (gone.length === 0) return;
    await this.#parts.taker.forget(gone);
    this.#parts.logger.warn(
      { count: gone.length },
      'tokens were deleted upstream: their callers are refused from now on',
    );
  }

  /** Returns the tokens that upstream does not know. @throws UpstreamError */
  async #refresh(secrets: readonly string[]): Promise<readonly string[]> {
    const taken = await this.#parts.taker.take(secrets);
    if (taken instanceof Rejection) return [];
    const { kept, tooWide, undecided } = taken;
    return secrets.filter((secret) => !kept.has(secret) && !tooWide.has(secret) && !undecided.has(secret));
  }
}

function* partsOf(secrets: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < secrets.length; start += ASKED_MAX) yield secrets.slice(start, start + ASKED_MAX);
}
