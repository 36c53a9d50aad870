import type { Clock } from '../base/clock.ts';
import { ALL, type ApiToken } from '../model/api-token.ts';
import type { Caller, Scope } from '../model/caller.ts';
import { ADMIN_TOKEN_USER_ID } from '../model/primitives.ts';
import type { AppliedCommit, State } from '../state/state.ts';

interface Credential extends Caller {
  readonly expiresAtMs: number;
}

/**
 * Finds the caller behind a secret with one look-up. Tokens of the same scope share one scope object, so that whatever is kept by scope,
 * payloads above all, is there once however many tokens there are.
 */
export class TokenView {
  readonly #clock: Clock;
  readonly #credentials = new Map<string, Credential>();
  readonly #scopes = new Map<string, Scope>();
  /** Secrets used since somebody last asked. */
  #seen = new Set<string>();

  constructor(state: State, clock: Clock) {
    this.#clock = clock;
    for (const token of state.values('apiTokens')) this.#put(token);
  }

  apply(applied: AppliedCommit): void {
    for (const change of applied.changes) {
      if (change.collection !== 'apiTokens') continue;
      if (change.after) this.#put(change.after);
      else this.#credentials.delete(change.key);
    }
  }

  find(secret: string): Caller | undefined {
    const credential = this.#credentials.get(secret);
    if (credential === undefined) return undefined;
    if (credential.expiresAtMs !== Number.POSITIVE_INFINITY && credential.expiresAtMs <= this.#clock.nowMs())
      return undefined;
    this.#seen.add(secret);
    return credential;
  }

  /** The one scope object for this environment and these projects. */
  scope(environment: string, projects: readonly string[]): Scope {
    const all = projects.includes(ALL);
    const key = JSON.stringify([environment, all ? ALL : [...new Set(projects)].sort()]);
    let scope = this.#scopes.get(key);
    if (!scope) {
      scope = { environment, projects: all ? null : new Set([...projects].sort()) };
      this.#scopes.set(key, scope);
    }
    return scope;
  }

  /** Secrets used since the last call. */
  takeSeen(): ReadonlySet<string> {
    const seen = this.#seen;
    this.#seen = new Set();
    return seen;
  }

  #put(token: ApiToken): void {
    this.#credentials.set(token.secret, {
      author: { id: ADMIN_TOKEN_USER_ID, name: token.tokenName },
      token,
      scope: this.scope(token.environment, token.projects),
      expiresAtMs: token.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(token.expiresAt),
    });
  }
}
