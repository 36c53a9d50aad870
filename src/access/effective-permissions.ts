import { atOnce, inSlices, Slicer, type Steps } from '../base/yield-control.ts';
import type { Permission } from '../model/permission.ts';
import { projectRolesKey } from '../model/project-roles.ts';
import { ROLE_ID } from '../model/role.ts';
import type { StateReader } from '../state/collections.ts';
import type { Weighed } from '../state/permission-cache.ts';
import { allows, allowsSomewhere, type PermissionSet, permissionSet } from './permission-set.ts';
import { findRole } from './roles.ts';

type Sets = readonly PermissionSet[];

/** All effective permissions of a user, from their own roles and their groups. */
interface AllPermissions extends Weighed {
  readonly everywhere: Sets;
  /** By project. Projects with the same roles use the same list. */
  readonly inProjects: ReadonlyMap<string, Sets>;
  /** The distinct permission sets that the user has in any project. */
  readonly inAnyProject: Sets;
}

/** Effective permissions of a user, as far as they were requested. docs/decisions/effective-permissions.md */
interface EffectivePermissions extends Weighed {
  /** Permissions in the whole instance. */
  readonly everywhere: Sets;
  /** Whether the user sees private projects without a role in them, because their root role is more than Viewer. */
  readonly seesPrivate: boolean;
  readonly groups: readonly number[];
  /** Cached permissions of single projects. */
  readonly asked: Map<string, Sets>;
  readonly whole: AllPermissions | undefined;
  /** Set while `whole` is being calculated. */
  making?: Promise<void>;
}

/** Maximum number of cached single projects, and of roles in a cached project. */
const ASKED_MAX = 8;
const ASKED_ROLES_MAX = 32;

/** Weight of the effective permissions of a user without `groups` and `whole`. */
const BASE_WEIGHT = 12;

/** How often `whole` is calculated when permissions change during the calculation; after that the caller continues without it. */
const TRIES = 3;

const NOTHING: Sets = [];

/** Whether the user exists. */
export function isUser(reader: StateReader, user: string): boolean {
  return reader.get('users', user) !== undefined;
}

/** Whether the user has the permission in the project and the environment; null means more than one. */
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
    effective.everywhere.some(isAllowed) || (project !== null && held(reader, user, effective, project).some(isAllowed))
  );
}

/**
 * Whether the user has the permission in at least one project or environment; only in `project`, if it is known. If it is not known, call `makeWhole`
 * or `wholeReady` first; otherwise this function collects all projects synchronously.
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
  const sets = project === undefined ? wholeOf(reader, user)?.inAnyProject : held(reader, user, effective, project);
  return sets?.some(isAllowed) === true;
}

/** Whether the user sees every project, including private ones in which they have no role. */
export function userSeesAll(reader: StateReader, user: string): boolean {
  return effectivePermissionsOf(reader, user)?.seesPrivate === true;
}

/**
 * Whether the user sees the project. For users who do not see all projects this is also false for a project that does not exist, so both get the
 * same answer: a private project cannot be distinguished from a missing one.
 */
export function userSees(reader: StateReader, user: string, project: string): boolean {
  const mode = reader.get('projects', project)?.mode;
  if (mode !== undefined && mode !== 'private') return isUser(reader, user);
  const effective = effectivePermissionsOf(reader, user);
  return effective !== undefined && (effective.seesPrivate || held(reader, user, effective, project).length > 0);
}

/**
 * The user's permissions in all projects; undefined if the user does not exist. Calculated synchronously unless `wholeReady` or `makeWhole` ran
 * before.
 */
export function wholeOf(reader: StateReader, user: string): AllPermissions | undefined {
  atOnce(makeWhole(reader, user));
  return effectivePermissionsOf(reader, user)?.whole;
}

/**
 * Calculates the result of `wholeOf` in slices; returns undefined when it is ready. Concurrent callers wait for the same calculation. It stops
 * after `TRIES` attempts if permissions keep changing: checks of one project do not need it.
 */
export function wholeReady(reader: StateReader, user: string): Promise<void> | undefined {
  const known = reader.permissionCache.person(user) as EffectivePermissions | undefined;
  if (known?.whole) return undefined;
  if (known?.making) return known.making;
  const steps = makeWhole(reader, user);
  const slicer = new Slicer();
  do if (steps.next().done) return undefined;
  while (!slicer.spent);
  const making = finish(steps, reader, user);
  const effective = effectivePermissionsOf(reader, user);
  if (effective) effective.making = making;
  return making;
}

async function finish(steps: Steps<void>, reader: StateReader, user: string): Promise<void> {
  await inSlices(steps);
  for (let count = 1; count < TRIES && !isWhole(reader, user); count++) await inSlices(makeWhole(reader, user));
}

function isWhole(reader: StateReader, user: string): boolean {
  const effective = effectivePermissionsOf(reader, user);
  return effective === undefined || effective.whole !== undefined;
}

/** Same as `wholeReady`, as steps: the caller pauses between them. */
export function* makeWhole(reader: StateReader, user: string): Steps<void> {
  if (!reader.permissionCache.person(user)) yield* prepareRootRoles(reader, user);
  const effective = effectivePermissionsOf(reader, user);
  if (!effective || effective.whole) return;
  const whole = yield* gatherWhole(reader, user, effective);
  // Permissions changed in a pause and the cache entry was discarded: do not store the outdated result.
  if (reader.permissionCache.person(user) !== effective) return;
  const weight = effective.weight + whole.weight;
  const { everywhere, seesPrivate, groups } = effective;
  const made: EffectivePermissions = { everywhere, seesPrivate, groups, asked: new Map(), whole, weight };
  reader.permissionCache.keep(user, made);
}

/** Cached until a change of permissions concerns the user (`StateReader.standings`). */
function effectivePermissionsOf(reader: StateReader, user: string): EffectivePermissions | undefined {
  const known = reader.permissionCache.person(user);
  if (known) return known as EffectivePermissions;
  const made = begin(reader, user);
  if (made) reader.permissionCache.keep(user, made);
  return made;
}

/** Needs one look-up for each group of the user. */
function begin(reader: StateReader, key: string): EffectivePermissions | undefined {
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
  return { everywhere: setsOf(reader, roots), seesPrivate, groups, asked: new Map(), whole: undefined, weight };
}

/** Creates the permission sets of the roles that `begin` needs: a large role takes long, and its set is cached. */
function* prepareRootRoles(reader: StateReader, user: string): Steps<void> {
  for (const { groupId } of reader.lookup('membershipsByUser', user)) {
    const rootRole = reader.get('groups', String(groupId))?.rootRole ?? null;
    if (rootRole !== null) setOf(reader, rootRole);
    yield;
  }
}

/** The user's permissions in one project. */
function held(
  reader: StateReader,
  user: string,
  { whole, groups, asked }: EffectivePermissions,
  project: string,
): Sets {
  const known = whole ? whole.inProjects.get(project) : asked.get(project);
  if (known || whole) return known ?? NOTHING;
  const roles = new RoleIds();
  roles.add(reader.get('projectRoles', projectRolesKey(project, 'user', user))?.roles);
  for (const group of groups) roles.add(reader.get('projectRoles', projectRolesKey(project, 'group', group))?.roles);
  const made = setsOf(reader, roles.ids);
  if (asked.size === ASKED_MAX) asked.clear();
  if (made.length <= ASKED_ROLES_MAX) asked.set(project, made);
  return made;
}

function* gatherWhole(
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
