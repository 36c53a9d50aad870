import type { Successor } from '../actors/replica.ts';
import { assert } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { ALL, type ApiToken } from '../model/api-token.ts';
import type { Caller, Scope } from '../model/caller.ts';
import { ADMIN_TOKEN_USER_ID } from '../model/primitives.ts';
import type { AppliedCommit, State } from '../state/state.ts';
import type { View } from './view.ts';

interface Credential extends Caller {
  readonly token: ApiToken;
  readonly expiresAtMs: number;
}

/** A scope and how many hold it: tokens, and whoever asked for it by name. */
interface HeldScope {
  readonly scope: Scope;
  holders: number;
}

/**
 * Finds the caller behind a secret with one look-up. Tokens of the same scope share one scope object, so that whatever is kept by scope,
 * payloads above all, is there once however many tokens there are. A scope that the last of its tokens left is released.
 */
export class TokenView implements View {
  readonly #clock: Clock;
  readonly #credentials = new Map<string, Credential>();
  readonly #scopes = new Map<string, HeldScope>();
  #onReleased: (scope: Scope) => void = () => {};
  /** Secrets used since somebody last asked. */
  #seen = new Set<string>();

  constructor(state: State, clock: Clock) {
    this.#clock = clock;
    for (const token of state.values('apiTokens')) this.#put(token);
  }

  /** Tells of scopes that no token has any more, so that what is kept for them can go. */
  onReleased(listener: (scope: Scope) => void): void {
    this.#onReleased = listener;
  }

  /** Scopes that are held. */
  get scopeCount(): number {
    return this.#scopes.size;
  }

  apply(applied: AppliedCommit): void {
    for (const change of applied.changes) {
      if (change.collection !== 'apiTokens') continue;
      if (change.after) this.#put(change.after);
      else this.#remove(change.key);
    }
  }

  /** Nothing: reading all tokens of a state is quick. */
  async prepare(next: State): Promise<Successor> {
    return { apply: () => {}, takeOver: () => this.#replaceWith(next) };
  }

  /** Another state took the place of the one that was followed. Scopes that go on being held stay the same objects. */
  #replaceWith(state: State): void {
    const gone = new Set(this.#credentials.keys());
    for (const token of state.values('apiTokens')) {
      gone.delete(token.secret);
      this.#put(token);
    }
    for (const secret of gone) this.#remove(secret);
  }

  find(secret: string): Caller | undefined {
    const credential = this.#credentials.get(secret);
    if (credential === undefined) return undefined;
    if (credential.expiresAtMs !== Number.POSITIVE_INFINITY && credential.expiresAtMs <= this.#clock.nowMs())
      return undefined;
    this.#seen.add(secret);
    return credential;
  }

  /** The token as it is stored, expired or not; does not count as a use. */
  token(secret: string): ApiToken | undefined {
    return this.#credentials.get(secret)?.token;
  }

  /** The one scope object for this environment and these projects. The caller holds it from now on: it is never released. */
  scope(environment: string, projects: readonly string[]): Scope {
    return this.#hold(environment, projects);
  }

  /** Secrets used since the last call. */
  takeSeen(): ReadonlySet<string> {
    const seen = this.#seen;
    this.#seen = new Set();
    return seen;
  }

  #put(token: ApiToken): void {
    const before = this.#credentials.get(token.secret);
    // Held before the old one is let go: a token that only changed its expiry keeps its scope and all that is kept for it.
    const scope = this.#hold(token.environment, token.projects);
    this.#credentials.set(token.secret, {
      kind: token.type,
      author: { id: ADMIN_TOKEN_USER_ID, name: token.tokenName },
      token,
      scope,
      expiresAtMs: token.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(token.expiresAt),
    });
    if (before) this.#release(before.token);
  }

  #remove(secret: string): void {
    const credential = this.#credentials.get(secret);
    if (!credential) return;
    this.#credentials.delete(secret);
    this.#seen.delete(secret);
    this.#release(credential.token);
  }

  #hold(environment: string, projects: readonly string[]): Scope {
    const key = scopeKey(environment, projects);
    let held = this.#scopes.get(key);
    if (!held) {
      const scope = { environment, projects: projects.includes(ALL) ? null : new Set([...projects].sort()) };
      held = { scope, holders: 0 };
      this.#scopes.set(key, held);
    }
    held.holders++;
    return held.scope;
  }

  #release({ environment, projects }: ApiToken): void {
    const key = scopeKey(environment, projects);
    const held = this.#scopes.get(key);
    assert(held, `the scope of a token in ${environment} is not held`);
    if (--held.holders > 0) return;
    this.#scopes.delete(key);
    this.#onReleased(held.scope);
  }
}

function scopeKey(environment: string, projects: readonly string[]): string {
  return JSON.stringify([environment, projects.includes(ALL) ? ALL : [...new Set(projects)].sort()]);
}
