import Type, { type Static } from 'typebox';
import { findRole } from '../../access/roles.ts';
import type { Caller } from '../../model/caller.ts';
import { Nullable } from '../../model/primitives.ts';
import { type ProjectRoles, projectRolesKey } from '../../model/project-roles.ts';
import type { Role } from '../../model/role.ts';
import type { StateReader } from '../../state/collections.ts';
import { imageUrlOf } from '../people/users/present.ts';
import type { ProjectStats } from './stats.ts';

export const UserOwnerSchema = Type.Object(
  {
    ownerType: Type.Literal('user', { description: 'A user owns the project' }),
    name: Type.String({ description: 'Of the user' }),
    imageUrl: Nullable(Type.String({ description: 'Where their picture is' })),
    email: Nullable(Type.String({ description: 'Of the user' })),
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
        name: Type.String({ description: 'Of the group' }),
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
  description: 'Users and groups that own the project; only the system when no one does',
});

/** The owners of the project, read lazily. A project without owners belongs to the system. */
export function* ownersOf(reader: StateReader, project: string): Iterable<Owner> {
  let isOwned = false;
  for (const held of reader.lookup('ownersByProject', project)) {
    const owner = ownerOf(reader, held);
    if (!owner) continue;
    isOwned = true;
    yield owner;
  }
  if (!isOwned) yield { ownerType: 'system' };
}

/** The user or group for an answer; undefined if it was deleted after the answer began. */
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

/** The roles that the caller has in the project, directly or through groups, without duplicates. */
export function rolesIn(reader: StateReader, { user }: Caller, project: string): Role[] {
  const ids = new Set<number>();
  if (user !== null) {
    const add = (key: string) => reader.get('projectRoles', key)?.roles.forEach((id) => void ids.add(id));
    add(projectRolesKey(project, 'user', user));
    for (const { groupId } of reader.lookup('membershipsByUser', user)) add(projectRolesKey(project, 'group', groupId));
  }
  return [...ids].sort((left, right) => left - right).flatMap((id) => findRole(reader, id) ?? []);
}

export const OnboardingStatusSchema = Type.Union(
  [
    Type.Object({
      status: Type.Enum(['onboarding-started', 'onboarded'], {
        description: '`onboarding-started`: there is no flag yet; `onboarded`: an SDK has reported one of its flags',
      }),
    }),
    Type.Object({
      status: Type.Literal('first-flag-created', { description: 'There are flags, and no SDK has reported any yet' }),
      feature: Type.String({ description: 'Name of the oldest flag' }),
    }),
  ],
  { description: 'Onboarding status of the project' },
);
type OnboardingStatus = Static<typeof OnboardingStatusSchema>;

/** The onboarding status. It depends on whether the project has flags, and on whether an SDK has reported a flag of the project. */
export function onboardingStatus({ firstFlag, isUsed }: ProjectStats): OnboardingStatus {
  if (isUsed) return { status: 'onboarded' };
  return firstFlag === null ? { status: 'onboarding-started' } : { status: 'first-flag-created', feature: firstFlag };
}
