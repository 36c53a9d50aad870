import type { VisibleProjects } from '../../../access/visibility.ts';
import { listPieces } from '../../../http/answer.ts';
import type { StateReader } from '../../../state/collections.ts';
import { presentUserBase } from '../users/present.ts';
import type { Group, GroupMember } from './group.ts';

/**
 * Yields the JSON of a group with its members and those of its projects that the caller may see. The JSON is split into pieces, because a group may
 * have many members. `moreFields` are added to the JSON.
 */
export function* groupPieces(
  group: Group,
  reader: StateReader,
  visible: VisibleProjects,
  moreFields: object = {},
): Iterable<string> {
  const { id, name, description, mappingsSSO, rootRole, createdBy, createdAt, scim } = group;
  const allProjects = [...reader.lookup('projectsByGroup', String(id))].map(({ project }) => project);
  const projects = allProjects.filter((project) => visible.has(project)).sort();
  const head = {
    id,
    name,
    ...(description !== null && { description }),
    mappingsSSO,
    rootRole,
    createdBy,
    createdAt,
    projects,
    ...(scim && { scimId: String(id) }),
    ...moreFields,
  };
  const members = reader.lookup('membersByGroup', String(id));
  yield* listPieces(head, [['users', members, (member: GroupMember) => [memberJson(member, reader)]]]);
}

function memberJson({ userId, joinedAt, createdBy }: GroupMember, reader: StateReader): string {
  const user = reader.get('users', String(userId));
  // The caller may pause between two pieces, and the member may be deleted during the pause.
  return JSON.stringify({ joinedAt, createdBy, user: user ? presentUserBase(user) : deletedUser(userId) });
}

function deletedUser(id: number) {
  return { id, name: null, email: null, username: null, imageUrl: '', accountType: 'User' };
}
