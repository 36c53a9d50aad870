import type { ApiToken } from './api-token.ts';
import type { Requirement } from './permission.ts';
import { type Author, SYSTEM_USER_ID } from './primitives.ts';
import { authorOf, type User } from './user.ts';

/** What a caller may read: one environment, and some projects or all of them (null). */
export interface Scope {
  readonly environment: string;
  readonly projects: ReadonlySet<string> | null;
}

/**
 * `nobody` sent no credential where none is asked for; `system` is the service itself; `admin` an admin token, which may do everything;
 * `user` somebody whose roles say what they may do, however they signed on.
 */
export type CallerKind = 'nobody' | 'client' | 'frontend' | 'admin' | 'user' | 'system';

/** The entity that lets a caller in, for as long as it is there. */
interface Proof {
  readonly collection: 'apiTokens' | 'sessions' | 'personalTokens';
  readonly key: string;
}

/**
 * What the front of the server let a request do: one of the permissions, there. Null is what reaches further than one project or environment,
 * undefined what only the command can know. It travels with the request's commands, and is asked again of the state that they are decided on.
 */
export interface Grant {
  readonly required: readonly Requirement[];
  readonly project: string | null | undefined;
  readonly environment: string | null | undefined;
}

/** Who sent a request, once authenticated. One object a token, shared by all its requests; those of the admin side get a grant of their own. */
export interface Caller {
  readonly kind: CallerKind;
  readonly author: Author;
  /** The key of the user; null for everybody but users. */
  readonly user: string | null;
  /** Null for users. */
  readonly token: ApiToken | null;
  /** For client and frontend callers; callers of the admin side have none. */
  readonly scope: Scope;
  readonly proof: Proof | null;
  readonly grant: Grant | null;
  /** Where the request came from, as audit events tell it. Null for the service itself, and where nothing is changed. */
  readonly address: string | null;
}

/** Whether the scope covers the project. */
export function covers(scope: Scope, project: string): boolean {
  return scope.projects === null || scope.projects.has(project);
}

/** Who has a share of what callers share: the user, or whoever has the token. */
export function holderOf({ user, proof, kind }: Pick<Caller, 'user' | 'proof' | 'kind'>): string {
  return user ?? proof?.key ?? kind;
}

const NOTHING: Scope = { environment: '', projects: new Set() };

const UNPROVEN = { user: null, token: null, scope: NOTHING, proof: null, grant: null, address: null } as const;

/** Whoever sent no credential where none is asked for. */
export const NOBODY: Caller = { kind: 'nobody', author: { id: 0, name: 'anonymous' }, ...UNPROVEN };

/** The service itself, by whichever name it signs. */
export function systemCaller(author: Author = { id: SYSTEM_USER_ID, name: 'burgee' }): Caller {
  return { kind: 'system', author, ...UNPROVEN };
}

/**
 * Whoever an identity provider vouches for, before it is known who that is. It is not the service that acts: what comes of it counts against the
 * limits, or the provider would say how many users there are.
 */
export function arrivingCaller(protocol: string): Caller {
  return { kind: 'nobody', author: { id: SYSTEM_USER_ID, name: `${protocol}-sign-on` }, ...UNPROVEN };
}

/** A user, by what let them in. */
export function userCaller(user: Pick<User, 'id' | 'name' | 'email' | 'username'>, proof: Proof | null): Caller {
  return { ...UNPROVEN, kind: 'user', author: authorOf(user), user: String(user.id), proof };
}

/** The caller as the sender of one request. Only what a caller is: whatever else stands in a credential, its secret above all, stays there. */
export function withGrant(
  { kind, author, user, token, scope, proof }: Caller,
  grant: Grant,
  address: string | null = null,
): Caller {
  return { kind, author, user, token, scope, proof, grant, address };
}
