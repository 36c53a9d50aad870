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

/** Of many tokens that are logged together, the beginnings of so many are shown. */
const BEGINNINGS_MAX = 20;

type TokenFacts = Pick<ApiToken, 'secret' | 'type' | 'environment' | 'projects'>;

/** What upstream said of some tokens. Those that stand nowhere here it does not know. */
export interface Taken {
  /** They are known now. */
  readonly kept: ReadonlySet<string>;
  /** They exist, and are not taken: this relay is strict. */
  readonly tooWide: ReadonlySet<string>;
  /** They exist, and whether they are taken cannot be said yet. */
  readonly undecided: ReadonlySet<string>;
}

interface TakerParts {
  readonly upstream: Upstream;
  readonly writer: Pick<Writer, 'submit'>;
  readonly state: State;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Those of the start. */
  readonly tokens: readonly string[];
  readonly pretrusted: readonly SourceToken[];
  /** Client tokens are taken only if those of the start see as much. */
  readonly isStrict: boolean;
}

/** Brings what upstream says of tokens into the state, and decides which of them are taken. */
export class TokenTaker {
  readonly #parts: TakerParts;
  readonly #pretrusted: ReadonlySet<string>;
  /** Tokens of the start of which neither an earlier process learnt anything, nor this one. */
  readonly #unanswered = new Set<string>();
  /** When upstream last said something of tokens. */
  validatedMs: number | null = null;

  constructor(parts: TakerParts) {
    this.#parts = parts;
    this.#pretrusted = new Set(parts.pretrusted.map(({ secret }) => secret));
  }

  /** Goes on from what the state holds. Why what is believed unasked could not be stored, if so. */
  async begin(): Promise<Rejection | undefined> {
    const { pretrusted } = this.#parts;
    for (const secret of this.missing()) this.#unanswered.add(secret);
    if (this.isSettled) await this.#dropWider();
    return pretrusted.length > 0 ? this.trust() : undefined;
  }

  /** Whether what tokens of the start see is known: to an earlier process, or to this one. */
  get isSettled(): boolean {
    return this.#unanswered.size === 0;
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

  /** Tokens of the start that are not known. */
  missing(): readonly string[] {
    const { tokens, state } = this.#parts;
    return tokens.filter((secret) => !state.get('apiTokens', secret) && !this.isTrusted(secret));
  }

  trust(): Promise<Rejection | undefined> {
    return this.#submit(this.#parts.pretrusted, []);
  }

  /** Asks upstream about tokens, and takes what it says. A rejection when that cannot be stored. @throws UpstreamError */
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

  /** Upstream does not know them any more. */
  async forget(secrets: readonly string[]): Promise<void> {
    await this.#submit([], secrets);
  }

  /** What tokens of the start see, environment by environment: as upstream says now, otherwise as it said before. */
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
    { secret, type, environment, projects }: TokenFacts,
    reach: ReadonlyMap<string, ReadonlySet<string>>,
  ): boolean {
    const { tokens, isStrict } = this.#parts;
    if (!isStrict || type !== 'client' || tokens.includes(secret) || this.isTrusted(secret)) return true;
    return holds(reach.get(environment) ?? NOTHING, projects);
  }

  /** What was learnt without STRICT, or when tokens of the start saw more. */
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
      'STRICT: tokens that were served see more than those in TOKENS do, and are refused from now on',
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
