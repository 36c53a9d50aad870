import Type from 'typebox';
import { may } from '../../access/may.ts';
import { permissionProblem } from '../../access/permission-problem.ts';
import { findRole } from '../../access/roles.ts';
import { getOrMake } from '../../base/get-or-make.ts';
import { conflict, invalid, notFound, Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../engine/command.ts';
import { PROJECT_LIMITS } from '../../model/limits/projects.ts';
import { NameReference } from '../../model/primitives.ts';
import { type HolderKind, type ProjectRoles, projectRolesKey } from '../../model/project-roles.ts';
import { isRootRole, ROLE_ID, type Role } from '../../model/role.ts';
import type { StateReader } from '../../state/collections.ts';
import { deletedUserProblem } from '../people/groups/commands.ts';
import { PEOPLE_LIMITS } from '../people/limits.ts';
import { RoleId } from '../people/roles/commands.ts';
import { findProject } from '../shared/lookup.ts';
import type { UndoRule } from '../shared/undoing.ts';

const Holder = Type.Enum(['user', 'group']);
export const HolderId = Type.Integer({ minimum: 1 });
export const HolderIds = Type.Array(HolderId, { maxItems: PEOPLE_LIMITS.usersInRequest.max });
export const RoleIds = Type.Array(RoleId, { maxItems: PROJECT_LIMITS.rolesOfHolder.max });

/** Replaces the roles that one user or one group has in a project. An empty list removes the user or group from the project. */
export const setProjectRoles = longCommand({
  name: 'set-project-roles',
  input: Type.Object({ project: NameReference, holder: Holder, holderId: HolderId, roles: RoleIds }),
  *decide(context, { project: id, holder, holderId, roles }) {
    const project = findProject(context.draft, id);
    if (project instanceof Rejection) return project;
    const hadOwner = yield* hasOwner(context.draft, id);
    const assignment = { holder, holderId, roles };
    const problem = yield* assignmentProblem(context, id, assignment);
    if (problem) return problem;
    const { before, after } = putRoles(context, id, assignment);
    const kind = roles.length === 0 ? 'deleted' : 'updated';
    const details = (entry: ProjectRoles | undefined) =>
      entry ? { [`${holder}Id`]: holderId, roles: entry.roles } : undefined;
    context.emit({
      type: `project-access-${holder}-roles-${kind}`,
      project: id,
      data: details(after),
      preData: details(before),
    });
    return yield* ownerProblem(context.draft, id, hadOwner);
  },
});

const Access = Type.Object({ users: HolderIds, groups: HolderIds, roles: RoleIds });

/** Gives roles in a project to users and groups, in addition to the roles that they have already. */
export const addProjectAccess = longCommand({
  name: 'add-project-access',
  input: Type.Object({ project: NameReference, ...Access.properties }),
  *decide(context, { project: id, users, groups, roles }) {
    const project = findProject(context.draft, id);
    if (project instanceof Rejection) return project;
    const grantProblems: GrantProblems = new Map();
    for (const [holder, ids] of Object.entries({ user: users, group: groups }) as [HolderKind, number[]][]) {
      for (const holderId of new Set(ids)) {
        const currentRoles = context.draft.get('projectRoles', projectRolesKey(id, holder, holderId))?.roles ?? [];
        const assignment = { holder, holderId, roles: [...currentRoles, ...roles] };
        const problem = yield* assignmentProblem(context, id, assignment, grantProblems);
        if (problem) return problem;
        putRoles(context, id, assignment);
        yield;
      }
    }
    context.emit({ type: 'project-access-added', project: id, data: { users, groups, roles } });
    return undefined;
  },
});

/** How one role of a user or a group changes: the role is added to the other roles, replaces them, or is removed. */
const RoleVerb = Type.Enum(['add', 'set', 'remove']);

const ROLE_EVENTS = {
  user: { add: 'project-user-added', set: 'project-user-role-changed', remove: 'project-user-removed' },
  group: { add: 'project-group-added', set: 'project-group-role-changed', remove: 'project-group-removed' },
} as const;

/** Adds, sets or removes one role of a user or a group in a project. It is for the older interface, in which a holder could have only one role. */
export const changeProjectRole = longCommand({
  name: 'change-project-role',
  input: Type.Object({ project: NameReference, holder: Holder, holderId: HolderId, role: RoleId, verb: RoleVerb }),
  *decide(context, { project: id, holder, holderId, role, verb }) {
    const { draft, emit } = context;
    const project = findProject(draft, id);
    if (project instanceof Rejection) return project;
    const hadOwner = yield* hasOwner(draft, id);
    const currentRoles = draft.get('projectRoles', projectRolesKey(id, holder, holderId))?.roles ?? [];
    if (verb === 'add' && currentRoles.includes(role))
      return conflict(`The ${holder} ${holderId} has this role already.`);
    if (verb === 'remove' && !currentRoles.includes(role))
      return notFound(`The ${holder} ${holderId} does not have this role.`);
    const otherRoles = currentRoles.filter((one) => one !== role);
    const assignment = {
      holder,
      holderId,
      roles: verb === 'remove' ? otherRoles : verb === 'set' ? [role] : [...currentRoles, role],
    };
    const problem = yield* assignmentProblem(context, id, assignment);
    if (problem) return problem;
    putRoles(context, id, assignment);
    const details = { [`${holder}Id`]: holderId, roleId: role };
    const eventData =
      verb === 'remove'
        ? { preData: details }
        : { data: details, ...(verb === 'set' && { preData: { roles: currentRoles } }) };
    emit({ type: ROLE_EVENTS[holder][verb], project: id, ...eventData });
    return yield* ownerProblem(draft, id, hadOwner);
  },
});

/** Replaces all roles of users and groups in a project. */
export const setProjectAccess = longCommand({
  name: 'set-project-access',
  input: Type.Object({
    project: NameReference,
    roles: Type.Array(Type.Object({ id: RoleId, users: HolderIds, groups: HolderIds }), {
      maxItems: PEOPLE_LIMITS.roles.max,
    }),
  }),
  *decide(context, { project: id, roles }) {
    const { draft, emit } = context;
    const project = findProject(draft, id);
    if (project instanceof Rejection) return project;
    const hadOwner = yield* hasOwner(draft, id);
    const before = [...draft.lookup('rolesByProject', id)];
    const assignments = assignmentsOf(roles, before);
    const grantProblems: GrantProblems = new Map();
    // All roles are checked before any role changes: callers who remove their own role may assign it to others in the same command.
    for (const assignment of assignments) {
      const problem = yield* assignmentProblem(context, id, assignment, grantProblems);
      if (problem) return problem;
      yield;
    }
    for (const assignment of assignments) {
      putRoles(context, id, assignment);
      yield;
    }
    const data = { roles: roles.map((role) => ({ id: role.id, users: role.users, groups: role.groups })) };
    const preData = { roles: before.map(({ holder, holderId, roles: ids }) => ({ holder, holderId, roles: ids })) };
    emit({ type: 'project-access-updated', project: id, data, preData });
    return yield* ownerProblem(draft, id, hadOwner);
  },
});

/** The roles that a user or a group must have after the command. */
interface Assignment {
  readonly holder: HolderKind;
  readonly holderId: number;
  readonly roles: readonly number[];
}

/** Returns an assignment for every user and group that the input names. All other holders get an assignment without roles: they lose their roles. */
function assignmentsOf(
  input: readonly { readonly id: number; readonly users: readonly number[]; readonly groups: readonly number[] }[],
  before: readonly ProjectRoles[],
): readonly Assignment[] {
  const assignments = new Map<string, Assignment & { readonly roles: number[] }>();
  const assignmentOf = (holder: HolderKind, holderId: number) => {
    const key = `${holder}:${holderId}`;
    const assignment = assignments.get(key) ?? { holder, holderId, roles: [] };
    assignments.set(key, assignment);
    return assignment;
  };
  for (const { id, users, groups } of input) {
    for (const holderId of users) assignmentOf('user', holderId).roles.push(id);
    for (const holderId of groups) assignmentOf('group', holderId).roles.push(id);
  }
  for (const { holder, holderId } of before) assignmentOf(holder, holderId);
  return [...assignments.values()];
}

/** Makes the creator of a project its owner, if the creator is a user. */
export function makeOwner({ draft, caller, by, now }: CommandContext, project: string): void {
  if (caller.kind !== 'user') return;
  draft.put('projectRoles', { project, holder: 'user', holderId: by.id, roles: [ROLE_ID.owner], createdAt: now });
}

/** Removes all roles in a project that is being deleted. Otherwise their holders would have them in a later project with the same id. */
export function* removeProjectAccess({ draft }: CommandContext, project: string): Steps<void> {
  for (const { holder, holderId } of [...draft.lookup('rolesByProject', project)]) {
    draft.remove('projectRoles', projectRolesKey(project, holder, holderId));
    yield;
  }
}

interface RoleChange {
  readonly before: ProjectRoles | undefined;
  readonly after: ProjectRoles | undefined;
}

/**
 * Id of a role → a rejection if the caller may not assign or remove the role in the project, otherwise undefined. The results are cached during one
 * command, because a command may have thousands of holders and a role thousands of permissions. A result depends neither on the holder nor on the
 * roles that the command has already assigned: callers can assign only permissions that they already have.
 */
type GrantProblems = Map<number, Rejection | undefined>;

/** Checks the roles that are added or removed, but not the roles that stay. Users may remove their own roles. */
function* assignmentProblem(
  context: CommandContext,
  project: string,
  { holder, holderId, roles }: Assignment,
  grantProblems: GrantProblems = new Map(),
): Steps<Rejection | undefined> {
  const { draft } = context;
  const currentRoles = draft.get('projectRoles', projectRolesKey(project, holder, holderId))?.roles ?? [];
  const assignment = { holder, holderId, roles };
  return (
    holderProblem(context, assignment) ??
    (yield* grantsProblem(context, project, assignment, currentRoles, grantProblems))
  );
}

/** Returns a rejection if the user or the group cannot have these roles, independent of the caller. */
function holderProblem({ draft }: CommandContext, { holder, holderId, roles }: Assignment): Rejection | undefined {
  if (new Set(roles).size > PROJECT_LIMITS.rolesOfHolder.max)
    return invalid(`There may be at most ${PROJECT_LIMITS.rolesOfHolder.max} ${PROJECT_LIMITS.rolesOfHolder.of}.`);
  if (roles.length > 0 && !draft.get(holder === 'user' ? 'users' : 'groups', String(holderId)))
    return notFound(`There is no ${holder} with the id ${holderId}.`);
  return undefined;
}

/** Returns a rejection if the caller may not add or remove one of the roles. */
function* grantsProblem(
  context: CommandContext,
  project: string,
  { holder, holderId, roles }: Assignment,
  currentRoles: readonly number[],
  grantProblems: GrantProblems,
): Steps<Rejection | undefined> {
  const { draft, caller } = context;
  const isOwn = holder === 'user' && caller.user === String(holderId);
  const removedRoles = isOwn ? [] : currentRoles.filter((id) => !roles.includes(id) && findRole(draft, id));
  const addedRoles = roles.filter((id) => !currentRoles.includes(id));
  for (const id of [...addedRoles, ...removedRoles]) {
    if (!grantProblems.has(id)) grantProblems.set(id, yield* grantProblem(context, project, id));
    const problem = grantProblems.get(id);
    if (problem) return problem;
  }
  return undefined;
}

function putRoles(
  { draft, now }: CommandContext,
  project: string,
  { holder, holderId, roles }: Assignment,
): RoleChange {
  const key = projectRolesKey(project, holder, holderId);
  const before = draft.get('projectRoles', key);
  if (roles.length === 0) {
    if (before) draft.remove('projectRoles', key);
    return { before, after: undefined };
  }
  const ids = [...new Set(roles)].sort((left, right) => left - right);
  const after: ProjectRoles = { project, holder, holderId, roles: ids, createdAt: before?.createdAt ?? now };
  draft.put('projectRoles', after);
  return { before, after };
}

/** Returns a rejection if the role has a permission that the caller does not have: callers may not assign or remove such a role. */
function* grantProblem({ draft, caller }: CommandContext, project: string, id: number): Steps<Rejection | undefined> {
  const role: Role | undefined = findRole(draft, id);
  if (!role || isRootRole(role)) return invalid(`There is no project role with the id ${id}.`, '/roles');
  for (const { name, environment } of role.permissions) {
    if (!may(draft, caller, name, project, environment ?? null)) {
      const reason = `the role ${role.name} has the permission ${name}, which you do not have there`;
      return new Rejection(
        'NoAccessError',
        `You cannot assign or remove this role in the project ${project}: ${reason}.`,
      );
    }
    yield;
  }
  return undefined;
}

function* hasOwner(reader: StateReader, project: string): Steps<boolean> {
  for (const { roles } of reader.lookup('rolesByProject', project)) {
    if (roles.includes(ROLE_ID.owner)) return true;
    yield;
  }
  return false;
}

/** Returns a rejection if the project had an owner before the command and has no owner now. */
function* ownerProblem(reader: StateReader, project: string, hadOwner: boolean): Steps<Rejection | undefined> {
  if (!hadOwner || (yield* hasOwner(reader, project))) return undefined;
  return conflict(`The project ${project} must have at least one owner.`);
}

/** Who has which roles in a project. As in every edit, callers can neither give nor take a role with a permission that they do not have. */
export const undoProjectRoles: UndoRule<ProjectRoles> = {
  derived: ['createdAt'],
  sets: ['roles'],
  *check(context, { current, wanted }) {
    const held = (wanted ?? current) as ProjectRoles;
    const refusal = permissionProblem(context, ['PROJECT_USER_ACCESS_WRITE', 'UPDATE_PROJECT'], held.project);
    if (refusal) return refusal;
    const assignment = { ...held, roles: wanted?.roles ?? [] };
    const known = grantProblemsOf(context, held.project);
    return yield* grantsProblem(context, held.project, assignment, current?.roles ?? [], known);
  },
  put(context, { current, wanted }) {
    const { project: id, holder, holderId, createdAt } = wanted;
    const project = findProject(context.draft, id);
    if (project instanceof Rejection) return project;
    if (holder === 'user' && !context.draft.get('users', String(holderId))) return deletedUserProblem(holderId);
    const problem = holderProblem(context, wanted);
    if (problem) return problem;
    putRoles(context, id, wanted);
    const after = context.draft.get('projectRoles', projectRolesKey(id, holder, holderId));
    if (after && !current) context.draft.put('projectRoles', { ...after, createdAt });
    emitRoles(context, current ?? { ...wanted, roles: [] }, wanted.roles);
    return true;
  },
  remove(context, current) {
    putRoles(context, current.project, { ...current, roles: [] });
    emitRoles(context, current, []);
    return undefined;
  },
  *finish(context, { current, wanted }) {
    const { draft } = context;
    const isOwner = (held: ProjectRoles | undefined) => held?.roles.includes(ROLE_ID.owner) === true;
    if (!current || !isOwner(current) || isOwner(wanted) || !draft.get('projects', current.project)) return undefined;
    const owned = undoneOwners.get(context) ?? new Set<string>();
    undoneOwners.set(context, owned);
    if (owned.has(current.project)) return undefined;
    owned.add(current.project);
    return yield* ownerProblem(draft, current.project, true);
  },
};

/** One cache for all roles that an undo checks in a project. */
function grantProblemsOf(context: CommandContext, project: string): GrantProblems {
  const byProject = undoGrants.get(context) ?? new Map<string, GrantProblems>();
  undoGrants.set(context, byProject);
  return getOrMake(byProject, project, () => new Map());
}

const undoGrants = new WeakMap<CommandContext, Map<string, GrantProblems>>();

/** The projects whose owners were looked for at the end of an undo: an undo may take the role from a thousand owners. */
const undoneOwners = new WeakMap<CommandContext, Set<string>>();

function emitRoles(
  { emit }: CommandContext,
  { project, holder, holderId, roles }: Assigned,
  after: readonly number[],
): void {
  const details = (ids: readonly number[]) =>
    ids.length === 0 ? undefined : { [`${holder}Id`]: holderId, roles: [...ids] };
  const kind = after.length === 0 ? 'deleted' : 'updated';
  emit({
    type: `project-access-${holder}-roles-${kind}`,
    project,
    data: details(after),
    preData: details(roles),
  });
}

interface Assigned extends Assignment {
  readonly project: string;
}
