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
 * entity that it names. The front of the server decides by path and query. Only the command knows values in the body or the entity,
 * and it calls `may` on its draft; the front then refuses only callers who may not do this in any project or environment.
 */
export type Source<Path extends string = string, Query extends string = string, Body extends string = string> =
  | `path.${Path}`
  | `query.${Query}`
  | `body.${Body}`
  | `entity.${CollectionName}`;

/** One of them is enough. */
type AnyOf<P> = P | readonly P[];

/** Access of routes that are decided by the head of the request alone. */
export interface HeadAccess {
  readonly permission: 'NONE' | 'CLIENT' | 'FRONTEND' | 'READ';
  /** The token may come in this header instead of `authorization`: other protocols have other customs. */
  readonly keyHeader?: 'x-api-key';
  /** Of `NONE`: for operators. Asks for `BACKSTAGE_TOKEN` where that is set. */
  readonly backstage?: true;
}

/** Access to what belongs to no project. */
export interface RootAccess {
  readonly permission: RootPermission;
}

/**
 * What a route requires of its caller: `NONE` no credential, `CLIENT` and `FRONTEND` a token of this type, `READ` any admin or user, or a
 * permission, or one of several. A permission in a project or an environment includes where the request contains it.
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

/** What the route asks for, as a list: one of these is enough. */
export function requirementsOf(access: Access): readonly Requirement[] {
  const { permission } = access;
  return typeof permission === 'string' ? [permission] : permission;
}

/** The permissions of the admin side among them. */
export function permissionsOf(access: Access): readonly Permission[] {
  return requirementsOf(access).filter((required) => !HEAD_KINDS.has(required)) as readonly Permission[];
}

const HEAD_KINDS: ReadonlySet<Requirement> = new Set(['NONE', 'CLIENT', 'FRONTEND', 'READ']);

/** Which kind of token opens the route. */
export function credentialOf({ permission }: Access): 'none' | 'client' | 'frontend' | 'admin' {
  if (permission === 'NONE') return 'none';
  if (permission === 'CLIENT') return 'client';
  return permission === 'FRONTEND' ? 'frontend' : 'admin';
}
