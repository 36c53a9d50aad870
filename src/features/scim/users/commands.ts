import Type, { type Static } from 'typebox';
import { userMay } from '../../../access/effective-permissions.ts';
import { findRootRole } from '../../../access/roles.ts';
import { Rejection } from '../../../base/rejection.ts';
import { isSameJson } from '../../../base/same-json.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import { ROLE_ID } from '../../../model/role.ts';
import { comparable, type User } from '../../../model/user.ts';
import { removePasswordLinks } from '../../people/passwords/link-commands.ts';
import { endTokensOf } from '../../people/personal-tokens/commands.ts';
import {
  auditedUser,
  findUser,
  lastAdminProblem,
  makeUser,
  nameProblem,
  removeUser,
  UserId,
} from '../../people/users/commands.ts';
import { endSessionsOf } from '../../people/users/end-sessions.ts';
import { removeUnprovenCredentials } from '../../sign-on/commands.ts';
import { SCIM_LIMITS } from '../limits.ts';
import { Operations, patched } from '../protocol/patch.ts';
import { scimSettingsOf } from '../settings/commands.ts';
import { USERS } from './attributes.ts';
import { type UserFields, userDocument, userFields } from './document.ts';

const Text = Type.String({ maxLength: 500 });

/** A user with the attributes of the schema that an identity provider writes, by their exact names. */
export const UserDocument = Type.Object({
  userName: Type.Optional(Text),
  externalId: Type.Optional(Text),
  displayName: Type.Optional(Text),
  active: Type.Optional(Type.Boolean()),
  name: Type.Optional(
    Type.Object({
      formatted: Type.Optional(Text),
      givenName: Type.Optional(Text),
      familyName: Type.Optional(Text),
    }),
  ),
  emails: Type.Optional(
    Type.Array(
      Type.Object({ value: Type.Optional(Text), type: Type.Optional(Text), primary: Type.Optional(Type.Boolean()) }),
      { maxItems: SCIM_LIMITS.scimEmails.max },
    ),
  ),
});
export type UserDocument = Static<typeof UserDocument>;

/** Creates a user for the identity provider, with the root role of the settings and without a password. */
export const createScimUser = command({
  name: 'create-scim-user',
  input: Type.Object({ user: UserDocument }),
  decide(context, { user }) {
    const fields = userFields(user);
    if (fields instanceof Rejection) return fields;
    const { isActive, ...rest } = fields;
    const { defaultRootRole } = scimSettingsOf(context.draft);
    // The role may have been deleted after it was configured.
    const rootRole = (defaultRootRole !== null && findRootRole(context.draft, defaultRootRole)?.id) || ROLE_ID.viewer;
    return makeUser(context, { ...rest, rootRole, ...(!isActive && { deactivatedAt: context.now }) });
  },
});

/** Replaces what the identity provider states about a user. Without `active` the user stays switched on or off. */
export const replaceScimUser = command({
  name: 'replace-scim-user',
  input: Type.Object({ id: UserId, user: UserDocument }),
  decide(context, { id, user }) {
    const before = findUser(context.draft, id);
    if (before instanceof Rejection) return before;
    return write(context, before, { active: before.deactivatedAt === undefined, ...user });
  },
});

export const patchScimUser = longCommand({
  name: 'patch-scim-user',
  input: Type.Object({ id: UserId, operations: Operations }),
  *decide(context, { id, operations }) {
    const before = findUser(context.draft, id);
    if (before instanceof Rejection) return before;
    const after = yield* patched(USERS, userDocument(before), operations);
    return after instanceof Rejection ? after : write(context, before, after);
  },
});

export const deleteScimUser = longCommand({
  name: 'delete-scim-user',
  input: Type.Object({ id: UserId }),
  *decide(context, { id }) {
    const user = findUser(context.draft, id);
    return user instanceof Rejection ? user : yield* removeUser(context, user);
  },
});

function write(context: CommandContext, before: User, doc: object): User | Rejection {
  const fields = userFields(doc as UserDocument);
  if (fields instanceof Rejection) return fields;
  const { draft, now, emit } = context;
  const { isActive, ...sent } = fields;
  // Without the email, an admin could no longer sign on with an identity provider, and another account could take the email.
  const keepsEmail = sent.email === null && userMay(draft, String(before.id), 'ADMIN', null, null);
  const rest = keepsEmail ? { ...sent, email: before.email } : sent;
  const problem = newNameProblem(context, before, fields) ?? (isActive ? undefined : lastAdminProblem(draft, before));
  if (problem) return problem;
  const user = takeOver(context, before);
  const { deactivatedAt: known, ...kept } = user;
  const after: User = { ...kept, ...rest, ...(!isActive && { deactivatedAt: known ?? now }) };
  if (!isActive) endAccess(context, user);
  if (isSameJson(user, after)) return user;
  draft.put('users', after);
  emit({ type: 'user-updated', data: auditedScimUser(after), preData: auditedScimUser(user) });
  return after;
}

/**
 * Another user may have the new names. Also, the identity provider cannot give an admin a new name: a caller with its token could sign on as the admin
 * with that name.
 */
function newNameProblem({ draft }: CommandContext, user: User, { username, email }: UserFields): Rejection | undefined {
  const isNew = (name: string | null, known: string | null) => name !== null && name !== known;
  const taken = nameProblem(
    draft,
    isNew(email, user.email) ? email : null,
    isNew(username, user.username) ? username : null,
    user.id,
  );
  if (taken) return taken;
  const known = [user.username, user.email].map((name) => comparable(name ?? ''));
  const hasNewName = [username, email].some((name) => name !== null && !known.includes(comparable(name)));
  if (!hasNewName || !userMay(draft, String(user.id), 'ADMIN', null, null)) return undefined;
  return new Rejection(
    'NoAccessError',
    'The userName and the email of an admin cannot be changed by SCIM, because the new name could sign on as an admin. An admin must change it in Burgee.',
  );
}

/**
 * From now on the identity provider vouches for the account. If a public signup link created it, no one has proven the email: its credentials are
 * removed, because a stranger may have created it.
 */
export function takeOver(context: CommandContext, user: User): User {
  return user.isEmailUnproven ? removeUnprovenCredentials(context, user) : user;
}

function endAccess(context: CommandContext, { id }: User): void {
  endSessionsOf(context.draft, id);
  endTokensOf(context, id);
  removePasswordLinks(context.draft, id);
}

function auditedScimUser(user: User) {
  const { externalId } = user.scim ?? {};
  return {
    ...auditedUser(user),
    active: user.deactivatedAt === undefined,
    ...(externalId !== undefined && { externalId }),
  };
}
