import { collection, NO_KEYS } from './collection.ts';
import { ROLE_ID } from './role.ts';
export type HolderKind = 'user' | 'group';

/**
 * The roles that a user, or a group, has in one project, as stored. Collection `projectRoles`, key: `projectRolesKey`. There is none without
 * a role.
 */
export interface ProjectRoles {
  readonly project: string;
  readonly holder: HolderKind;
  readonly holderId: number;
  /** Ids, in ascending order, each once. */
  readonly roles: readonly number[];
  /** When the holder first got one. */
  readonly createdAt: string;
}

export function projectRolesKey(project: string, holder: HolderKind, holderId: number | string): string {
  return `${holder}:${holderId}:${project}`;
}

export const projectRoles = collection({
  schema: 1,
  key: (held: ProjectRoles) => projectRolesKey(held.project, held.holder, held.holderId),
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
