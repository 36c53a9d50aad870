import type { VisibleProjects } from '../../../access/visibility.ts';
import { listPieces } from '../../../http/answer.ts';
import type { StateReader } from '../../../state/collections.ts';
import { presentUserBase } from '../users/present.ts';
import type { Group, GroupMember } from './group.ts';

/**
 * The JSON of a group with its projects that the caller may see and its members. In pieces, because there may be many members. `more` has additional
 * fields.
 */
export function* groupPieces(
  group: Group,
  reader: StateReader,
  visible: VisibleProjects,
  more: object = {},
): Iterable<string> {
  const { id, name, description, mappingsSSO, rootRole, createdBy, createdAt } = group;
  const held = [...reader.lookup('projectsByGroup', String(id))].map(({ project }) => project);
  const projects = held.filter((project) => visible.has(project)).sort();
  const head = { id, name, description, mappingsSSO, rootRole, createdBy, createdAt, projects, ...more };
  const members = reader.lookup('membersByGroup', String(id));
  yield* listPieces(head, [['users', members, (member: GroupMember) => [memberJson(member, reader)]]]);
}

function memberJson({ userId, joinedAt, createdBy }: GroupMember, reader: StateReader): string {
  const user = reader.get('users', String(userId));
  // Iteration is live: it may still reach a member whose user was deleted meanwhile.
  return JSON.stringify({ joinedAt, createdBy, user: user ? presentUserBase(user) : nobody(userId) });
}

function nobody(id: number) {
  return { id, name: null, email: null, username: null, imageUrl: '', accountType: 'User' };
}
