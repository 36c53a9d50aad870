import { hash } from 'node:crypto';
import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Successor } from '../engine/replica.ts';
import type { ApiToken } from '../model/api-token.ts';
import type { Caller, Scope } from '../model/caller.ts';
import { ADMIN_TOKEN_USER_ID } from '../model/primitives.ts';
import { type ListedScope, scopeKey, scopeOf } from '../model/project-list.ts';
import { hashedSecret, isHashed, sameHash, TOKEN_LENGTH_MAX } from '../model/token-secret.ts';
import type { AppliedCommit, State } from '../state/state.ts';
import type { View } from './view.ts';

interface Credential extends Caller {
  readonly token: ApiToken;
  readonly expiresAtMs: number;
  /** The text that callers send; null as long as only its hash is known. */
  text: string | null;
  /** The name of the token in addresses; "" if it is no frontend token. */
  readonly publicName: string;
}

/** A scope and its number of users: the tokens with this scope, and the calls of `scope`. */
interface SharedScope {
  readonly scope: Scope;
  useCount: number;
}

/**
 * Finds the caller of a secret with one look-up. If only the hash of a secret is stored, the secret is hashed when it is received for the first time,
 * and cached. The cache contains at most one secret per token, and no unknown secrets. Tokens with the same scope use one scope object, so data that
 * is cached by scope, such as payloads, exists once for any number of tokens. A scope is released with its last token.
 */
export class TokenView implements View {
  readonly #clock: Clock;
  /** Text of the secret → credential. Every request uses this look-up. */
  readonly #credentials = new Map<string, Credential>();
  /** Stored form of the secret (its text or its hash) → credential. */
  readonly #stored = new Map<string, Credential>();
  /** Public name → credential, for frontend tokens. */
  readonly #named = new Map<string, Credential>();
  /** Whether a token with a hashed secret was ever added. */
  #hasHashedSecrets = false;
  readonly #scopes = new Map<string, SharedScope>();
  #onReleased: (scope: Scope) => void = () => {};
  /** The stored forms of the secrets that were used since the last call of `takeUsedSecrets`. */
  #usedSecrets = new Set<string>();

  constructor(state: State, clock: Clock) {
    this.#clock = clock;
    for (const token of state.values('apiTokens')) this.#put(token);
  }

  /** Sets a listener for scopes that no token uses any more, so that their cached data can be dropped. */
  onReleased(listener: (scope: Scope) => void): void {
    this.#onReleased = listener;
  }

  /** Number of scopes in use. */
  get scopeCount(): number {
    return this.#scopes.size;
  }

  apply(applied: AppliedCommit): void {
    for (const change of applied.bulk?.changesExceptFlags ?? applied.changes) {
      if (change.collection !== 'apiTokens') continue;
      if (change.after) this.#put(change.after);
      else this.#remove(change.key);
    }
  }

  /** Prepares nothing: reading all tokens of a state is fast. */
  async prepare(next: State): Promise<Successor> {
    return { apply: () => {}, takeOver: () => this.#replaceWith(next) };
  }

  /** Reads the tokens of a new state. Scopes that are still in use stay the same objects. */
  #replaceWith(state: State): void {
    const removed = new Set(this.#stored.keys());
    for (const token of state.values('apiTokens')) {
      removed.delete(token.secret);
      this.#put(token);
    }
    for (const stored of removed) this.#remove(stored);
  }

  find(secret: string): Caller | undefined {
    const credential = this.#credentials.get(secret) ?? this.#findByHash(secret);
    return credential && this.#used(credential);
  }

  /** The frontend token with this public name, if it has not expired. */
  findNamed(publicName: string): Caller | undefined {
    const credential = this.#named.get(publicName);
    return credential && this.#used(credential);
  }

  /** The public name of the caller’s token. It identifies the token on every replica, and gives no access. Null if it has none. */
  publicNameOf({ token }: Caller): string | null {
    return (token && this.#stored.get(token.secret)?.publicName) || null;
  }

  /** Whether the token of this caller still exists with the same scope, and has not expired. Counts as a use, as a request with the token does. */
  isCurrent({ token, kind, scope }: Caller): boolean {
    const credential = token ? this.#stored.get(token.secret) : undefined;
    return credential?.kind === kind && credential.scope === scope && this.#used(credential) !== undefined;
  }

  #used(credential: Credential): Credential | undefined {
    if (credential.expiresAtMs !== Number.POSITIVE_INFINITY && credential.expiresAtMs <= this.#clock.nowMs())
      return undefined;
    this.#usedSecrets.add(credential.token.secret);
    return credential;
  }

  /**
   * Finds a secret by its hash, when it is received for the first time. A text that cannot be a secret costs nothing; an unknown secret costs one
   * hash.
   */
  #findByHash(text: string): Credential | undefined {
    if (!this.#hasHashedSecrets || text === '' || text.length > TOKEN_LENGTH_MAX || text.includes(' '))
      return undefined;
    const hash = hashedSecret(text);
    const credential = this.#stored.get(hash);
    if (!credential || !sameHash(credential.token.secret, hash)) return undefined;
    credential.text = text;
    this.#credentials.set(text, credential);
    return credential;
  }

  /** The token with this stored form of its secret, expired or not. This does not count as a use. */
  token(stored: string): ApiToken | undefined {
    return this.#stored.get(stored)?.token;
  }

  /** The only scope object for this environment and these projects. It is never released after this call. */
  scope(environment: string, projects: readonly string[]): Scope {
    return this.#acquire({ environment, projects });
  }

  /** The stored forms of the secrets that were used since the last call of `takeUsedSecrets`. */
  takeUsedSecrets(): ReadonlySet<string> {
    const usedSecrets = this.#usedSecrets;
    this.#usedSecrets = new Set();
    return usedSecrets;
  }

  #put(token: ApiToken): void {
    const before = this.#stored.get(token.secret);
    const isHash = isHashed(token.secret);
    // The new scope is acquired before the old one is released. So a token with only a new expiry keeps its scope and the cached data of the scope.
    const scope = this.#acquire(token);
    const credential: Credential = {
      kind: token.type,
      author: { id: ADMIN_TOKEN_USER_ID, name: token.tokenName },
      user: null,
      token,
      scope,
      proof: { collection: 'apiTokens', key: token.secret },
      grant: null,
      address: null,
      reason: null,
      edit: null,
      expiresAtMs: token.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(token.expiresAt),
      text: isHash ? (before?.text ?? null) : token.secret,
      publicName: token.type === 'frontend' ? before?.publicName || publicNameOf(token.secret) : '',
    };
    this.#stored.set(token.secret, credential);
    if (credential.publicName !== '') this.#named.set(credential.publicName, credential);
    if (credential.text !== null) this.#credentials.set(credential.text, credential);
    this.#hasHashedSecrets ||= isHash;
    if (before) this.#release(before.token);
  }

  #remove(stored: string): void {
    const credential = this.#stored.get(stored);
    if (!credential) return;
    this.#stored.delete(stored);
    this.#named.delete(credential.publicName);
    if (credential.text !== null) this.#credentials.delete(credential.text);
    this.#usedSecrets.delete(stored);
    this.#release(credential.token);
  }

  #acquire(listed: ListedScope): Scope {
    const key = scopeKey(listed);
    let shared = this.#scopes.get(key);
    if (!shared) {
      shared = { scope: scopeOf(listed), useCount: 0 };
      this.#scopes.set(key, shared);
    }
    shared.useCount++;
    return shared.scope;
  }

  #release(listed: ListedScope): void {
    const key = scopeKey(listed);
    const shared = this.#scopes.get(key);
    assert(shared, `the scope of a token in ${listed.environment} is not tracked`);
    if (--shared.useCount > 0) return;
    this.#scopes.delete(key);
    this.#onReleased(shared.scope);
  }
}

function publicNameOf(stored: string): string {
  return hash('sha256', `public name of ${stored}`, 'base64url').slice(0, 16);
}
