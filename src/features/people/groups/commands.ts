import Type from 'typebox';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../../engine/command.ts';
import { projectRolesKey } from '../../../model/project-roles.ts';
import type { StateReader } from '../../../state/collections.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { removalBy, type UndoRule, undoOfEdits } from '../../shared/undoing.ts';
import { PEOPLE_LIMITS } from '../limits.ts';
import { rootRoleProblem, UserId } from '../users/commands.ts';
import { Group, type GroupMember, membershipKey } from './group.ts';

export const GroupId = Type.Integer({ minimum: 1 });

export const GroupFields = writtenFields(Group, 'name', 'description?', 'mappingsSSO?', 'rootRole?');

/** Ids of the members. If the list is left out, a new group has no members and an existing group keeps its members. */
const Users = { users: Type.Optional(Type.Array(UserId, { maxItems: PEOPLE_LIMITS.usersInRequest.max })) };

export const createGroup = longCommand({
  name: 'create-group',
  input: Type.Object({ ...GroupFields, ...Users }),
  *decide(context, input) {
    const { draft, by, now, emit } = context;
    const rootRole = input.rootRole ?? null;
    const problem = groupProblem(draft, input.name, rootRole);
    if (problem) return problem;
    const group: Group = {
      id: draft.next('groups'),
      name: input.name,
      description: input.description ?? null,
      mappingsSSO: [...new Set(input.mappingsSSO)],
      rootRole,
      createdAt: now,
      createdBy: by.name,
    };
    draft.put('groups', group);
    emit({ type: 'group-created', data: group });
    return (yield* setMembers(context, group, input.users ?? [])) ?? group;
  },
});

/** Replaces the fields of a group. If the input has no list of members or no list of mappings, the list does not change. */
export const updateGroup = longCommand({
  name: 'update-group',
  input: Type.Object({ id: GroupId, ...GroupFields, ...Users }),
  *decide(context, { id, users, ...fields }) {
    const { draft, emit } = context;
    const before = findGroup(draft, id);
    if (before instanceof Rejection) return before;
    const changedGroup = { ...before, ...suppliedFields(GroupFields, fields) };
    const after: Group = { ...changedGroup, mappingsSSO: [...new Set(changedGroup.mappingsSSO)] };
    const problem = groupProblem(draft, after.name, after.rootRole, id);
    if (problem) return problem;
    draft.put('groups', after);
    emit({ type: 'group-updated', data: after, preData: before });
    if (users === undefined) return after;
    return (yield* setMembers(context, after, users)) ?? after;
  },
});

/** Deletes a group. Its members lose the roles that they had through it. */
export const deleteGroup = longCommand({
  name: 'delete-group',
  input: Type.Object({ id: GroupId }),
  *decide({ draft, emit }, { id }) {
    const group = findGroup(draft, id);
    if (group instanceof Rejection) return group;
    const key = String(id);
    for (const { userId } of [...draft.lookup('membersByGroup', key)]) {
      draft.remove('groupMembers', membershipKey(id, userId));
      yield;
    }
    for (const { project } of [...draft.lookup('projectsByGroup', key)]) {
      draft.remove('projectRoles', projectRolesKey(project, 'group', id));
      yield;
    }
    draft.remove('groups', key);
    emit({ type: 'group-deleted', preData: group });
    return undefined;
  },
});

/** Adds a user to a group. Does nothing if the user is already a member. */
export function addMember(
  { draft, by, now, emit }: CommandContext,
  group: Group,
  userId: number,
  bySignOn: boolean,
): void {
  if (draft.get('groupMembers', membershipKey(group.id, userId))) return;
  const member: GroupMember = { groupId: group.id, userId, joinedAt: now, createdBy: by.name, bySignOn };
  draft.put('groupMembers', member);
  emit({ type: 'group-user-added', data: { groupId: group.id, name: group.name, userId } });
}

/** Removes a user from a group. Does nothing if the user is not a member. */
export function removeMember({ draft, emit }: CommandContext, group: Group, userId: number): void {
  const key = membershipKey(group.id, userId);
  if (!draft.get('groupMembers', key)) return;
  draft.remove('groupMembers', key);
  emit({ type: 'group-user-removed', preData: { groupId: group.id, name: group.name, userId } });
}

export function findGroup(reader: StateReader, id: number): Group | Rejection {
  return reader.get('groups', String(id)) ?? notFound(`There is no group with the id ${id}.`);
}

/** Replaces the members of a group. */
export function* setMembers(
  context: CommandContext,
  group: Group,
  ids: readonly number[],
): Steps<Rejection | undefined> {
  const { draft } = context;
  const memberIds = new Set(ids);
  for (const id of memberIds) {
    if (!draft.get('users', String(id))) return invalid(`There is no user with the id ${id}.`, '/users');
    yield;
  }
  for (const { userId } of [...draft.lookup('membersByGroup', String(group.id))]) {
    if (!memberIds.has(userId)) removeMember(context, group, userId);
    yield;
  }
  for (const id of memberIds) {
    addMember(context, group, id, false);
    yield;
  }
  return undefined;
}

export function groupProblem(
  reader: StateReader,
  name: string,
  rootRole: number | null,
  ownId?: number,
): Rejection | undefined {
  for (const group of reader.lookup('groupsByName', name)) {
    if (group.id !== ownId) return conflict(`A group with the name ${name} already exists.`);
  }
  return rootRole === null ? undefined : rootRoleProblem(reader, rootRole);
}

const ADMINS = { create: ['ADMIN'], update: ['ADMIN'], remove: ['ADMIN'] } as const;

export const undoGroup: UndoRule<Group> = undoOfEdits({
  collection: 'groups',
  sets: ['mappingsSSO'],
  shape: Group,
  needs: ADMINS,
  events: { created: 'group-created', updated: 'group-updated' },
  problem: ({ draft }, { id, name, rootRole }) => groupProblem(draft, name, rootRole, id),
  remove: removalBy(deleteGroup, ({ id }) => ({ id }), groupInUse),
});

/** An undo deletes only a group without members and without roles in projects. */
function groupInUse({ draft }: CommandContext, { id, name }: Group): Rejection | undefined {
  const key = String(id);
  const [members, roles] = [draft.count('membersByGroup', key), draft.count('projectsByGroup', key)];
  if (members + roles === 0) return undefined;
  return conflict(`The group ${name} is in use: it has ${members} members, and roles in ${roles} projects.`);
}

export const undoGroupMember: UndoRule<GroupMember> = undoOfEdits({
  collection: 'groupMembers',
  needs: ADMINS,
  events: { created: 'group-user-added', updated: 'group-user-added' },
  audited: ({ groupId, userId }) => ({ groupId, userId }),
  problem({ draft }, { groupId, userId }) {
    const group = findGroup(draft, groupId);
    if (group instanceof Rejection) return group;
    return draft.get('users', String(userId)) ? undefined : deletedUserProblem(userId);
  },
  remove(context, { groupId, userId }) {
    const group = findGroup(context.draft, groupId);
    if (!(group instanceof Rejection)) removeMember(context, group, userId);
    return undefined;
  },
});

/** The answer to an undo that needs a deleted user. */
export function deletedUserProblem(id: number): Rejection {
  return conflict(
    `The user ${id} was deleted, and no undo brings a user back: passwords, sessions and tokens are never restored. ` +
      'Leave out what belonged to the user: name the other objects in `entities`.',
  );
}
