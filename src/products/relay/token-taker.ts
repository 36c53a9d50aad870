import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Writer } from '../../engine/writer.ts';
import type { ApiToken } from '../../model/api-token.ts';
import { systemCaller } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';
import { mirrorTokens, type SourceToken } from '../mirror/mirror-tokens.ts';
import { addAll, holds, NOTHING } from './scope-cover.ts';
import { askAboutTokens, beginningOf } from './token-question.ts';
import type { Upstream } from './upstream.ts';

/** Maximum number of token beginnings in one log message. */
const BEGINNINGS_MAX = 20;

type TokenDetails = Pick<ApiToken, 'secret' | 'type' | 'environment' | 'projects'>;

/** Upstream's answer about some tokens. Tokens in none of these sets do not exist. */
export interface Taken {
  /** Tokens that are known now. */
  readonly kept: ReadonlySet<string>;
  /** Tokens that exist but are refused, because this relay is strict. */
  readonly tooWide: ReadonlySet<string>;
  /** Tokens that exist, but it is not known yet whether they are accepted. */
  readonly undecided: ReadonlySet<string>;
}

interface TakerParts {
  readonly upstream: Upstream;
  readonly writer: Pick<Writer, 'submit'>;
  readonly state: State;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The tokens of the start. */
  readonly tokens: readonly string[];
  readonly pretrusted: readonly SourceToken[];
  /** Client tokens are accepted only if the tokens of the start cover their scope. */
  readonly isStrict: boolean;
}

/** Writes upstream's answers about tokens into the state, and decides which tokens are accepted. */
export class TokenTaker {
  readonly #parts: TakerParts;
  readonly #pretrusted: ReadonlySet<string>;
  /** Tokens of the start for which there is no answer yet, neither in an earlier process nor in this one. */
  readonly #unanswered = new Set<string>();
  /** When upstream last answered about tokens. */
  validatedMs: number | null = null;

  constructor(parts: TakerParts) {
    this.#parts = parts;
    this.#pretrusted = new Set(parts.pretrusted.map(({ secret }) => secret));
  }

  /** Continues with the tokens in the state. Resolves with a rejection if the pretrusted tokens could not be stored. */
  async begin(): Promise<Rejection | undefined> {
    const { pretrusted } = this.#parts;
    for (const secret of this.missing()) this.#unanswered.add(secret);
    if (this.isSettled) await this.#dropWider();
    return pretrusted.length > 0 ? this.trust() : undefined;
  }

  /** Whether the scopes of all tokens of the start are known, from an earlier process or from this one. */
  get isSettled(): boolean {
    return this.#unanswered.size === 0;
  }

  /** Whether the token is pretrusted: never validated by upstream. */
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

  /** Tokens of the start that are not known. */
  missing(): readonly string[] {
    const { tokens, state } = this.#parts;
    return tokens.filter((secret) => !state.get('apiTokens', secret) && !this.isTrusted(secret));
  }

  trust(): Promise<Rejection | undefined> {
    return this.#submit(this.#parts.pretrusted, []);
  }

  /** Validates tokens with upstream and stores the answer. Resolves with a rejection when it cannot be stored. @throws UpstreamError */
  async take(secrets: readonly string[]): Promise<Taken | Rejection> {
    const sent = await askAboutTokens(this.#parts.upstream, secrets);
    this.validatedMs = this.#parts.clock.nowMs();
    const wasSettled = this.isSettled;
    for (const secret of secrets) this.#unanswered.delete(secret);
    const reach = this.#reach(sent);
    const kept = sent.filter((token) => this.#isTaken(token, reach));
    const wider = new Set(sent.map(({ secret }) => secret));
    for (const { secret } of kept) wider.delete(secret);
    const refused = await this.#submit(kept, []);
    if (refused) return refused;
    if (!this.isSettled) return { kept: secretsOf(kept), tooWide: NOTHING, undecided: wider };
    if (wasSettled) await this.#drop(wider);
    else await this.#dropWider();
    return { kept: secretsOf(kept), tooWide: wider, undecided: NOTHING };
  }

  /** Removes tokens that upstream no longer knows. */
  async forget(secrets: readonly string[]): Promise<void> {
    await this.#submit([], secrets);
  }

  /**
   * Environment → the projects of the tokens of the start and of the pretrusted tokens. The projects of a token are from upstream's current answer,
   * otherwise from an earlier answer.
   */
  #reach(sent: readonly SourceToken[]): ReadonlyMap<string, ReadonlySet<string>> {
    const { tokens, pretrusted } = this.#parts;
    const reach = new Map<string, Set<string>>();
    const namedAtStart = sent.filter(({ secret, type }) => type === 'client' && tokens.includes(secret));
    const isSentTo = secretsOf(namedAtStart);
    const others = this.named().filter(({ secret }) => !isSentTo.has(secret));
    for (const { environment, projects } of [...others, ...pretrusted, ...namedAtStart])
      addAll(reach, environment, projects);
    return reach;
  }

  #isTaken(
    { secret, type, environment, projects }: TokenDetails,
    reach: ReadonlyMap<string, ReadonlySet<string>>,
  ): boolean {
    const { tokens, isStrict } = this.#parts;
    if (!isStrict || type !== 'client' || tokens.includes(secret) || this.isTrusted(secret)) return true;
    return holds(reach.get(environment) ?? NOTHING, projects);
  }

  /** Removes tokens that were accepted when STRICT was off, or when the tokens of the start had a wider scope. */
  async #dropWider(): Promise<void> {
    if (!this.#parts.isStrict) return;
    const reach = this.#reach([]);
    const known = [...this.#parts.state.values('apiTokens')];
    await this.#drop(secretsOf(known.filter((token) => !this.#isTaken(token, reach))));
  }

  async #drop(wider: ReadonlySet<string>): Promise<void> {
    const { state, logger } = this.#parts;
    const dropped = [...wider].filter((secret) => state.get('apiTokens', secret));
    if (dropped.length === 0 || (await this.#submit([], dropped))) return;
    logger.warn(
      { count: dropped.length, beginnings: dropped.slice(0, BEGINNINGS_MAX).map(beginningOf) },
      'STRICT: tokens that were served have a wider scope than those in TOKENS, and are refused from now on',
    );
  }

  async #submit(tokens: readonly SourceToken[], gone: readonly string[]): Promise<Rejection | undefined> {
    if (tokens.length + gone.length === 0) return undefined;
    const input = { tokens: tokens.map((token) => ({ ...token, projects: [...token.projects] })), gone: [...gone] };
    const outcome = await this.#parts.writer.submit(mirrorTokens, input, systemCaller());
    return outcome instanceof Rejection ? outcome : undefined;
  }
}

function secretsOf(tokens: readonly { readonly secret: string }[]): ReadonlySet<string> {
  return new Set(tokens.map(({ secret }) => secret));
}
