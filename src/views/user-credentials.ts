import { isScimOn } from '../access/scim.ts';
import type { Clock } from '../base/clock.ts';
import { type Caller, scimCaller, userCaller } from '../model/caller.ts';
import type { PersonalToken } from '../model/personal-token.ts';
import { hashedSecret, sameHash, TOKEN_LENGTH_MAX } from '../model/token-secret.ts';
import type { StateReader } from '../state/collections.ts';

/** The prefix of every personal token. */
export const PERSONAL_PREFIX = 'user:';

/** The prefix of the token of an identity provider. */
export const SCIM_PREFIX = 'scim:';

/**
 * Finds the user of a session cookie or a personal token, with one hash and one look-up in the state. So a deleted session or token is refused as
 * soon as its commit is applied, and the sent texts are not stored.
 */
export class UserCredentials {
  readonly #reader: StateReader;
  readonly #clock: Clock;
  /** The stored hashes of the personal tokens that were used since the last call of `takeUsedSecrets`. */
  #usedHashes = new Set<string>();

  constructor(reader: StateReader, clock: Clock) {
    this.#reader = reader;
    this.#clock = clock;
  }

  /** The user of a session cookie; undefined when it is unknown or has expired. */
  findSession(text: string): Caller | undefined {
    return this.#find('sessions', text);
  }

  /** The user of a personal token; undefined when it is unknown or has expired. */
  findToken(text: string): Caller | undefined {
    if (!text.startsWith(PERSONAL_PREFIX)) return undefined;
    const caller = this.#find('personalTokens', text);
    if (caller?.proof) this.#usedHashes.add(caller.proof.key);
    return caller;
  }

  /** The identity provider with this token; undefined if the token is not the current one, or SCIM is off. */
  findScim(text: string): Caller | undefined {
    if (!text.startsWith(SCIM_PREFIX) || text.length > TOKEN_LENGTH_MAX || !isScimOn(this.#reader)) return undefined;
    const hash = hashedSecret(text);
    const token = this.#reader.get('scimTokens', hash);
    return token && sameHash(token.secret, hash) ? scimCaller(hash) : undefined;
  }

  /** The personal token with this stored hash. This does not count as a use. */
  token(stored: string): PersonalToken | undefined {
    return this.#reader.get('personalTokens', stored);
  }

  /** The stored hashes of the personal tokens that were used since the last call of `takeUsedSecrets`. */
  takeUsedSecrets(): ReadonlySet<string> {
    const usedHashes = this.#usedHashes;
    this.#usedHashes = new Set();
    return usedHashes;
  }

  #find(collection: 'sessions' | 'personalTokens', text: string): Caller | undefined {
    if (text === '' || text.length > TOKEN_LENGTH_MAX) return undefined;
    const hash = hashedSecret(text);
    const credential = this.#reader.get(collection, hash);
    if (!credential || !sameHash(credential.secret, hash) || Date.parse(credential.expiresAt) <= this.#clock.nowMs())
      return undefined;
    const user = this.#reader.get('users', String(credential.userId));
    return user && userCaller(user, { collection, key: hash });
  }
}
