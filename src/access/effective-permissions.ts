import { SERVICE } from '../base/asking/asker.ts';
import { atOnce, inSlices, SLICE_BUDGET_MS, SliceClock, Slicer, type Steps } from '../base/yield-control.ts';
import type { Permission } from '../model/permission.ts';
import { projectRolesKey } from '../model/project-roles.ts';
import { ROLE_ID } from '../model/role.ts';
import type { StateReader } from '../state/collections.ts';
import type { CachedPermissions } from '../state/permission-cache.ts';
import { allows, allowsSomewhere, type PermissionSet, permissionSet } from './permission-set.ts';
import { findRole } from './roles.ts';

type Sets = readonly PermissionSet[];

/** All effective permissions of a user, from their own roles and their groups. */
interface AllPermissions extends CachedPermissions {
  readonly everywhere: Sets;
  /** By project. Projects with the same roles use the same list. */
  readonly inProjects: ReadonlyMap<string, Sets>;
  /** The distinct permission sets that the user has in any project. */
  readonly inAnyProject: Sets;
}

/** Effective permissions of a user, as far as they were requested: docs/decisions/effective-permissions.md. */
interface EffectivePermissions extends CachedPermissions {
  /** Permissions in the whole instance. */
  readonly everywhere: Sets;
  /** Whether the user sees private projects without a role in them, because their root role is more than Viewer. */
  readonly seesPrivate: boolean;
  readonly groups: readonly number[];
  /** Cached permissions of single projects, by project. Not used once `all` is known. */
  readonly singleProjects: Map<string, Sets>;
  /** Undefined until the permissions in all projects are calculated. */
  readonly all: AllPermissions | undefined;
  /** Set while `all` is being calculated. */
  calculation?: Promise<void>;
}

/** Maximum number of cached single projects of a user. */
const SINGLE_PROJECTS_MAX = 8;
/** A single project in which the user has more permission sets than this is not cached. */
const CACHED_SETS_MAX = 32;

/** Weight of the effective permissions of a user without `groups` and `all`. */
const BASE_WEIGHT = 12;

/** How often `all` is calculated if permissions change during the calculation. After the last attempt the caller continues without `all`. */
const CALCULATIONS_MAX = 3;

const NO_SETS: Sets = [];

/** Whether the user exists. */
export function isUser(reader: StateReader, user: string): boolean {
  return reader.get('users', user) !== undefined;
}

/** Whether the user has the permission in the project and the environment. Null: in more than one project or environment. */
export function userMay(
  reader: StateReader,
  user: string,
  permission: Permission,
  project: string | null,
  environment: string | null,
): boolean {
  const effective = effectivePermissionsOf(reader, user);
  if (!effective) return false;
  const isAllowed = (set: PermissionSet) => allows(set, permission, project, environment);
  return (
    effective.everywhere.some(isAllowed) ||
    (project !== null && setsInProject(reader, user, effective, project).some(isAllowed))
  );
}

/**
 * Whether the user has the permission in at least one project or environment. If `project` is defined, only this project counts. If it is undefined,
 * call `calculateAllPermissions` or `prepareAllPermissions` first: without such a call, this function collects all projects synchronously.
 */
export function userMaySomewhere(
  reader: StateReader,
  user: string,
  permission: Permission,
  project: string | undefined,
): boolean {
  const effective = effectivePermissionsOf(reader, user);
  if (!effective) return false;
  const isAllowed = (set: PermissionSet) => allowsSomewhere(set, permission);
  if (effective.everywhere.some(isAllowed)) return true;
  const sets =
    project === undefined
      ? allPermissionsOf(reader, user)?.inAnyProject
      : setsInProject(reader, user, effective, project);
  return sets?.some(isAllowed) === true;
}

/** Whether the user sees every project, including private ones in which they have no role. */
export function userSeesAll(reader: StateReader, user: string): boolean {
  return effectivePermissionsOf(reader, user)?.seesPrivate === true;
}

/**
 * Whether the user sees the project. For users who do not see all projects, this is also false for a project that does not exist. So such a user gets
 * the same answer for a private project and for a missing one, and cannot distinguish them.
 */
export function userSees(reader: StateReader, user: string, project: string): boolean {
  const mode = reader.get('projects', project)?.mode;
  if (mode !== undefined && mode !== 'private') return isUser(reader, user);
  const effective = effectivePermissionsOf(reader, user);
  return (
    effective !== undefined && (effective.seesPrivate || setsInProject(reader, user, effective, project).length > 0)
  );
}

/** The projects in which the user has a role. */
export function projectsWithRole(reader: StateReader, user: string): string[] {
  return [...(allPermissionsOf(reader, user)?.inProjects.keys() ?? [])];
}

/**
 * Returns the user's permissions in all projects; undefined if the user does not exist. Calculates them synchronously, unless `prepareAllPermissions`
 * or `calculateAllPermissions` ran before.
 */
export function allPermissionsOf(reader: StateReader, user: string): AllPermissions | undefined {
  atOnce(calculateAllPermissions(reader, user));
  return effectivePermissionsOf(reader, user)?.all;
}

/**
 * Calculates the result of `allPermissionsOf` in slices. Returns undefined if the result is already there. Concurrent callers wait for the same
 * calculation. It ends after `CALCULATIONS_MAX` attempts without a result if permissions keep changing: checks of one project do not need the result.
 */
export function prepareAllPermissions(reader: StateReader, user: string): Promise<void> | undefined {
  const known = reader.permissionCache.person(user) as EffectivePermissions | undefined;
  if (known?.all) return undefined;
  if (known?.calculation) return known.calculation;
  const steps = calculateAllPermissions(reader, user);
  const slice = new SliceClock(SLICE_BUDGET_MS);
  do if (steps.next().done) return undefined;
  while (!slice.spent);
  const calculation = finish(steps, reader, user);
  const effective = effectivePermissionsOf(reader, user);
  if (effective) effective.calculation = calculation;
  return calculation;
}

async function finish(steps: Steps<void>, reader: StateReader, user: string): Promise<void> {
  // Work of the service: the result is kept for later requests.
  const slicer = Slicer.of(SERVICE);
  await inSlices(steps, slicer);
  for (let count = 1; count < CALCULATIONS_MAX && !hasAll(reader, user); count++)
    await inSlices(calculateAllPermissions(reader, user), slicer);
}

function hasAll(reader: StateReader, user: string): boolean {
  const effective = effectivePermissionsOf(reader, user);
  return effective === undefined || effective.all !== undefined;
}

/** Same as `prepareAllPermissions`, as steps: the caller pauses between them. Makes only one attempt. */
export function* calculateAllPermissions(reader: StateReader, user: string): Steps<void> {
  if (!reader.permissionCache.person(user)) yield* prepareRootRoles(reader, user);
  const effective = effectivePermissionsOf(reader, user);
  if (!effective || effective.all) return;
  const all = yield* gatherAll(reader, user, effective);
  // If permissions changed in a pause, the cache entry was discarded: the result is outdated and is not stored.
  if (reader.permissionCache.person(user) !== effective) return;
  const weight = effective.weight + all.weight;
  const { everywhere, seesPrivate, groups } = effective;
  const completed: EffectivePermissions = {
    everywhere,
    seesPrivate,
    groups,
    singleProjects: new Map(),
    all,
    weight,
  };
  reader.permissionCache.keep(user, completed);
}

/** Returns the user's effective permissions. They are cached until a change of permissions concerns the user (`StateReader.permissionCache`). */
function effectivePermissionsOf(reader: StateReader, user: string): EffectivePermissions | undefined {
  const known = reader.permissionCache.person(user);
  if (known) return known as EffectivePermissions;
  const effective = rootPermissionsOf(reader, user);
  if (effective) reader.permissionCache.keep(user, effective);
  return effective;
}

/** The effective permissions without those in projects. Needs one look-up for each group of the user. */
function rootPermissionsOf(reader: StateReader, key: string): EffectivePermissions | undefined {
  const user = reader.get('users', key);
  if (!user) return undefined;
  const roots = new Set<number>([user.rootRole]);
  const groups: number[] = [];
  for (const { groupId } of reader.lookup('membershipsByUser', key)) {
    groups.push(groupId);
    const rootRole = reader.get('groups', String(groupId))?.rootRole ?? null;
    if (rootRole !== null) roots.add(rootRole);
  }
  const seesPrivate = roots.size > 1 || !roots.has(ROLE_ID.viewer);
  const weight = BASE_WEIGHT + groups.length;
  return { everywhere: setsOf(reader, roots), seesPrivate, groups, singleProjects: new Map(), all: undefined, weight };
}

/** Creates the permission sets of the roles that `rootPermissionsOf` needs. The set of a large role takes long to create, and is cached. */
function* prepareRootRoles(reader: StateReader, user: string): Steps<void> {
  for (const { groupId } of reader.lookup('membershipsByUser', user)) {
    const rootRole = reader.get('groups', String(groupId))?.rootRole ?? null;
    if (rootRole !== null) setOf(reader, rootRole);
    yield;
  }
}

/** The user's permissions from roles in one project. */
function setsInProject(
  reader: StateReader,
  user: string,
  { all, groups, singleProjects }: EffectivePermissions,
  project: string,
): Sets {
  const known = all ? all.inProjects.get(project) : singleProjects.get(project);
  if (known || all) return known ?? NO_SETS;
  const roles = new RoleIds();
  roles.add(reader.get('projectRoles', projectRolesKey(project, 'user', user))?.roles);
  for (const group of groups) roles.add(reader.get('projectRoles', projectRolesKey(project, 'group', group))?.roles);
  const sets = setsOf(reader, roles.ids);
  if (singleProjects.size === SINGLE_PROJECTS_MAX) singleProjects.clear();
  if (sets.length <= CACHED_SETS_MAX) singleProjects.set(project, sets);
  return sets;
}

function* gatherAll(
  reader: StateReader,
  user: string,
  { everywhere, groups }: EffectivePermissions,
): Steps<AllPermissions> {
  const byProject = new Map<string, RoleIds>();
  const add = (project: string, ids: readonly number[]) => {
    let roles = byProject.get(project);
    if (!roles) {
      roles = new RoleIds();
      byProject.set(project, roles);
    }
    roles.add(ids);
  };
  for (const { project, roles } of reader.lookup('projectsByUser', user)) {
    add(project, roles);
    yield;
  }
  for (const group of groups) {
    for (const { project, roles } of reader.lookup('projectsByGroup', String(group))) {
      add(project, roles);
      yield;
    }
    yield;
  }
  const shared = new Map<string, Sets>();
  const inProjects = new Map<string, Sets>();
  const inAnyProject = new Set<PermissionSet>();
  let weight = byProject.size;
  for (const [project, { ids }] of byProject) {
    const key = [...ids].sort((left, right) => left - right).join();
    let sets = shared.get(key);
    if (!sets) {
      for (const id of ids) {
        setOf(reader, id);
        yield;
      }
      sets = setsOf(reader, ids);
      shared.set(key, sets);
      weight += sets.length;
      for (const set of sets) inAnyProject.add(set);
    }
    if (sets.length > 0) inProjects.set(project, sets);
    yield;
  }
  return { everywhere, inProjects, inAnyProject: [...inAnyProject], weight: weight + inAnyProject.size };
}

/** Distinct role ids. Many groups have the same roles in a project: a list equal to the previous one is skipped. */
class RoleIds {
  readonly ids = new Set<number>();
  #last: readonly number[] = [];

  add(roles: readonly number[] = []): void {
    if (roles.length === this.#last.length && roles.every((id, at) => id === this.#last[at])) return;
    this.#last = roles;
    for (const id of roles) this.ids.add(id);
  }
}

function setOf(reader: StateReader, id: number): PermissionSet | undefined {
  const role = findRole(reader, id);
  return role && permissionSet(role);
}

function setsOf(reader: StateReader, ids: Iterable<number>): Sets {
  const sets: PermissionSet[] = [];
  for (const id of ids) {
    const set = setOf(reader, id);
    if (set) sets.push(set);
  }
  return sets;
}
