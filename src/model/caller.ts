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
 * `nobody`: the request has no credential, and the route needs none. `client`, `frontend`: an SDK with a token. `admin`: an admin token, which may do
 * everything. `user`: a user with roles, however they signed on. `scim`: an identity provider that manages users and groups. `system`: the service
 * itself.
 */
export type CallerKind = 'nobody' | 'client' | 'frontend' | 'admin' | 'user' | 'scim' | 'system';

/** Identifies the stored entity that authenticates a caller. The caller is authenticated only as long as this entity exists. */
interface Proof {
  readonly collection: 'apiTokens' | 'sessions' | 'personalTokens' | 'scimTokens';
  readonly key: string;
}

/**
 * What the HTTP front allowed a request to do: what needs one of the permissions, in the project and environment. Null: more than one project or
 * environment. Undefined: only the command can find out the project or environment. The callers of the request's commands carry the grant. It is
 * checked again on the state on which each command is decided.
 */
export interface Grant {
  readonly required: readonly Requirement[];
  readonly project: string | null | undefined;
  readonly environment: string | null | undefined;
}

/**
 * The sender of a command or of a request. All requests with one token share one object; each request of the admin API gets a copy with its own
 * grant.
 */
export interface Caller {
  readonly kind: CallerKind;
  readonly author: Author;
  /** The key of the user; null if the caller is not a user. */
  readonly user: string | null;
  /** Null for users. */
  readonly token: ApiToken | null;
  /** For client and frontend callers; admin callers have an empty scope. */
  readonly scope: Scope;
  /** The stored entity that authenticated the caller; null for callers without a credential. */
  readonly proof: Proof | null;
  readonly grant: Grant | null;
  /** Client address of the request, for audit events. Null for the service itself, and for requests that change nothing. */
  readonly address: string | null;
  /** Why the caller makes the change, in their words, for audit events and for environments that demand a reason. Null: not stated. */
  readonly reason: string | null;
  readonly edit: Edit | null;
}

/** What a request states about the entity that it changes: which one, and which version of it the client has read (`features/shared/entity-tags.ts`). */
export interface Edit {
  /** Kind of the entity. */
  readonly kind: string;
  /** The path parameters, which identify the entity. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Tags of which the entity must have one; `*`: it must exist. Null: no condition. */
  readonly ifMatch: readonly string[] | '*' | null;
}

/** Whether the scope covers the project. */
export function covers(scope: Scope, project: string): boolean {
  return scope.projects === null || scope.projects.has(project);
}

/** The key of the caller's quota: the user, or the token. */
export function holderOf({ user, proof, kind }: Pick<Caller, 'user' | 'proof' | 'kind'>): string {
  return user ?? proof?.key ?? kind;
}

const NO_SCOPE: Scope = { environment: '', projects: new Set() };

const WITHOUT_CREDENTIAL = {
  user: null,
  token: null,
  scope: NO_SCOPE,
  proof: null,
  grant: null,
  address: null,
  reason: null,
  edit: null,
} as const;

/** A caller without a credential, for routes that need none. */
export const NOBODY: Caller = { kind: 'nobody', author: { id: 0, name: 'anonymous' }, ...WITHOUT_CREDENTIAL };

/** The service itself, with the name that its audit events show. */
export function systemCaller(author: Author = { id: SYSTEM_USER_ID, name: 'burgee' }): Caller {
  return { kind: 'system', author, ...WITHOUT_CREDENTIAL };
}

/**
 * A person that an identity provider has authenticated, before their account is known. This is not a system caller, so an account that the sign-on
 * creates counts against the limits. Otherwise the identity provider would decide the number of users.
 */
export function arrivingCaller(protocol: string): Caller {
  return { kind: 'nobody', author: { id: SYSTEM_USER_ID, name: `${protocol}-sign-on` }, ...WITHOUT_CREDENTIAL };
}

/** The identity provider that sent the token with this stored hash. */
export function scimCaller(secret: string): Caller {
  const author = { id: SYSTEM_USER_ID, name: 'scim' };
  return { ...WITHOUT_CREDENTIAL, kind: 'scim', author, proof: { collection: 'scimTokens', key: secret } };
}

/** A user as a caller. `proof`: the entity that authenticated them. */
export function userCaller(user: Pick<User, 'id' | 'name' | 'email' | 'username'>, proof: Proof | null): Caller {
  return { ...WITHOUT_CREDENTIAL, kind: 'user', author: authorOf(user), user: String(user.id), proof };
}

/**
 * The caller as the sender of one request. Copies only the fields of a caller, not other fields of the object, such as the secret of a credential.
 */
export function withGrant(
  { kind, author, user, token, scope, proof }: Caller,
  grant: Grant,
  { address = null, reason = null, edit = null }: Partial<Pick<Caller, 'address' | 'reason' | 'edit'>> = {},
): Caller {
  return { kind, author, user, token, scope, proof, grant, address, reason, edit };
}
