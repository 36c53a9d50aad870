import { Rejection } from '../../base/rejection.ts';
import type { Steps } from '../../base/yield-control.ts';
import { comparable, OF_SCIM, type User } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import { type Group, type GroupMember, membershipKey } from '../people/groups/group.ts';
import { etagOf } from '../shared/entity-tags.ts';
import { GROUPS } from './groups/attributes.ts';
import { findScimGroup, groupDocument } from './groups/commands.ts';
import { memberDocument, membershipTest, numberOf } from './groups/members.ts';
import type { Attributes } from './protocol/attributes.ts';
import type { Condition } from './protocol/filter.ts';
import type { Doc, OwnTest } from './protocol/matching.ts';
import { USERS } from './users/attributes.ts';
import { userDocument } from './users/document.ts';

/** One kind of resource: where it is found and how answers show it. */
export interface Kind<E extends { readonly id: number }> {
  readonly name: 'User' | 'Group';
  /** Below `/scim/v2`. */
  readonly path: '/Users' | '/Groups';
  readonly attributes: Attributes;
  /** Every resource of the kind; undefined for an entity that is none. */
  all(reader: StateReader): Iterable<E | undefined>;
  /** The resources that can have this value, by an index; undefined if no index has the attribute. */
  lookup(reader: StateReader, attribute: string, value: string): Iterable<E | undefined> | undefined;
  /** The attributes without lists that can be long. */
  document(entity: E): Doc;
  /** The tests on a list that can be long. */
  ownTest(reader: StateReader): OwnTest;
  etag(reader: StateReader, entity: E): Steps<string | undefined>;
  /** The name of a list that can be long, its length at most, and its items. */
  readonly listName: 'groups' | 'members';
  listLength(reader: StateReader, entity: E): number;
  listItems(reader: StateReader, entity: E, baseUrl: string): Iterable<Doc | undefined>;
}

function* oneOrNone<E>(entity: E | undefined): Iterable<E | undefined> {
  yield entity;
}

const person = (user: User | undefined) => (user?.accountType === 'User' ? user : undefined);

function* people(users: Iterable<User>): Iterable<User | undefined> {
  for (const user of users) yield person(user);
}

function* withUserName(reader: StateReader, name: string): Iterable<User | undefined> {
  yield* people(reader.lookup('usersByUsername', comparable(name)));
  // The email is the userName of a user without a username.
  for (const user of reader.lookup('usersByEmail', comparable(name)))
    yield user.username === null ? person(user) : undefined;
}

export const USER_KIND: Kind<User> = {
  name: 'User',
  path: '/Users',
  attributes: USERS,
  listName: 'groups',
  all: (reader) => people(reader.values('users')),
  lookup(reader, attribute, value) {
    if (attribute === 'userName') return withUserName(reader, value);
    if (attribute === 'externalId') return people(reader.lookup('usersByExternalId', value));
    return attribute === 'id' ? oneOrNone(person(reader.get('users', value))) : undefined;
  },
  document: userDocument,
  ownTest: (reader) => (path, condition) =>
    membershipTest(USERS, 'groups', path, condition, reader, (user, group) => membershipKey(group, user)),
  etag: (reader, { id }) => etagOf(reader, { kind: 'user', params: { id } }),
  listLength: (reader, { id }) => reader.count('membershipsByUser', String(id)),
  *listItems(reader, { id }, baseUrl) {
    for (const { groupId } of reader.lookup('membershipsByUser', String(id))) {
      const group = findScimGroup(reader, groupId);
      if (group instanceof Rejection) yield undefined;
      else yield { value: String(groupId), $ref: `${baseUrl}/Groups/${groupId}`, display: group.name };
    }
  },
};

const managed = (reader: StateReader, key: string): Group | undefined => {
  const group = reader.get('groups', key);
  return group?.scim && group;
};

function* groupsOf(reader: StateReader, memberships: Iterable<GroupMember>): Iterable<Group | undefined> {
  for (const { groupId } of memberships) yield managed(reader, String(groupId));
}

export const GROUP_KIND: Kind<Group> = {
  name: 'Group',
  path: '/Groups',
  attributes: GROUPS,
  listName: 'members',
  all: (reader) => reader.lookup('groupsOfScim', OF_SCIM[0] as string),
  lookup(reader, attribute, value) {
    if (attribute === 'displayName') return reader.lookup('groupsByScimName', comparable(value));
    if (attribute === 'externalId') return reader.lookup('groupsByExternalId', value);
    if (attribute === 'id') return oneOrNone(managed(reader, value));
    return attribute === 'members' ? groupsOf(reader, reader.lookup('membershipsByUser', value)) : undefined;
  },
  document: (group) => ({
    id: String(group.id),
    ...groupDocument(group),
    meta: { resourceType: 'Group', created: group.createdAt },
  }),
  ownTest: (reader) => (path, condition) => membershipTest(GROUPS, 'members', path, condition, reader, membershipKey),
  etag: (reader, { id }) => etagOf(reader, { kind: 'group', params: { groupId: id } }),
  listLength: (reader, { id }) => reader.count('membersByGroup', String(id)),
  *listItems(reader, { id }, baseUrl) {
    for (const { userId } of reader.lookup('membersByGroup', String(id))) {
      const user = person(reader.get('users', String(userId)));
      yield user && { ...memberDocument(userId), $ref: `${baseUrl}/Users/${userId}` };
    }
  },
};

/** The resources that can meet the condition: by an index if one of its parts is an equality with an index, else all. */
export function candidates<E extends { readonly id: number }>(
  kind: Kind<E>,
  reader: StateReader,
  condition: Condition | undefined,
): Iterable<E | undefined> {
  const parts = condition?.op === 'and' ? condition.parts : condition ? [condition] : [];
  for (const part of parts) {
    const { path, value } = equalityIn(part);
    if (path === undefined || typeof value !== 'string') continue;
    const [name, sub] = kind.attributes.split(path);
    const attribute = kind.attributes.find(name);
    if (typeof attribute !== 'object') continue;
    if (sub !== undefined && !(attribute.name === 'members' && sub.toLowerCase() === 'value')) continue;
    const found = kind.lookup(reader, attribute.name, value);
    if (found) return found;
  }
  return kind.all(reader);
}

/** The path and the value of an equality; `members[value eq "12"]` counts as one of `members`. */
function equalityIn(condition: Condition): { readonly path?: string; readonly value?: unknown } {
  if (condition.op === 'eq') return condition;
  if (condition.op !== 'any' || condition.part.op !== 'eq') return {};
  const isOfValue = /^members$/i.test(condition.path) && numberOf(condition.part.value) !== undefined;
  return isOfValue ? { path: condition.path, value: condition.part.value } : {};
}
