import type { ApiToken } from './api-token.ts';
import type { Requirement } from './permission.ts';
import { type Author, SYSTEM_USER_ID } from './primitives.ts';
import { authorOf, type User } from './user.ts';

/** The data that a caller may read: one environment, and some projects or all of them (null). */
export interface Scope {
  readonly environment: string;
  readonly projects: ReadonlySet<string> | null;
}

/**
 * `nobody`: no credential was sent and none is required; `system`: the service itself; `admin`: an admin token, which may do everything; `user`: a
 * user with roles, with any kind of sign-on.
 */
export type CallerKind = 'nobody' | 'client' | 'frontend' | 'admin' | 'user' | 'system';

/** The entity that authenticates a caller, as long as it exists. */
interface Proof {
  readonly collection: 'apiTokens' | 'sessions' | 'personalTokens';
  readonly key: string;
}

/**
 * What the front of the server allowed a request to do: one of the permissions, in the project and environment. Null: more than one project or
 * environment. Undefined: only the command can determine it. The request's commands carry it, and it is checked again against the state that they are
 * decided on.
 */
export interface Grant {
  readonly required: readonly Requirement[];
  readonly project: string | null | undefined;
  readonly environment: string | null | undefined;
}

/** The authenticated sender of a request. One object per token, used for all its requests; each admin request gets a copy with its own grant. */
export interface Caller {
  readonly kind: CallerKind;
  readonly author: Author;
  /** The key of the user; null for other callers. */
  readonly user: string | null;
  /** Null for users. */
  readonly token: ApiToken | null;
  /** For client and frontend callers; admin callers have an empty scope. */
  readonly scope: Scope;
  readonly proof: Proof | null;
  readonly grant: Grant | null;
  /** Client address of the request, for audit events. Null for the service itself, and for requests that change nothing. */
  readonly address: string | null;
}

/** Whether the scope covers the project. */
export function covers(scope: Scope, project: string): boolean {
  return scope.projects === null || scope.projects.has(project);
}

/** The key of the caller's quota: the user, or the token. */
export function holderOf({ user, proof, kind }: Pick<Caller, 'user' | 'proof' | 'kind'>): string {
  return user ?? proof?.key ?? kind;
}

const NOTHING: Scope = { environment: '', projects: new Set() };

const UNPROVEN = { user: null, token: null, scope: NOTHING, proof: null, grant: null, address: null } as const;

/** A caller without a credential, if none is required. */
export const NOBODY: Caller = { kind: 'nobody', author: { id: 0, name: 'anonymous' }, ...UNPROVEN };

/** The service itself, with the name that its audit events show. */
export function systemCaller(author: Author = { id: SYSTEM_USER_ID, name: 'burgee' }): Caller {
  return { kind: 'system', author, ...UNPROVEN };
}

/**
 * A person that an identity provider has authenticated, before their account is known. This is not a system caller: an account that it creates counts
 * against the limits. Otherwise the provider would decide the number of users.
 */
export function arrivingCaller(protocol: string): Caller {
  return { kind: 'nobody', author: { id: SYSTEM_USER_ID, name: `${protocol}-sign-on` }, ...UNPROVEN };
}

/** A user as a caller. `proof`: the entity that authenticated them. */
export function userCaller(user: Pick<User, 'id' | 'name' | 'email' | 'username'>, proof: Proof | null): Caller {
  return { ...UNPROVEN, kind: 'user', author: authorOf(user), user: String(user.id), proof };
}

/** The caller as the sender of one request. Only the fields of a caller are copied: other fields of a credential, such as its secret, are not. */
export function withGrant(
  { kind, author, user, token, scope, proof }: Caller,
  grant: Grant,
  address: string | null = null,
): Caller {
  return { kind, author, user, token, scope, proof, grant, address };
}
