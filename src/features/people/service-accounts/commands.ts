import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { command, longCommand } from '../../../engine/command.ts';
import { User } from '../../../model/user.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { findServiceAccount } from '../personal-tokens/commands.ts';
import { changeUser, makeUser, removeUser, UserId } from '../users/commands.ts';

export const NewAccountFields = writtenFields(User, 'name?', 'username?', 'rootRole');

/** Creates a service account. A service account cannot sign on; only its tokens can act in its name. */
export const createServiceAccount = command({
  name: 'create-service-account',
  input: Type.Object(NewAccountFields),
  decide(context, { name, username, rootRole }) {
    const accountUsername = username ?? usernameOf(name ?? '');
    return makeUser(context, { name, username: accountUsername, rootRole, accountType: 'Service Account' });
  },
});

/** Derives a username from the name of an account that is created without a username; null if the name has no letters or digits. */
function usernameOf(name: string): string | null {
  const slug = name
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? null : `service-${slug}`.slice(0, 255);
}

export const AccountChanges = writtenFields(User, 'name?', 'rootRole?');

/** Changes only the specified properties of a service account. */
export const updateServiceAccount = command({
  name: 'update-service-account',
  input: Type.Object({ id: UserId, ...AccountChanges }),
  decide(context, { id, ...rest }) {
    const before = findServiceAccount(context.draft, id);
    return before instanceof Rejection ? before : changeUser(context, before, suppliedFields(AccountChanges, rest));
  },
});

/** Deletes a service account, its tokens, its roles and its memberships in groups. */
export const deleteServiceAccount = longCommand({
  name: 'delete-service-account',
  input: Type.Object({ id: UserId }),
  *decide(context, { id }) {
    const account = findServiceAccount(context.draft, id);
    return account instanceof Rejection ? account : yield* removeUser(context, account);
  },
});
