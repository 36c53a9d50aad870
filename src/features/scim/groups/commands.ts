import Type, { type Static } from 'typebox';
import { conflict, notFound, Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import { validate } from '../../../base/validation.ts';
import type { Steps } from '../../../base/yield-control.ts';
import { type CommandContext, longCommand } from '../../../engine/command.ts';
import { comparable } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import {
  addMember,
  createGroup,
  deleteGroup,
  GroupFields,
  GroupId,
  groupProblem,
  removeMember,
  setMembers,
} from '../../people/groups/commands.ts';
import type { Group } from '../../people/groups/group.ts';
import { PEOPLE_LIMITS } from '../../people/limits.ts';
import { UserId } from '../../people/users/commands.ts';
import { type Operation, Operations, patched, type Target, targetsOf } from '../protocol/patch.ts';
import { invalidScim } from '../protocol/protocol.ts';
import { isObject } from '../protocol/values.ts';
import { takeOver } from '../users/commands.ts';
import { GROUPS } from './attributes.ts';
import { memberIds, membersThatMeet, type VisitBudget } from './members.ts';

/** A group with the attributes of the schema that an identity provider writes. */
export const GroupDocument = Type.Object({
  displayName: GroupFields.name,
  externalId: Type.Optional(Type.String({ maxLength: PEOPLE_LIMITS.scimTextLength.max })),
});
export type GroupDocument = Static<typeof GroupDocument>;

const Members = Type.Array(UserId, { maxItems: PEOPLE_LIMITS.usersInRequest.max });

export const createScimGroup = longCommand({
  name: 'create-scim-group',
  input: Type.Object({ group: GroupDocument, members: Members }),
  *decide(context, { group: { displayName, externalId }, members }) {
    const problem = similarNameProblem(context.draft, displayName) ?? (yield* admitMembers(context, members));
    if (problem) return problem;
    const created = yield* createGroup.decide(context, { name: displayName, users: members });
    if (created instanceof Rejection) return created;
    const group: Group = { ...created, scim: { ...(externalId !== undefined && { externalId }) } };
    context.draft.put('groups', group);
    return group;
  },
});

/** Replaces the name, the external id and the members of a group. Its roles, which an admin assigns, stay. */
export const replaceScimGroup = longCommand({
  name: 'replace-scim-group',
  input: Type.Object({ id: GroupId, group: GroupDocument, members: Members }),
  *decide(context, { id, group, members }) {
    const before = findScimGroup(context.draft, id);
    if (before instanceof Rejection) return before;
    const after = write(context, before, group);
    if (after instanceof Rejection) return after;
    return (yield* admitMembers(context, members)) ?? (yield* setMembers(context, after, members)) ?? after;
  },
});

/** Applies the operations in their order. Operations on members change single memberships, so that large groups are not rewritten. */
export const patchScimGroup = longCommand({
  name: 'patch-scim-group',
  input: Type.Object({ id: GroupId, operations: Operations }),
  *decide(context, { id, operations }) {
    let group = findScimGroup(context.draft, id);
    const budget: VisitBudget = { visits: 0 };
    for (const operation of operations) {
      if (group instanceof Rejection) return group;
      const targets = targetsOf(GROUPS, operation);
      if (targets instanceof Rejection) return targets;
      for (const target of targets) {
        if (target.attribute.name !== 'members') continue;
        const problem = yield* patchMembers(context, group, target, budget);
        if (problem) return problem;
      }
      if (targets.some(({ attribute }) => attribute.name !== 'members')) {
        const doc = yield* patched(GROUPS, groupDocument(group), [withoutMembers(operation)]);
        group = doc instanceof Rejection ? doc : write(context, group, doc as GroupDocument);
      }
      yield;
    }
    return group;
  },
});

export const deleteScimGroup = longCommand({
  name: 'delete-scim-group',
  input: Type.Object({ id: GroupId }),
  *decide(context, { id }) {
    const group = findScimGroup(context.draft, id);
    return group instanceof Rejection ? group : yield* deleteGroup.decide(context, { id });
  },
});

/** The group with this id, if an identity provider created it. It cannot see or change other groups, because admins may have given them any role. */
export function findScimGroup(reader: StateReader, id: number): Group | Rejection {
  const group = reader.get('groups', String(id));
  return group?.scim ? group : notFound(`There is no group with the id ${id}.`);
}

/** What an identity provider writes about a group, without its members. */
export function groupDocument({ name, scim }: Group): GroupDocument {
  return { displayName: name, ...(scim?.externalId !== undefined && { externalId: scim.externalId }) };
}

function write(
  { draft, emit }: CommandContext,
  before: Group,
  { displayName, externalId }: Partial<GroupDocument>,
): Group | Rejection {
  if (displayName === undefined || displayName.trim() === '')
    return invalidScim('invalidValue', 'A group needs a displayName.');
  if (validate(GroupFields.name, displayName, 'displayName'))
    return invalidScim('invalidValue', 'A group needs a displayName of at most 100 characters.');
  const after: Group = { ...before, name: displayName, scim: { ...(externalId !== undefined && { externalId }) } };
  if (isSameJson(before, after)) return before;
  const problem =
    similarNameProblem(draft, displayName, before.id) ?? groupProblem(draft, displayName, null, before.id);
  if (problem) return problem;
  draft.put('groups', after);
  emit({ type: 'group-updated', data: after, preData: before });
  return after;
}

/** For SCIM, names that differ only in letter case are the same. */
function similarNameProblem(reader: StateReader, name: string, ownId?: number): Rejection | undefined {
  for (const group of reader.lookup('groupsByScimName', comparable(name))) {
    if (group.id !== ownId) return conflict(`A group with the name ${name} already exists.`);
  }
  return undefined;
}

/** Members must be people. The identity provider vouches for them from now on. */
function* admitMembers(context: CommandContext, ids: readonly number[]): Steps<Rejection | undefined> {
  for (const id of ids) {
    const user = context.draft.get('users', String(id));
    if (user?.accountType !== 'User') return invalidScim('invalidValue', `There is no user with the id ${id}.`);
    takeOver(context, user);
    yield;
  }
  return undefined;
}

/** The operation for the other attributes: without a path, one operation can state members beside them. */
function withoutMembers(operation: Operation): Operation {
  if (operation.path !== undefined || !isObject(operation.value)) return operation;
  const others = Object.entries(operation.value).filter(([name]) => GROUPS.split(name)[0].toLowerCase() !== 'members');
  return { ...operation, value: Object.fromEntries(others) };
}

function* patchMembers(
  context: CommandContext,
  group: Group,
  target: Target,
  budget: VisitBudget,
): Steps<Rejection | undefined> {
  const { op, condition, sub, value } = target;
  if (op === 'remove') {
    const removed = yield* removedMembers(context.draft, group, target, budget);
    if (removed instanceof Rejection) return removed;
    for (const id of removed) {
      removeMember(context, group, id);
      yield;
    }
    return undefined;
  }
  if (condition || sub) return invalidScim('mutability', 'A member can be added and removed, but not changed.');
  const ids = yield* memberIds(value);
  if (ids instanceof Rejection) return ids;
  const problem = yield* admitMembers(context, ids);
  if (problem) return problem;
  if (op === 'replace') return yield* setMembers(context, group, ids);
  for (const id of ids) {
    addMember(context, group, id, false);
    yield;
  }
  return undefined;
}

/** The members that the operation removes: those that meet its filter, those that it states, or all. Ids of other users have no effect. */
function* removedMembers(
  draft: CommandContext['draft'],
  group: Group,
  { condition, sub, value }: Target,
  budget: VisitBudget,
): Steps<readonly number[] | Rejection> {
  if (sub) return invalidScim('mutability', 'A member can be added and removed, but not changed.');
  if (condition) return yield* membersThatMeet(draft, group, condition, budget);
  if (value !== undefined && value !== null) return yield* memberIds(value);
  const ids: number[] = [];
  for (const { userId } of draft.lookup('membersByGroup', String(group.id))) {
    ids.push(userId);
    yield;
  }
  return ids;
}
