import type { Permission } from '../model/permission.ts';
import type { Role } from '../model/role.ts';

type Names = ReadonlySet<Permission>;

/** What a role allows, made to be asked. */
export interface PermissionSet {
  /** The role allows everything. */
  readonly isAll: boolean;
  /** Wherever the role is given. */
  readonly everywhere: Names;
  /** In one environment, of those wherever the role is given. */
  readonly inEnvironment: ReadonlyMap<string, Names>;
  /** In one project only, although the role is given in the whole instance. */
  readonly inProject: ReadonlyMap<string, Names>;
}

/** A role is never changed, only replaced: what was made of it holds for as long as it is there. */
const MADE = new WeakMap<Role, PermissionSet>();

export function permissionSet(role: Role): PermissionSet {
  let made = MADE.get(role);
  if (!made) {
    made = make(role);
    MADE.set(role, made);
  }
  return made;
}

/** Whether the role, given where somebody asks, allows this there. */
export function allows(
  { isAll, everywhere, inEnvironment, inProject }: PermissionSet,
  permission: Permission,
  project: string | null,
  environment: string | null,
): boolean {
  if (isAll || everywhere.has(permission)) return true;
  if (environment !== null && inEnvironment.get(environment)?.has(permission)) return true;
  return project !== null && inProject.get(project)?.has(permission) === true;
}

/** Whether there can be a place where the role allows this. */
export function allowsSomewhere({ isAll, everywhere, ...places }: PermissionSet, permission: Permission): boolean {
  if (isAll || everywhere.has(permission)) return true;
  for (const names of places.inEnvironment.values()) if (names.has(permission)) return true;
  for (const names of places.inProject.values()) if (names.has(permission)) return true;
  return false;
}

function make({ permissions }: Role): PermissionSet {
  const everywhere = new Set<Permission>();
  const inEnvironment = new Map<string, Set<Permission>>();
  const inProject = new Map<string, Set<Permission>>();
  for (const { name, environment, project } of permissions) {
    if (project !== undefined) add(inProject, project, name);
    else if (environment !== undefined) add(inEnvironment, environment, name);
    else everywhere.add(name);
  }
  return { isAll: everywhere.has('ADMIN'), everywhere, inEnvironment, inProject };
}

function add(places: Map<string, Set<Permission>>, place: string, name: Permission): void {
  const names = places.get(place);
  if (names) names.add(name);
  else places.set(place, new Set([name]));
}
