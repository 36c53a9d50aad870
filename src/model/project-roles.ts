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
