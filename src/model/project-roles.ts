import { collection, NO_KEYS } from './collection.ts';
import { ROLE_ID } from './role.ts';
export type HolderKind = 'user' | 'group';

/**
 * The roles of a user or a group in one project, as stored. Collection `projectRoles`, key: `projectRolesKey`. An entity has at least
 * one role.
 */
export interface ProjectRoles {
  readonly project: string;
  readonly holder: HolderKind;
  readonly holderId: number;
  /** Role ids, ascending, without duplicates. */
  readonly roles: readonly number[];
  /** When the user or group got its first role. */
  readonly createdAt: string;
}

export function projectRolesKey(project: string, holder: HolderKind, holderId: number | string): string {
  return `${holder}:${holderId}:${project}`;
}

export const projectRoles = collection({
  schema: 1,
  key: (held: ProjectRoles) => projectRolesKey(held.project, held.holder, held.holderId),
  past: 'access',
  indexes: {
    rolesByProject: ({ project }) => [project],
    projectsByUser: ({ holder, holderId }) => (holder === 'user' ? [String(holderId)] : NO_KEYS),
    projectsByGroup: ({ holder, holderId }) => (holder === 'group' ? [String(holderId)] : NO_KEYS),
    holdersByRole: ({ roles }) => roles.map(String),
    ownersByProject: ({ project, roles }) => (roles.includes(ROLE_ID.owner) ? [project] : NO_KEYS),
  },
});

declare module './collection.ts' {
  interface CollectionTable {
    readonly projectRoles: typeof projectRoles;
  }
}
