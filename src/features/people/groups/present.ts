import type { VisibleProjects } from '../../../access/visibility.ts';
import { listPieces } from '../../../http/answer.ts';
import type { StateReader } from '../../../state/collections.ts';
import { presentUserBase } from '../users/present.ts';
import type { Group, GroupMember } from './group.ts';

/**
 * The JSON of a group with its projects, those that the caller is told of, and its members, who may be many: in pieces. `more` is what else is
 * told of it.
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
  // Iteration is live: who was deleted meanwhile may still be met here.
  return JSON.stringify({ joinedAt, createdBy, user: user ? presentUserBase(user) : nobody(userId) });
}

function nobody(id: number) {
  return { id, name: null, email: null, username: null, imageUrl: '', accountType: 'User' };
}
