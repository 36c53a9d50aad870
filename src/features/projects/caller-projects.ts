import { allPermissionsOf } from '../../access/effective-permissions.ts';
import { may } from '../../access/may.ts';
import { findRole } from '../../access/roles.ts';
import type { Caller } from '../../model/caller.ts';
import { DEFAULT_PROJECT } from '../../model/project.ts';
import { projectRolesKey } from '../../model/project-roles.ts';
import type { Role } from '../../model/role.ts';
import type { StateReader } from '../../state/collections.ts';

/**
 * Returns the ids of the projects on the caller's dashboard: the projects in which the caller has a role; for editors also the default project; for
 * admins all projects.
 */
export function projectsOfDashboard(caller: Caller, reader: StateReader): string[] {
  const ownProjects = projectsOf(caller, reader);
  if (caller.user === null) return ownProjects;
  if (may(reader, caller, 'ADMIN', null, null)) return [...reader.values('projects')].map(({ id }) => id).sort();
  const addsDefault =
    !ownProjects.includes(DEFAULT_PROJECT) && may(reader, caller, 'UPDATE_FEATURE', DEFAULT_PROJECT, null);
  return addsDefault ? [DEFAULT_PROJECT, ...ownProjects] : ownProjects;
}

/** Returns the ids of the projects in which the caller has a role, directly or through a group. */
export function projectsOf({ user }: Caller, reader: StateReader): string[] {
  const permissions = user === null ? undefined : allPermissionsOf(reader, user);
  return permissions ? [...permissions.inProjects.keys()].sort() : [];
}

/** Returns the roles that the caller has in the project, directly or through groups, without duplicates. */
export function rolesIn(reader: StateReader, { user }: Caller, project: string): Role[] {
  const ids = new Set<number>();
  if (user !== null) {
    const add = (key: string) => reader.get('projectRoles', key)?.roles.forEach((id) => void ids.add(id));
    add(projectRolesKey(project, 'user', user));
    for (const { groupId } of reader.lookup('membershipsByUser', user)) add(projectRolesKey(project, 'group', groupId));
  }
  return [...ids].sort((left, right) => left - right).flatMap((id) => findRole(reader, id) ?? []);
}
