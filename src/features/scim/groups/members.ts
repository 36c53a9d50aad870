import { Rejection } from '../../../base/rejection.ts';
import type { Steps } from '../../../base/yield-control.ts';
import type { StateReader } from '../../../state/collections.ts';
import { type Group, membershipKey } from '../../people/groups/group.ts';
import { PEOPLE_LIMITS } from '../../people/limits.ts';
import type { Attribute, Attributes } from '../protocol/attributes.ts';
import type { Condition } from '../protocol/filter.ts';
import { type Doc, type Test, valueMatcher } from '../protocol/matching.ts';
import { invalidScim } from '../protocol/protocol.ts';
import { isObject } from '../protocol/values.ts';
import { GROUPS } from './attributes.ts';

const ID = /^[1-9]\d{0,14}$/;

/** The id in the text; undefined if no user or group has such an id. */
export function numberOf(text: unknown): number | undefined {
  return typeof text === 'string' && ID.test(text) ? Number(text) : undefined;
}

/** The ids of sent members: a list, or one of them. */
export function* memberIds(sent: unknown): Steps<number[] | Rejection> {
  const members = Array.isArray(sent) ? sent : sent === undefined || sent === null ? [] : [sent];
  const max = PEOPLE_LIMITS.usersInRequest.max;
  if (members.length > max) return invalidScim('tooMany', `One request states at most ${max} members.`);
  const ids = new Set<number>();
  for (const member of members) {
    const text = isObject(member) ? member.value : member;
    const id = numberOf(text);
    if (id === undefined)
      return invalidScim(
        'invalidValue',
        typeof text === 'string'
          ? `There is no user with the id ${text.slice(0, 100)}.`
          : 'The value of a member is the id of a user, as a string.',
      );
    ids.add(id);
    yield;
  }
  return [...ids];
}

/** A member as answers show it, without its address. */
export function memberDocument(userId: number): Doc {
  return { value: String(userId), type: 'User' };
}

/** How many members the filters of a request may compare, so that one request does not keep the writer busy. */
const VISITS_MAX = 100_000;

/** The members that filters of the request have compared. */
export interface VisitBudget {
  visits: number;
}

/** The members that meet a filter such as `value eq "12"`. Equality is a look-up. */
export function* membersThatMeet(
  reader: StateReader,
  group: Group,
  condition: Condition,
  budget: VisitBudget,
): Steps<readonly number[] | Rejection> {
  const wanted = wantedMember(condition);
  if (wanted !== undefined) {
    const id = numberOf(wanted);
    return id !== undefined && reader.get('groupMembers', membershipKey(group.id, id)) ? [id] : [];
  }
  const test = valueMatcher(GROUPS.find('members') as Attribute, condition);
  if (test instanceof Rejection) return test;
  const ids: number[] = [];
  for (const { userId } of reader.lookup('membersByGroup', String(group.id))) {
    if (budget.visits++ >= VISITS_MAX)
      return invalidScim(
        'tooMany',
        `The filters of one request compare at most ${VISITS_MAX} members. Use \`value eq\`.`,
      );
    if (test(memberDocument(userId))) ids.push(userId);
    yield;
  }
  return ids;
}

/** The id in `value eq "12"`; undefined for another condition. */
function wantedMember(condition: Condition): string | undefined {
  const isEquality = condition.op === 'eq' && condition.path.toLowerCase() === 'value';
  return isEquality && typeof condition.value === 'string' ? condition.value : undefined;
}

/**
 * The test for a filter on memberships: `members eq "12"`, `members.value eq "12"` or `members[value eq "12"]`. It looks up the membership instead of
 * reading all members. `keyOf`: the key of the membership of a resource and the wanted id.
 */
export function membershipTest(
  attributes: Attributes,
  attribute: 'members' | 'groups',
  path: string,
  condition: Condition,
  reader: StateReader,
  keyOf: (resourceId: number, wantedId: number) => string,
): Test | Rejection | undefined {
  if (attributes.split(path)[0].toLowerCase() !== attribute) return undefined;
  const inner = condition.op === 'any' ? condition.part : condition;
  const isOfValue = inner.op === 'eq' && (condition.op === 'any' ? /^value$/i : /^[^.]*$|\.value$/i).test(inner.path);
  if (!isOfValue || inner.op !== 'eq')
    return invalidScim('invalidFilter', `Of ${attribute}, only the value can be compared, with eq.`);
  const id = numberOf(inner.value);
  return id === undefined ? () => false : (doc) => reader.get('groupMembers', keyOf(Number(doc.id), id)) !== undefined;
}
