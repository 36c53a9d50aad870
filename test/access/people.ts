import type { Group } from '../../src/features/people/groups/group.ts';
import { type Caller, userCaller } from '../../src/model/caller.ts';
import type { HolderKind } from '../../src/model/project-roles.ts';
import { LAST_BUILT_IN, ROLE_ID, type Role, type RolePermission } from '../../src/model/role.ts';
import type { User } from '../../src/model/user.ts';
import type { Draft } from '../../src/state/draft.ts';

const AT = '2026-01-01T00:00:00.000Z';

/** A stored user. */
export function user(id: number, rest: Partial<User> = {}): User {
  const names = { name: `User ${id}`, email: `user-${id}@example.org`, username: null };
  const defaults = { passwordHash: null, createdAt: AT, seenAt: null, loginAttempts: 0 };
  return { id, accountType: 'User', ...names, rootRole: ROLE_ID.viewer, ...defaults, ...rest };
}

/** A custom role with exactly these permissions. */
export function customRole(id: number, type: 'custom' | 'root-custom', permissions: readonly RolePermission[]): Role {
  return { id: LAST_BUILT_IN + id, name: `role-${id}`, description: '', type, permissions };
}

/** A group with these members. */
export function putGroup(draft: Draft, id: number, members: readonly number[], rest: Partial<Group> = {}): void {
  const defaults = { description: null, mappingsSSO: [], rootRole: null, createdAt: AT, createdBy: null };
  draft.put('groups', { id, name: `group-${id}`, ...defaults, ...rest });
  for (const userId of members) {
    draft.put('groupMembers', { groupId: id, userId, joinedAt: AT, createdBy: null, bySignOn: false });
  }
}

/** Grants the roles in the project to the holder. */
export function give(draft: Draft, project: string, holder: HolderKind, holderId: number, roles: number[]): void {
  draft.put('projectRoles', { project, holder, holderId, roles, createdAt: AT });
}

/** The user as a caller without a credential. */
export function caller(id: number): Caller {
  return userCaller(user(id), null);
}
