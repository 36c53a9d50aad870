import { BUILT_IN_ROLES } from '../../model/role.ts';
import { type EditedKinds, editedBy } from '../shared/entity-tags.ts';

export const edited: EditedKinds<'role' | 'group' | 'user'> = {
  role: editedBy('roles', 'roleId', 'role', {
    find: (reader, { roleId }) => reader.get('roles', String(roleId)) ?? BUILT_IN_ROLES.get(Number(roleId)),
  }),
  group: editedBy('groups', 'groupId', 'group', {
    *parts(group, reader) {
      yield group;
      // The order of an index differs between replicas.
      const members = Array.from(reader.lookup('membersByGroup', String(group.id)), ({ userId }) => userId);
      yield members.sort((left, right) => left - right);
    },
    coversOthers: true,
  }),
  user: editedBy('users', 'id', 'user', {
    // Not covered: when the user was seen, and their password and identities, which other routes change.
    parts: ({ seenAt, loginAttempts, passwordHash, identities, ...user }) => [user],
  }),
};
