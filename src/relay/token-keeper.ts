import type { Writer } from '../actors/writer.ts';
import type { Clock } from '../base/clock.ts';
import { FairQueue } from '../base/fair-queue.ts';
import type { Logger } from '../base/logger.ts';
import { Rejection, unavailable } from '../base/rejection.ts';
import { mirrorTokens, type ToldToken } from '../commands/mirror-tokens.ts';
import type { ApiToken } from '../model/api-token.ts';
import { systemCaller } from '../model/caller.ts';
import type { State } from '../state/state.ts';
import { holds } from './scope-cover.ts';
import { ASKED_MAX, askAboutTokens, beginningOf, isTokenText } from './token-question.ts';
import type { Upstream } from './upstream.ts';
import { upstreamError } from './upstream-error.ts';

/** Tokens that are nobody's are remembered for so long: whoever sends one again and again does not become upstream's burden. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 10_000;
/** Tokens that wait to be asked about. */
const ASKING_MAX = 1_000;
/** Questions about tokens that nobody knows, at a time. */
const QUESTIONS_MAX = 4;
/** Tokens that come within so long are asked about together. */
const GATHER_MS = 5;
/** After a failure, those of the start are asked about again. */
const RETRY_MS = 2_000;
/** A token that upstream does not know any more is asked about a second time after this: told that it is gone, its SDKs stop for good. */
const DOUBT_MS = 2_000;

const NOT_ASKED = unavailable('The upstream service cannot be asked about your token now; it may be a new one.', 2);

const TOO_WIDE = new Rejection(
  'NoAccessError',
  'This relay is strict, and your token sees more than the tokens that it was started with.',
);

/** A token that is to be asked about, or is asked about now. */
interface Asking {
  readonly secret: string;
  /** Undefined: it is known now, or it is certain that it does not exist. */
  readonly told: Promise<Rejection | undefined>;
  readonly tell: (told: Rejection | undefined) => void;
}

/** What upstream said of some tokens. */
interface Asked {
  readonly kept: ReadonlySet<string>;
  /** They exist, and are not taken. */
  readonly tooWide: ReadonlySet<string>;
}

export interface TokenParts {
  readonly upstream: Upstream;
  readonly writer: Pick<Writer, 'submit'>;
  readonly state: State;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tokens: readonly string[];
  readonly pretrusted: readonly ToldToken[];
  /** Client tokens are taken only if those of the start see as much. */
  readonly isStrict: boolean;
  readonly revalidateMs: number;
}

/** Knows which tokens exist: what upstream says of them, asked when they are first seen and again now and then. */
export class TokenKeeper {
  readonly #parts: TokenParts;
  readonly #pretrusted: ReadonlySet<string>;
  /** Token → until when it is nobody's, on the clock of `performance`. Oldest first. */
  readonly #unknown = new Map<string, number>();
  readonly #asking = new Map<string, Asking>();
  /** Those of them that are not asked about yet, by where they came from first. */
  readonly #toAsk = new FairQueue<Asking>(ASKING_MAX);
  #questions = 0;
  #isGathering = false;
  readonly #stop = new AbortController();
  /** Tokens of the start that nothing is known of. */
  #unsettled = 0;
  #done: Promise<unknown> = Promise.resolve();
  /** When tokens were last asked about with success. */
  validatedMs: number | null = null;

  constructor(parts: TokenParts) {
    this.#parts = parts;
    this.#pretrusted = new Set(parts.pretrusted.map(({ secret }) => secret));
  }

  /** Resolves when those that need no asking are there. */
  async begin(): Promise<void> {
    const { pretrusted } = this.#parts;
    const refused = pretrusted.length > 0 && (await this.#submit(pretrusted, []));
    this.#done = Promise.all([refused && this.#trustLater(), this.#learnFirst(), this.#revalidateNowAndThen()]);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Whether upstream has said of every token of the start what it is, or an earlier process was told. */
  get isSettled(): boolean {
    return this.#unsettled === 0;
  }

  /** Whether upstream is never asked about it. */
  isTrusted(secret: string): boolean {
    return this.#pretrusted.has(secret);
  }

  /** Client tokens of the start that exist. */
  named(): readonly ApiToken[] {
    return this.#parts.tokens.flatMap((secret) => {
      const token = this.#parts.state.get('apiTokens', secret);
      return token?.type === 'client' ? [token] : [];
    });
  }

  /** Whether upstream may know a token that is not known here. */
  isWorthAsking(secret: string): boolean {
    return isTokenText(secret) && !this.#isUnknown(secret);
  }

  /**
   * Asks upstream about a token that is not known, which came from `place`. Places take turns: none waits for all that another one sent. Resolves with
   * undefined when it is known now, or it is certain that it does not exist.
   */
  learn(secret: string, place: string): Promise<Rejection | undefined> {
    const known = this.#asking.get(secret);
    if (known) return known.told;
    let tell: Asking['tell'] = () => {};
    const told = new Promise<Rejection | undefined>((resolve) => {
      tell = resolve;
    });
    const asking = { secret, told, tell };
    this.#asking.set(secret, asking);
    const out = this.#toAsk.add(place, asking);
    if (out) this.#settle(out, NOT_ASKED);
    void this.#askSoon();
    return told;
  }

  /** Upstream refused this token: whether it still exists is asked now. */
  suspect(secret: string): void {
    if (this.#pretrusted.has(secret) || this.#stop.signal.aborted) return;
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

  #settle({ secret, tell }: Asking, told: Rejection | undefined): void {
    this.#asking.delete(secret);
    tell(told);
  }

  /** Asks about as many as one question takes, a few questions at a time, for as long as there are any. Never rejects. */
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
    const asked = await this.#askAndKeep(part.map(({ secret }) => secret));
    this.#questions--;
    for (const asking of part) this.#settle(asking, this.#outcome(asking.secret, asked));
    if (this.#toAsk.size > 0) void this.#askSoon();
  }

  #outcome(secret: string, asked: Asked | Rejection): Rejection | undefined {
    if (asked instanceof Rejection) return asked;
    if (asked.tooWide.has(secret)) return TOO_WIDE;
    if (!asked.kept.has(secret)) this.#noteUnknown(secret);
    return undefined;
  }

  async #askAndKeep(secrets: readonly string[]): Promise<Asked | Rejection> {
    try {
      const tokens = await this.#ask(secrets);
      const kept = tokens.filter((token) => this.#isTaken(token));
      const refused = await this.#submit(kept, []);
      const tooWide = tokens.filter((token) => !kept.includes(token));
      // What the tokens of the start see is not known yet: nothing can be said to be more.
      if (tooWide.length > 0 && !this.isSettled) return NOT_ASKED;
      return refused ?? { kept: secretsOf(kept), tooWide: secretsOf(tooWide) };
    } catch (error) {
      this.#parts.logger.warn({ problem: upstreamError(error).message }, 'upstream cannot be asked about tokens');
      return NOT_ASKED;
    }
  }

  #isTaken({ secret, type, environment, projects }: ToldToken): boolean {
    const { tokens, pretrusted, isStrict } = this.#parts;
    if (!isStrict || type !== 'client' || tokens.includes(secret)) return true;
    const reach = new Set<string>();
    for (const start of [...this.named(), ...pretrusted]) {
      if (start.environment === environment) for (const project of start.projects) reach.add(project);
    }
    return holds(reach, projects);
  }

  async #ask(secrets: readonly string[]): Promise<ToldToken[]> {
    const tokens = await askAboutTokens(this.#parts.upstream, secrets);
    this.validatedMs = this.#parts.clock.nowMs();
    return tokens;
  }

  async #submit(tokens: readonly ToldToken[], gone: readonly string[]): Promise<Rejection | undefined> {
    const input = { tokens: tokens.map((token) => ({ ...token, projects: [...token.projects] })), gone: [...gone] };
    const outcome = await this.#parts.writer.submit(mirrorTokens, input, systemCaller());
    return outcome instanceof Rejection ? outcome : undefined;
  }

  /** A store that is away takes nothing yet. */
  async #trustLater(): Promise<void> {
    const { clock, pretrusted } = this.#parts;
    for (let isLeft = true; isLeft && !this.#stop.signal.aborted; ) {
      await clock.sleep(RETRY_MS, this.#stop.signal);
      isLeft = (await this.#submit(pretrusted, [])) !== undefined;
    }
  }

  async #learnFirst(): Promise<void> {
    const { tokens, state, clock, logger } = this.#parts;
    let missing = tokens.filter((secret) => !state.get('apiTokens', secret) && !this.#pretrusted.has(secret));
    this.#unsettled = missing.length;
    while (missing.length > 0 && !this.#stop.signal.aborted) {
      const left: string[] = [];
      for (const part of partsOf(missing)) {
        const known = await this.#askAndKeep(part);
        if (known instanceof Rejection) left.push(...part);
        else {
          const beginnings = part.filter((secret) => !known.kept.has(secret)).map(beginningOf);
          if (beginnings.length > 0)
            logger.error(
              { count: beginnings.length, beginnings },
              'upstream does not know some of the tokens of the start',
            );
        }
      }
      missing = left;
      this.#unsettled = missing.length;
      if (missing.length > 0) await clock.sleep(RETRY_MS, this.#stop.signal);
    }
  }

  async #revalidateNowAndThen(): Promise<void> {
    const { clock, revalidateMs, state, logger } = this.#parts;
    // What an earlier process was told may be long ago.
    for (let delayMs = 0; ; delayMs = revalidateMs) {
      await clock.sleep(delayMs, this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      const secrets = [...state.values('apiTokens')].map(({ secret }) => secret);
      try {
        await this.#revalidate(secrets.filter((secret) => !this.#pretrusted.has(secret)));
      } catch (error) {
        logger.warn({ problem: upstreamError(error).message }, 'tokens could not be validated again');
      }
    }
  }

  /** Takes over what upstream says of known tokens now. @throws UpstreamError */
  async #revalidate(secrets: readonly string[]): Promise<void> {
    const doubtful: string[] = [];
    for (const part of partsOf(secrets)) doubtful.push(...(await this.#refresh(part)));
    if (doubtful.length === 0) return;
    await this.#parts.clock.sleep(DOUBT_MS, this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const gone: string[] = [];
    for (const part of partsOf(doubtful)) gone.push(...(await this.#refresh(part)));
    if (gone.length === 0) return;
    await this.#submit([], gone);
    this.#parts.logger.warn({ count: gone.length }, 'tokens are gone upstream: their callers are refused from now on');
  }

  /** Answers which of them upstream does not know. */
  async #refresh(secrets: readonly string[]): Promise<readonly string[]> {
    const tokens = (await this.#ask(secrets)).filter((token) => this.#isTaken(token));
    await this.#submit(tokens, []);
    const known = secretsOf(tokens);
    return secrets.filter((secret) => !known.has(secret));
  }
}

function secretsOf(tokens: readonly ToldToken[]): ReadonlySet<string> {
  return new Set(tokens.map(({ secret }) => secret));
}

function* partsOf(secrets: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < secrets.length; start += ASKED_MAX) yield secrets.slice(start, start + ASKED_MAX);
}
