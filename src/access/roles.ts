import { BUILT_IN_ROLES, isRootRole, LAST_BUILT_IN, type Role } from '../model/role.ts';
import type { StateReader } from '../state/collections.ts';

/** The role with this id, built in or created by users. */
export function findRole(reader: StateReader, id: number): Role | undefined {
  return id <= LAST_BUILT_IN ? BUILT_IN_ROLES.get(id) : reader.get('roles', String(id));
}

/** Every role, sorted by id. */
export function allRoles(reader: StateReader): Role[] {
  const own = [...reader.values('roles')].sort((left, right) => left.id - right.id);
  return [...BUILT_IN_ROLES.values(), ...own];
}

/** Same as `findRole`, but only for root roles. */
export function findRootRole(reader: StateReader, id: number): Role | undefined {
  const role = findRole(reader, id);
  return role && isRootRole(role) ? role : undefined;
}
