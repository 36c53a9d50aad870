import { createHmac } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { ApiToken } from '../../model/api-token.ts';
import type { Caller } from '../../model/caller.ts';
import { isHashed, sameHash } from '../../model/token-secret.ts';
import type { TokenView } from '../../views/token-view.ts';

/** A key is made for the current period and is valid in it and in the next one: for one to two days. */
const PERIOD_MS = 24 * 60 * 60 * 1_000;
const PERIODS_VALID = 2;

/** The token's public name, the number of the first period in which the key is not valid, and the signature of both. */
const KEY = /^([\w-]{16})\.([0-9a-z]{1,8})\.([\w-]{22})$/;

interface MadeKey {
  readonly period: number;
  readonly key: string;
}

/**
 * The keys in the addresses of streams, which browsers open without headers. A key is made from what is stored of a token, and from SECRETS_KEY if that
 * is set: so every replica makes the same key, also after a restart, and it ends with its token. It is not the token, and gives access to nothing but
 * the news that something has changed. Without SECRETS_KEY, anyone who can read the store could make keys, and a token whose secret is stored as a hash
 * has none: lists of tokens show the hash.
 */
export class PushKeys {
  readonly #tokens: TokenView;
  readonly #clock: Clock;
  readonly #secretsKey: string;
  /** The current key of each token that was used. */
  readonly #made = new WeakMap<ApiToken, MadeKey>();

  constructor(tokens: TokenView, clock: Clock, secretsKey: string) {
    this.#tokens = tokens;
    this.#clock = clock;
    this.#secretsKey = secretsKey;
  }

  /** The current key of the caller's token; "" if the caller has no frontend token, or none from which a key can be made. It is the same text until the period ends. */
  keyOf(caller: Caller): string {
    const { token } = caller;
    if (token === null) return '';
    const period = this.#period;
    const made = this.#made.get(token);
    if (made?.period === period) return made.key;
    const publicName = this.#tokens.publicNameOf(caller);
    const end = (period + PERIODS_VALID).toString(36);
    const key =
      publicName === null || !this.#hasKey(token) ? '' : `${publicName}.${end}.${this.#signature(token, end)}`;
    this.#made.set(token, { period, key });
    return key;
  }

  /** The caller whose token has this key; undefined if the key is not valid, or not any more. */
  callerOf(key: string): Caller | undefined {
    const [, publicName = '', end = '', signature = ''] = KEY.exec(key) ?? [];
    const left = Number.parseInt(end, 36) - this.#period;
    if (!(left > 0 && left <= PERIODS_VALID)) return undefined;
    const caller = this.#tokens.findNamed(publicName);
    return caller?.token && this.#hasKey(caller.token) && sameHash(signature, this.#signature(caller.token, end))
      ? caller
      : undefined;
  }

  /** Whether the key depends on something that no answer shows. */
  #hasKey({ secret }: ApiToken): boolean {
    return this.#secretsKey !== '' || !isHashed(secret);
  }

  get #period(): number {
    return Math.floor(this.#clock.nowMs() / PERIOD_MS);
  }

  #signature({ secret }: ApiToken, end: string): string {
    const hmac = createHmac('sha256', JSON.stringify([this.#secretsKey, secret]));
    return hmac.update(`OFREP stream until ${end}`).digest('base64url').slice(0, 22);
  }
}
