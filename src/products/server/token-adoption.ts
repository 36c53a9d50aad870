import type { Static } from 'typebox';
import Type from 'typebox';
import { type Clock, isoTime } from '../../base/clock.ts';
import { parseJson } from '../../base/json-text.ts';
import type { Logger } from '../../base/logger.ts';
import { networkOf } from '../../base/network/caller-network.ts';
import { Rejection, unavailable } from '../../base/rejection.ts';
import { validate } from '../../base/validation.ts';
import type { Config } from '../../config.ts';
import type { Writer } from '../../engine/writer.ts';
import { adoptApiToken } from '../../features/tokens/adopt.ts';
import { secretOf, UNAUTHENTICATED } from '../../http/authentication.ts';
import type { BeginWait, RequestWaits, WaitingHead } from '../../http/request-waits.ts';
import { type Caller, systemCaller } from '../../model/caller.ts';
import { ADMIN_TOKEN_USER_ID, Nullable } from '../../model/primitives.ts';
import type { SourceToken } from '../mirror/mirror-tokens.ts';
import { AnswerMemory } from '../relay/answer-memory.ts';
import { beginningOf, selectorOf, validateTokens } from '../relay/token-validation.ts';
import { UnknownTokens } from '../relay/unknown-tokens.ts';
import { Upstream } from '../relay/upstream.ts';
import { toUpstreamError, UpstreamError } from '../relay/upstream-error.ts';

/** How long refused tokens are cached: as long as this, a client that repeatedly sends such a token does not load Unleash. */
const UNKNOWN_MS = 60_000;
/** Maximum time to connect to Unleash, and to wait for its answer. */
const TIMEOUT_MS = 5_000;
/** Maximum size of the list of tokens. 16 MiB are about 50,000 tokens. */
const LIST_BYTES_MAX = 16 * 1024 * 1024;
/** Maximum size of all lists in memory: as many as are read at the same time, and one more, so that none waits. */
const LISTS_BYTES_MAX = 5 * LIST_BYTES_MAX;
/** Minimum time between two lines in the log with the same message: callers try again and again. */
const QUIET_MS = 10_000;
const REFUSED_QUIET_MS = 60 * 60_000;

const NOT_VALIDATED = unavailable(
  'Your token is not known here yet, and the service that knows it cannot be asked.',
  2,
);

/** The author of the tokens that are adopted. It is not the service itself, so that these tokens count against the limits. */
const ADOPTER = systemCaller({ id: ADMIN_TOKEN_USER_ID, name: 'adoption of tokens' });

/** A token of a list of the admin API, as far as it is used. */
const ListedToken = Type.Object({
  secret: Type.String(),
  tokenName: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  type: Type.String(),
  expiresAt: Type.Optional(Nullable(Type.String())),
  secure: Type.Optional(Type.Boolean()),
});
type ListedToken = Static<typeof ListedToken>;
const List = Type.Object({ tokens: Type.Array(ListedToken) });

interface AdoptionParts {
  readonly config: Pick<Config, 'adoptTokensFrom' | 'adoptTokensAdminToken'>;
  readonly writer: Pick<Writer, 'submit'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Adopts tokens of the Unleash from which a service was migrated, if the migration could not import them because Unleash shows only a part of their
 * secrets. A token of this form that is not known here is checked with Unleash when it is first used. If it is valid there, it is stored here, and its
 * request is served. Requests with known tokens never wait for Unleash.
 */
export class TokenAdoption {
  readonly #parts: AdoptionParts;
  readonly #upstream: Upstream;
  readonly #unknown: UnknownTokens;
  /** Message → until when it is not logged again, by the clock of `performance`. */
  readonly #quiet = new Map<string, number>();

  constructor(parts: AdoptionParts) {
    this.#parts = parts;
    const { config, clock, logger } = parts;
    this.#upstream = new Upstream(
      {
        upstreamUrl: config.adoptTokensFrom.replace(/\/+$/, '').replace(/\/api$/, ''),
        connectMs: TIMEOUT_MS,
        timeoutMs: TIMEOUT_MS,
        headers: {},
        tls: {},
        authHeader: 'authorization',
        appName: 'burgee',
        instanceId: 'adoption-of-tokens',
      },
      new AnswerMemory({ eachBytes: LIST_BYTES_MAX, totalBytes: LISTS_BYTES_MAX }, logger),
    );
    this.#unknown = new UnknownTokens({
      clock,
      displaced: NOT_VALIDATED,
      unknownMs: UNKNOWN_MS,
      decide: (secrets) => this.#decide(secrets),
    });
  }

  /** As `TokenAdopter` says (`features/services.ts`). */
  waits(others: RequestWaits | undefined): RequestWaits {
    return {
      await: (caller, head) =>
        caller === UNAUTHENTICATED ? this.#awaitStranger(caller, head, others) : others?.await(caller, head),
    };
  }

  /** As `TokenAdopter` says. */
  mayKnow(secret: string): boolean {
    return selectorOf(secret) !== undefined && !this.#unknown.isUnknown(secret);
  }

  /** As `TokenAdopter` says. */
  adopt(secret: string, network: string): Promise<Rejection | undefined> {
    return this.#unknown.await(secret, network);
  }

  close(): void {
    this.#upstream.close();
  }

  #awaitStranger(
    caller: Caller | Rejection,
    head: WaitingHead,
    others: RequestWaits | undefined,
  ): ReturnType<RequestWaits['await']> {
    const secret = secretOf(head.authorization);
    const waiting = others?.await(caller, head);
    if (!this.mayKnow(secret) || waiting instanceof Rejection) return waiting;
    const begin: BeginWait = async (address) => {
      const problem = await waiting?.(address);
      return problem ?? (await this.adopt(secret, networkOf(address, 48)));
    };
    return begin;
  }

  async #decide(secrets: readonly string[]) {
    try {
      const { valid, undecided } = await validateTokens(this.#upstream, secrets);
      const listed = valid.length > 0 ? await this.#list() : new Map<string, ListedToken>();
      const decisions = new Map<string, 'accepted' | Rejection>(undecided.map((secret) => [secret, NOT_VALIDATED]));
      await Promise.all(
        valid.map(async (token) => {
          const decision = await this.#store(token, listed);
          if (decision !== 'unknown') decisions.set(token.secret, decision);
        }),
      );
      return (secret: string) => decisions.get(secret) ?? ('unknown' as const);
    } catch (error) {
      const { adoptTokensFrom: from } = this.#parts.config;
      const problem = toUpstreamError(error).message;
      this.#warn(
        { problem, count: secrets.length, from: new URL(from).host },
        'tokens cannot be adopted now: callers with tokens that are not known here get 503',
      );
      return NOT_VALIDATED;
    }
  }

  #warn(fields: object, message: string): void {
    if (this.#isNew(message, QUIET_MS)) this.#parts.logger.warn(fields, message);
  }

  /** Whether the same was not logged for this time. */
  #isNew(what: string, quietMs: number): boolean {
    const nowMs = performance.now();
    if (nowMs < (this.#quiet.get(what) ?? 0)) return false;
    this.#quiet.set(what, nowMs + quietMs);
    return true;
  }

  /** The tokens with `secure: true` that Unleash has, by the part of their secret that it shows. @throws UpstreamError */
  async #list(): Promise<ReadonlyMap<string, ListedToken>> {
    const { adoptTokensAdminToken: token } = this.#parts.config;
    return await this.#upstream.read({ path: '/api/admin/api-tokens', token }, async ({ status, body }) => {
      if (status !== 200)
        throw new UpstreamError(`the list of tokens is answered with ${status} (ADOPT_TOKENS_ADMIN_TOKEN)`);
      const parsed = parseJson(body);
      const problem = parsed instanceof Rejection ? parsed : validate(List, parsed.value, 'answer');
      if (parsed instanceof Rejection || problem)
        throw new UpstreamError(`the list of tokens is not valid: ${problem?.message}`);
      const { tokens } = parsed.value as Static<typeof List>;
      return new Map(tokens.filter(({ secure }) => secure === true).map((each) => [each.secret, each]));
    });
  }

  /** Stores a valid token, with its scope from the validation, and its name and expiry time from the list. */
  async #store(
    { secret, type, environment, projects }: SourceToken,
    listed: ReadonlyMap<string, ListedToken>,
  ): Promise<'accepted' | 'unknown' | Rejection> {
    const { writer, clock } = this.#parts;
    const selector = selectorOf(secret) ?? '';
    const entry = listed.get(selector);
    if (!entry) return this.#refuse(secret, undefined, 'the list of tokens does not contain it');
    const expiresAtMs = entry.expiresAt == null ? null : Date.parse(entry.expiresAt);
    if (Number.isNaN(expiresAtMs)) return this.#refuse(secret, entry, 'its expiry time is not a time');
    const outcome = await writer.submit(
      adoptApiToken,
      {
        selector,
        secret,
        type,
        environment,
        projects: [...projects],
        tokenName: entry.tokenName || entry.username || `adopted ${type}`,
        expiresAt: expiresAtMs === null ? null : isoTime(expiresAtMs),
        ...(entry.type.toLowerCase() === 'backend' && { isBackend: true }),
      },
      ADOPTER,
    );
    // A full service, or one that cannot write now, must not tell an SDK that its token is wrong: it would never ask again.
    if (outcome instanceof Rejection) return this.#postpone(secret, entry, outcome.message);
    if ('refusal' in outcome.value) return this.#refuse(secret, entry, outcome.value.refusal);
    const { expiresAt } = outcome.value.token;
    return expiresAt !== null && Date.parse(expiresAt) <= clock.nowMs() ? 'unknown' : 'accepted';
  }

  #postpone(secret: string, entry: ListedToken, problem: string): Rejection {
    this.#warn({ ...shownOf(secret, entry), problem }, 'a token cannot be adopted now: its callers get 503');
    return NOT_VALIDATED;
  }

  #refuse(secret: string, entry: ListedToken | undefined, problem: string): 'unknown' {
    const fields = { ...shownOf(secret, entry), problem };
    // Callers go on with the token: each is logged once an hour. There are at most as many as Unleash has tokens.
    if (this.#isNew(JSON.stringify(fields), REFUSED_QUIET_MS))
      this.#parts.logger.error(fields, 'a token is valid in Unleash, but it is not adopted: its callers get 401');
    return 'unknown';
  }
}

/** What the log shows of a token: its name, and its beginning without a secret. */
function shownOf(secret: string, entry: ListedToken | undefined) {
  return { name: entry?.tokenName, beginning: beginningOf(secret) };
}
