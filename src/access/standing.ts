import type { Permission } from '../model/permission.ts';
import { ROLE_ID } from '../model/role.ts';
import type { StateReader } from '../state/collections.ts';
import { allows, allowsSomewhere, type PermissionSet, permissionSet } from './permission-set.ts';
import { findRole } from './roles.ts';

/** Everything that a user was given, of their own and by their groups, gathered to be asked. */
interface Standing {
  /** What they have in the whole instance. */
  readonly everywhere: readonly PermissionSet[];
  readonly inProjects: ReadonlyMap<string, readonly PermissionSet[]>;
  /** They are told of private projects in which they have no role: their role in the whole instance is more than to view. */
  readonly seesPrivate: boolean;
}

/** Whether there is such a user. */
export function isUser(reader: StateReader, user: string): boolean {
  return standingOf(reader, user) !== undefined;
}

/** Whether the user may do this in the project and the environment; null for what reaches further than one. */
export function userMay(
  reader: StateReader,
  user: string,
  permission: Permission,
  project: string | null,
  environment: string | null,
): boolean {
  const standing = standingOf(reader, user);
  if (!standing) return false;
  for (const set of standing.everywhere) if (allows(set, permission, project, environment)) return true;
  const sets = project === null ? undefined : standing.inProjects.get(project);
  if (sets) for (const set of sets) if (allows(set, permission, project, environment)) return true;
  return false;
}

/** Whether there can be a place where the user may do this: in the project, if that is known. */
export function userMaySomewhere(
  reader: StateReader,
  user: string,
  permission: Permission,
  project: string | undefined,
): boolean {
  const standing = standingOf(reader, user);
  if (!standing) return false;
  const isAllowed = (set: PermissionSet) => allowsSomewhere(set, permission);
  if (standing.everywhere.some(isAllowed)) return true;
  if (project !== undefined) return standing.inProjects.get(project)?.some(isAllowed) === true;
  for (const sets of standing.inProjects.values()) if (sets.some(isAllowed)) return true;
  return false;
}

/** Whether the user is told of every project, private ones in which they have no role included. */
export function userSeesAll(reader: StateReader, user: string): boolean {
  return standingOf(reader, user)?.seesPrivate === true;
}

/**
 * Whether the user is told of the project. Those who are not told of all are refused one that does not exist as well, here and so in the same
 * words: whatever a route says of unknown projects, a private one cannot be told from none.
 */
export function userSees(reader: StateReader, user: string, project: string): boolean {
  const standing = standingOf(reader, user);
  if (!standing) return false;
  if (standing.seesPrivate || standing.inProjects.has(project)) return true;
  const mode = reader.get('projects', project)?.mode;
  return mode !== undefined && mode !== 'private';
}

/** Worked out once, until anything changes that it rests on: then the state has forgotten all of them (`StateReader.standings`). */
function standingOf(reader: StateReader, user: string): Standing | undefined {
  const known = reader.standings.get(user);
  if (known) return known as Standing;
  const made = gather(reader, user);
  if (made) reader.standings.set(user, made);
  return made;
}

function gather(reader: StateReader, key: string): Standing | undefined {
  const user = reader.get('users', key);
  if (!user) return undefined;
  const everywhere = new Set<PermissionSet>();
  const inProjects = new Map<string, Set<PermissionSet>>();
  let seesPrivate = false;
  const add = (sets: Set<PermissionSet>, id: number) => {
    const role = findRole(reader, id);
    if (role) sets.add(permissionSet(role));
  };
  const addHeld = (index: 'projectsByUser' | 'projectsByGroup', holder: string) => {
    for (const { project, roles } of reader.lookup(index, holder)) {
      const sets = inProjects.get(project) ?? new Set();
      inProjects.set(project, sets);
      for (const id of roles) add(sets, id);
    }
  };
  const addRoot = (id: number) => {
    add(everywhere, id);
    seesPrivate ||= id !== ROLE_ID.viewer;
  };
  addRoot(user.rootRole);
  addHeld('projectsByUser', key);
  for (const { groupId } of reader.lookup('membershipsByUser', key)) {
    const rootRole = reader.get('groups', String(groupId))?.rootRole ?? null;
    if (rootRole !== null) addRoot(rootRole);
    addHeld('projectsByGroup', String(groupId));
  }
  const lists = Array.from(inProjects, ([project, sets]) => [project, [...sets]] as const);
  return { everywhere: [...everywhere], inProjects: new Map(lists), seesPrivate };
}
