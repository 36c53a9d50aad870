import type { Clock } from '../../base/clock.ts';
import type { Replica } from '../../engine/replica.ts';
import { ALL } from '../../model/api-token.ts';
import type { Scope } from '../../model/caller.ts';
import type { AppliedCommit } from '../../state/state.ts';

import { addAll, type CoveredScope, coverOf, EMPTY_SET, holds, intersection } from './scope-cover.ts';
import { type FollowParts, ScopeFollower } from './scope-follower.ts';

interface Waiter {
  readonly scope: Scope;
  readonly done: () => void;
}

interface ScopeParts extends Omit<FollowParts, 'etagOf' | 'onFailing'> {
  readonly replica: Replica;
  readonly clock: Clock;
}

/** Follows upstream for all scopes of the tokens, without duplicates, and tracks which scopes are in the state. */
export class ScopeKeeper {
  readonly #parts: ScopeParts;
  readonly #followers = new Map<string, ScopeFollower>();
  /** Environment → projects that client tokens can access. */
  #reach = new Map<string, Set<string>>();
  /** Environment → projects in `#reach` whose flags are in the state. */
  #available = new Map<string, Set<string>>();
  /** Cache of available scopes, cleared when the state's scopes change: a fast look-up for polls. */
  #ready = new WeakSet<Scope>();
  readonly #waiters = new Set<Waiter>();
  /** Keys of scopes for which upstream does not answer. */
  readonly #failing = new Set<string>();
  #isRecountDue = false;
  #isClosed = false;

  constructor(parts: ScopeParts) {
    this.#parts = parts;
    parts.replica.onApplied((applied) => this.#apply(applied));
    parts.replica.onReplaced(() => this.#recount());
  }

  get followers(): readonly ScopeFollower[] {
    return [...this.#followers.values()];
  }

  /** Whether the state contains at least one scope of upstream. */
  get hasAnyScope(): boolean {
    return this.#available.size > 0;
  }

  /** Whether the state contains the whole scope. */
  isReady(scope: Scope): boolean {
    if (this.#ready.has(scope)) return true;
    if (!holds(this.#available.get(scope.environment) ?? EMPTY_SET, scope.projects ?? EVERYTHING)) return false;
    this.#ready.add(scope);
    return true;
  }

  /** Whether the scope can be requested from upstream: client tokens cover it. */
  isReachable(scope: Scope): boolean {
    return holds(this.#reach.get(scope.environment) ?? EMPTY_SET, scope.projects ?? EVERYTHING);
  }

  /** A client token with access to the whole scope; undefined when there is none. */
  tokenThatSees(environment: string, projects: readonly string[]): string | undefined {
    for (const { scope } of this.#followers.values()) {
      if (scope.environment === environment && holds(new Set(scope.projects), projects)) return scope.secrets[0];
    }
    // A scope that others cover together has no follower.
    for (const token of this.#clientTokens()) {
      if (token.environment === environment && holds(new Set(token.projects), projects)) return token.secret;
    }
    return undefined;
  }

  /**
   * A client token for reports of the scope: a token with access to the whole scope, otherwise to a part of it, otherwise any token of the
   * environment.
   */
  tokenFor(environment: string, projects: readonly string[]): string | undefined {
    const tokenForAll = this.tokenThatSees(environment, projects);
    if (tokenForAll !== undefined) return tokenForAll;
    const scopesOfEnvironment = this.followers.flatMap(({ scope }) => (scope.environment === environment ? scope : []));
    const [first] = scopesOfEnvironment;
    const overlapping = scopesOfEnvironment.find((scope) => intersection(scope.projects, new Set(projects)).length > 0);
    return (overlapping ?? first)?.secrets[0];
  }

  /** Waits at most `timeoutMs` for the scope; resolves with whether it is ready. */
  async wait(scope: Scope, timeoutMs: number): Promise<boolean> {
    if (this.isReady(scope)) return true;
    const end = new AbortController();
    const waiter = { scope, done: () => end.abort() };
    this.#waiters.add(waiter);
    await this.#parts.clock.sleep(timeoutMs, end.signal);
    this.#waiters.delete(waiter);
    return this.isReady(scope);
  }

  /** The content of these scopes in the state is no longer certain: upstream must send all of it again. */
  requestAgain(keys: readonly string[]): void {
    for (const key of keys) this.#followers.get(key)?.requestAgain();
  }

  /** Starts to follow the scopes of the current tokens. */
  begin(): void {
    this.#recount();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.followers.map((follower) => follower.close()));
  }

  #apply({ changes, bulk }: AppliedCommit): void {
    for (const { collection } of bulk?.changesExceptFlags ?? changes) {
      if (collection !== 'apiTokens' && collection !== 'mirroredScopes') continue;
      this.#countAvailable();
      // If many tokens arrive one after the other, they are handled together.
      if (collection === 'apiTokens' && !this.#isRecountDue) {
        this.#isRecountDue = true;
        setImmediate(() => this.#recount());
      }
    }
  }

  #recount(): void {
    this.#isRecountDue = false;
    if (this.#isClosed) return;
    this.#countAvailable();
    const cover = new Map(coverOf(this.#clientTokens()).map((scope) => [scope.key, scope]));
    for (const [key, follower] of this.#followers) {
      const scope = cover.get(key);
      if (scope) follower.scope = scope;
      else {
        this.#followers.delete(key);
        this.#failing.delete(key);
        void follower.close();
      }
    }
    for (const scope of cover.values()) if (!this.#followers.has(scope.key)) this.#follow(scope);
    this.#forgetUnreachable();
  }

  /** Removes scopes whose last token was deleted. No client is served from them. Projects that other tokens can access stay. */
  #forgetUnreachable(): void {
    const { queue, replica, logger } = this.#parts;
    const scopes = [...replica.state.values('mirroredScopes')].flatMap(({ environment, projects }) => {
      const reach = this.#reach.get(environment) ?? EMPTY_SET;
      if (holds(reach, projects)) return [];
      return [{ environment, projects: [...projects], kept: [...intersection(projects, reach)] }];
    });
    if (scopes.length === 0) return;
    queue
      .forget(scopes)
      .catch((error: unknown) => logger.error({ err: error }, 'flags without a token could not be removed'));
  }

  #follow(scope: CoveredScope): void {
    const { replica, queue, ...parts } = this.#parts;
    const etagOf = (key: string) => replica.state.get('mirroredScopes', key)?.etag ?? null;
    const onFailing = (failed: CoveredScope, problem: string | null) => this.#report(failed, problem);
    const follower = new ScopeFollower(scope, { ...parts, queue, etagOf, onFailing });
    this.#followers.set(scope.key, follower);
  }

  /** Logs one line even if a hundred scopes fail together; `/ready` shows their number. */
  #report({ key, environment, projects }: CoveredScope, problem: string | null): void {
    // A follower that was removed may still report.
    if (!this.#followers.has(key)) return;
    const { logger } = this.#parts;
    const isFirst = this.#failing.size === 0;
    if (problem === null) this.#failing.delete(key);
    else this.#failing.add(key);
    if (problem !== null && isFirst)
      logger.warn(
        { environment, projects, problem },
        'upstream does not give a valid answer: this relay serves the flags that it has',
      );
    else if (problem === null && !isFirst && this.#failing.size === 0) logger.info('upstream answers again');
  }

  *#clientTokens() {
    for (const token of this.#parts.replica.state.values('apiTokens')) if (token.type === 'client') yield token;
  }

  /** Recalculates which projects client tokens can access, and which of them are in the state. */
  #countAvailable(): void {
    const { state } = this.#parts.replica;
    this.#reach = new Map();
    for (const { environment, projects } of this.#clientTokens()) addAll(this.#reach, environment, projects);
    this.#available = new Map();
    for (const { environment, projects } of state.values('mirroredScopes')) {
      // Projects that no token can access are no longer updated from upstream, so they do not count.
      const available = intersection(projects, this.#reach.get(environment) ?? EMPTY_SET);
      if (available.length > 0) addAll(this.#available, environment, available);
    }
    this.#ready = new WeakSet();
    for (const { scope, done } of this.#waiters) if (this.isReady(scope)) done();
  }
}

const EVERYTHING: readonly string[] = [ALL];
