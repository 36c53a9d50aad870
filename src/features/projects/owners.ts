import Type, { type Static } from 'typebox';
import { Nullable } from '../../model/primitives.ts';
import type { ProjectRoles } from '../../model/project-roles.ts';
import type { StateReader } from '../../state/collections.ts';
import { imageUrlOf } from '../people/users/present.ts';

export const UserOwnerSchema = Type.Object(
  {
    ownerType: Type.Literal('user', { description: 'A user owns the project' }),
    name: Type.String({ description: 'Name of the user' }),
    imageUrl: Nullable(Type.String({ description: 'Address of the user’s picture' })),
    email: Nullable(Type.String({ description: 'Email of the user' })),
  },
  { $id: 'projectUserOwner', description: 'A user who owns a project' },
);

/** Contract: owners of a project. */
const OwnerSchema = Type.Union(
  [
    UserOwnerSchema,
    Type.Object(
      {
        ownerType: Type.Literal('group', { description: 'A group owns the project' }),
        name: Type.String({ description: 'Name of the group' }),
      },
      { $id: 'projectGroupOwner', description: 'A group that owns a project' },
    ),
    Type.Object(
      { ownerType: Type.Literal('system', { description: 'No one owns the project' }) },
      { $id: 'projectSystemOwner', description: 'A project that neither a user nor a group owns' },
    ),
  ],
  { $id: 'projectOwner', description: 'Who owns a project' },
);
export type Owner = Static<typeof OwnerSchema>;

export const OwnersSchema = Type.Array(OwnerSchema, {
  description: 'Users and groups that own the project; the system, if there are none',
});

/** Yields the owners of the project, lazily. A project without owners belongs to the system. */
export function* ownersOf(reader: StateReader, project: string): Iterable<Owner> {
  let hasOwner = false;
  for (const roles of reader.lookup('ownersByProject', project)) {
    const owner = ownerOf(reader, roles);
    if (!owner) continue;
    hasOwner = true;
    yield owner;
  }
  if (!hasOwner) yield { ownerType: 'system' };
}

/** Returns the user or group that has the roles; undefined if it was deleted after the answer began. */
export function ownerOf(reader: StateReader, { holder, holderId }: ProjectRoles): Owner | undefined {
  if (holder === 'group') {
    const group = reader.get('groups', String(holderId));
    return group && { ownerType: 'group', name: group.name };
  }
  const user = reader.get('users', String(holderId));
  if (!user) return undefined;
  const { name, username, email } = user;
  return { ownerType: 'user', name: name ?? username ?? email ?? 'unknown', imageUrl: imageUrlOf(user), email };
}
