import type {
  EnvironmentPermission,
  Permission,
  ProjectPermission,
  Requirement,
  RootPermission,
} from '../model/permission.ts';
import type { CollectionName } from '../state/collections.ts';

/**
 * Where a request contains its project or environment: a parameter of its path or query, a property of its body, or the
 * entity that it names. `name`: the route is only for the project with this name. `Admission` decides by path and query. If the value is in the body or the entity, only the command can decide: it calls `may`
 * on its draft, and `Admission` refuses only callers who may not do the operation in any project or environment.
 */
export type Source<Path extends string = string, Query extends string = string, Body extends string = string> =
  | `path.${Path}`
  | `query.${Query}`
  | `body.${Body}`
  | `entity.${CollectionName}`
  | `name.${string}`;

/** One permission, or a list of permissions of which the caller needs only one. */
type AnyOf<P> = P | readonly P[];

/** Access of routes for which the head of the request alone decides. */
export interface HeadAccess {
  readonly permission: 'NONE' | 'CLIENT' | 'FRONTEND' | 'READ' | 'SCIM';
  /** The caller may send the token in this header instead of `authorization`. Other protocols use this header. */
  readonly keyHeader?: 'x-api-key';
  /** The address of the route contains the right to use it, for callers that can send no header. They may also send the token. */
  readonly byAddress?: true;
  /** Only with `NONE`: the route is for operators. It requires `BACKSTAGE_TOKEN` if that is set. */
  readonly backstage?: true;
}

/** Access to entities that belong to no project. */
export interface RootAccess {
  readonly permission: RootPermission;
}

/**
 * What a route requires of its caller: `NONE` no credential, `CLIENT` and `FRONTEND` a token of this type, `READ` any admin or user, `SCIM` the
 * token of the identity provider, otherwise a permission or one of several permissions. For a permission in a project or an environment, `project` and `environment` state the part of the
 * request that names it.
 */
export type Access<Path extends string = string, Query extends string = string, Body extends string = string> =
  | (HeadAccess & { readonly project?: never; readonly environment?: never })
  | {
      readonly permission: 'READ';
      readonly project: Source<Path, Query, Body>;
      readonly environment?: Source<Path, Query, Body>;
    }
  | { readonly permission: AnyOf<RootPermission>; readonly project?: never; readonly environment?: never }
  | {
      readonly permission: AnyOf<RootPermission | ProjectPermission>;
      readonly project: Source<Path, Query, Body>;
      readonly environment?: never;
    }
  | {
      readonly permission: AnyOf<RootPermission | ProjectPermission | EnvironmentPermission>;
      readonly project: Source<Path, Query, Body>;
      readonly environment: Source<Path, Query, Body>;
    };

/** The requirements of the route, as a list. The caller needs only one of them. */
export function requirementsOf(access: Access): readonly Requirement[] {
  const { permission } = access;
  return typeof permission === 'string' ? [permission] : permission;
}

/** The requirements that are permissions of the admin API. */
export function permissionsOf(access: Access): readonly Permission[] {
  return requirementsOf(access).filter((required) => !HEAD_KINDS.has(required)) as readonly Permission[];
}

const HEAD_KINDS: ReadonlySet<Requirement> = new Set(['NONE', 'CLIENT', 'FRONTEND', 'READ', 'SCIM']);

/** The kind of token that the route requires. */
export function credentialOf({ permission }: Access): 'none' | 'client' | 'frontend' | 'scim' | 'admin' {
  if (permission === 'NONE') return 'none';
  if (permission === 'CLIENT') return 'client';
  if (permission === 'SCIM') return 'scim';
  return permission === 'FRONTEND' ? 'frontend' : 'admin';
}
