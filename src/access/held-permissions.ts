import { ALL } from '../model/api-token.ts';
import type { Caller } from '../model/caller.ts';
import { PERMISSIONS } from '../model/permission.ts';
import type { Role } from '../model/role.ts';
import type { StateReader } from '../state/collections.ts';
import { findRole } from './roles.ts';

/** A permission that somebody holds, and where: as Unleash's pages ask for it. `*`: in all of them; left out: it reaches further than one. */
interface HeldPermission {
  readonly permission: string;
  readonly project?: string;
  readonly environment?: string;
}

/** Everything that the caller may do, each once. For pages that show what can be clicked: nothing is decided by it. */
export function heldPermissions(reader: StateReader, caller: Caller): HeldPermission[] {
  const { user } = caller;
  if (user === null) return [{ permission: 'ADMIN' }];
  const held = new Map<string, HeldPermission>();
  const add = (id: number, project: string | null) => {
    const role = findRole(reader, id);
    for (const one of role ? permissionsIn(role, project) : [])
      held.set(`${one.permission} ${one.project ?? ''} ${one.environment ?? ''}`, one);
  };
  const addProjects = (index: 'projectsByUser' | 'projectsByGroup', key: string) => {
    for (const { project, roles } of reader.lookup(index, key)) for (const id of roles) add(id, project);
  };
  const known = reader.get('users', user);
  if (known) add(known.rootRole, null);
  addProjects('projectsByUser', user);
  for (const { groupId } of reader.lookup('membershipsByUser', user)) {
    const rootRole = reader.get('groups', String(groupId))?.rootRole ?? null;
    if (rootRole !== null) add(rootRole, null);
    addProjects('projectsByGroup', String(groupId));
  }
  return [...held.values()];
}

/** What a role allows that is given in a project, or in the whole instance (null). */
function permissionsIn({ permissions }: Role, given: string | null): HeldPermission[] {
  return permissions.map(({ name, project, environment }) => {
    const reach = PERMISSIONS[name];
    if (reach === 'root') return { permission: name };
    const place = { permission: name, project: project ?? given ?? ALL };
    return reach === 'environment' ? { ...place, environment: environment ?? ALL } : place;
  });
}
