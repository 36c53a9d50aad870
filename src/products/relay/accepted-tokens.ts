import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Writer } from '../../engine/writer.ts';
import type { ApiToken } from '../../model/api-token.ts';
import { systemCaller } from '../../model/caller.ts';
import type { State } from '../../state/state.ts';
import { mirrorTokens, type SourceToken } from '../mirror/mirror-tokens.ts';
import { addAll, EMPTY_SET, holds } from './scope-cover.ts';
import { beginningOf, validateTokens } from './token-validation.ts';
import type { Upstream } from './upstream.ts';

/** Maximum number of token beginnings in one log message. */
const BEGINNINGS_MAX = 20;

type TokenDetails = Pick<ApiToken, 'secret' | 'type' | 'environment' | 'projects'>;

/** Upstream's answer about some tokens. Tokens in none of these sets do not exist. */
export interface TokenDecisions {
  /** Tokens that are known now. */
  readonly accepted: ReadonlySet<string>;
  /** Tokens that exist but are refused, because this relay is strict. */
  readonly tooWide: ReadonlySet<string>;
  /** Tokens of which it is not known yet whether they exist, or whether they are accepted. */
  readonly undecided: ReadonlySet<string>;
}

interface AcceptedTokensParts {
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
export class AcceptedTokens {
  readonly #parts: AcceptedTokensParts;
  readonly #pretrusted: ReadonlySet<string>;
  /** Tokens of the start for which there is no answer yet, neither in an earlier process nor in this one. */
  readonly #unanswered = new Set<string>();
  /** When upstream last answered about tokens. */
  validatedMs: number | null = null;

  constructor(parts: AcceptedTokensParts) {
    this.#parts = parts;
    this.#pretrusted = new Set(parts.pretrusted.map(({ secret }) => secret));
  }

  /** Continues with the tokens in the state. Resolves with a rejection if the pretrusted tokens could not be stored. */
  async begin(): Promise<Rejection | undefined> {
    const { pretrusted } = this.#parts;
    for (const secret of this.unknownStartTokens()) this.#unanswered.add(secret);
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
  startTokens(): readonly ApiToken[] {
    return this.#parts.tokens.flatMap((secret) => {
      const token = this.#parts.state.get('apiTokens', secret);
      return token?.type === 'client' ? [token] : [];
    });
  }

  /** Tokens of the start that are not known. */
  unknownStartTokens(): readonly string[] {
    const { tokens, state } = this.#parts;
    return tokens.filter((secret) => !state.get('apiTokens', secret) && !this.isTrusted(secret));
  }

  trust(): Promise<Rejection | undefined> {
    return this.#submit(this.#parts.pretrusted, []);
  }

  /** Validates tokens with upstream and stores the answer. Resolves with a rejection when it cannot be stored. @throws UpstreamError */
  async validate(secrets: readonly string[]): Promise<TokenDecisions | Rejection> {
    const { valid, undecided } = await validateTokens(this.#parts.upstream, secrets);
    this.validatedMs = this.#parts.clock.nowMs();
    const wasSettled = this.isSettled;
    const open = new Set(undecided);
    for (const secret of secrets) if (!open.has(secret)) this.#unanswered.delete(secret);
    const reach = this.#reach(valid);
    const accepted = valid.filter((token) => this.#isAccepted(token, reach));
    const refusedSecrets = new Set(valid.map(({ secret }) => secret));
    for (const { secret } of accepted) refusedSecrets.delete(secret);
    const rejection = await this.#submit(accepted, []);
    if (rejection) return rejection;
    if (!this.isSettled)
      return {
        accepted: secretsOf(accepted),
        tooWide: EMPTY_SET,
        undecided: new Set([...refusedSecrets, ...undecided]),
      };
    if (wasSettled) await this.#drop(refusedSecrets);
    else await this.#dropWider();
    return { accepted: secretsOf(accepted), tooWide: refusedSecrets, undecided: open };
  }

  /** Removes tokens that upstream no longer knows. */
  async forget(secrets: readonly string[]): Promise<void> {
    await this.#submit([], secrets);
  }

  /**
   * Environment → the projects of the tokens of the start and of the pretrusted tokens. The projects of a token are from upstream's current answer,
   * otherwise from an earlier answer.
   */
  #reach(answer: readonly SourceToken[]): ReadonlyMap<string, ReadonlySet<string>> {
    const { tokens, pretrusted } = this.#parts;
    const reach = new Map<string, Set<string>>();
    const currentTokens = answer.filter(({ secret, type }) => type === 'client' && tokens.includes(secret));
    const currentSecrets = secretsOf(currentTokens);
    const earlierTokens = this.startTokens().filter(({ secret }) => !currentSecrets.has(secret));
    for (const { environment, projects } of [...earlierTokens, ...pretrusted, ...currentTokens])
      addAll(reach, environment, projects);
    return reach;
  }

  #isAccepted(
    { secret, type, environment, projects }: TokenDetails,
    reach: ReadonlyMap<string, ReadonlySet<string>>,
  ): boolean {
    const { tokens, isStrict } = this.#parts;
    if (!isStrict || type !== 'client' || tokens.includes(secret) || this.isTrusted(secret)) return true;
    return holds(reach.get(environment) ?? EMPTY_SET, projects);
  }

  /** Removes tokens that were accepted when STRICT was off, or when the tokens of the start had a wider scope. */
  async #dropWider(): Promise<void> {
    if (!this.#parts.isStrict) return;
    const reach = this.#reach([]);
    const stateTokens = [...this.#parts.state.values('apiTokens')];
    await this.#drop(secretsOf(stateTokens.filter((token) => !this.#isAccepted(token, reach))));
  }

  async #drop(refusedSecrets: ReadonlySet<string>): Promise<void> {
    const { state, logger } = this.#parts;
    const dropped = [...refusedSecrets].filter((secret) => state.get('apiTokens', secret));
    if (dropped.length === 0 || (await this.#submit([], dropped))) return;
    logger.warn(
      { count: dropped.length, beginnings: dropped.slice(0, BEGINNINGS_MAX).map(beginningOf) },
      'STRICT: some accepted tokens have a wider scope than the tokens in TOKENS: their callers are refused from now on',
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
