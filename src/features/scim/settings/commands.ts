import Type from 'typebox';
import { findRootRole } from '../../../access/roles.ts';
import { invalid, type Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command, longCommand } from '../../../engine/command.ts';
import { HashedSecret } from '../../../model/primitives.ts';
import { ROLE_ID } from '../../../model/role.ts';
import { SCIM_SETTINGS, ScimSettings } from '../../../model/scim.ts';
import { OF_SCIM, type User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import type { Draft } from '../../../state/draft.ts';
import { removeUser, rootRoleProblem } from '../../people/users/commands.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { suppliedFields } from '../../shared/supplied-fields.ts';
import { SCIM_LIMITS } from '../limits.ts';

const OFF: ScimSettings = { id: SCIM_SETTINGS, enabled: false, defaultRootRole: null };

export function scimSettingsOf(reader: StateReader): ScimSettings {
  return reader.get('scimSettings', SCIM_SETTINGS) ?? OFF;
}

/** When the token of the identity provider was created; null if there is none. */
export function scimTokenCreatedAt(reader: StateReader): string | null {
  for (const { createdAt } of reader.values('scimTokens')) return createdAt;
  return null;
}

export const ScimSettingsFields = writtenFields(ScimSettings, 'enabled', 'defaultRootRole?');

/** Switches SCIM on or off, and sets the root role of new users. Without a role in the input, the role does not change. */
export const setScimSettings = command({
  name: 'set-scim-settings',
  input: Type.Object(ScimSettingsFields),
  decide(context, input) {
    const before = scimSettingsOf(context.draft);
    const after = { ...before, ...suppliedFields(ScimSettingsFields, input) };
    const problem = after.defaultRootRole === null ? undefined : roleProblem(context.draft, after.defaultRootRole);
    if (problem) return problem;
    store(context, before, after);
    return after;
  },
});

/** Replaces the token of the identity provider, and switches SCIM on. */
export const replaceScimToken = command({
  name: 'replace-scim-token',
  input: Type.Object({ secret: HashedSecret }),
  decide(context, { secret }) {
    const { draft, by, now, emit } = context;
    const replaced = removeTokens(draft);
    draft.put('scimTokens', { secret, createdAt: now, createdBy: by.name });
    emit({ type: 'scim-token-created', data: { replaced } });
    const before = scimSettingsOf(draft);
    if (!before.enabled) store(context, before, { ...before, enabled: true });
    return undefined;
  },
});

/** Deletes the token of the identity provider if there is one, and switches SCIM off. */
export const deleteScimToken = command({
  name: 'delete-scim-token',
  input: Type.Object({}),
  decide(context) {
    if (removeTokens(context.draft)) context.emit({ type: 'scim-token-deleted' });
    const before = scimSettingsOf(context.draft);
    if (before.enabled) store(context, before, { ...before, enabled: false });
    return undefined;
  },
});

/** Deletes the users that the identity provider manages, up to a limit. The last admin stays. */
export const removeScimUsers = longCommand({
  name: 'remove-scim-users',
  input: Type.Object({}),
  *decide(context) {
    const found: User[] = [];
    for (const user of context.draft.lookup('usersOfScim', OF_SCIM[0] as string)) {
      if (found.push(user) === SCIM_LIMITS.scimUsersRemoved.max) break;
    }
    for (const user of found) {
      const problem = yield* removeUser(context, user);
      if (problem) return problem;
    }
    return undefined;
  },
});

/** Whether a token was removed. */
function removeTokens(draft: Draft): boolean {
  const secrets = Array.from(draft.values('scimTokens'), ({ secret }) => secret);
  for (const secret of secrets) draft.remove('scimTokens', secret);
  return secrets.length > 0;
}

/** A user of an identity provider never begins as an admin. */
function roleProblem(reader: StateReader, id: number): Rejection | undefined {
  const role = findRootRole(reader, id);
  const isOfAdmins = id === ROLE_ID.admin || role?.permissions.some(({ name }) => name === 'ADMIN');
  if (isOfAdmins) return invalid('Users of an identity provider cannot begin as admins.', '/defaultRootRole');
  return rootRoleProblem(reader, id);
}

function store({ draft, emit }: CommandContext, before: ScimSettings, after: ScimSettings): void {
  draft.put('scimSettings', after);
  const audited = ({ enabled, defaultRootRole }: ScimSettings) => ({ name: 'scim', enabled, defaultRootRole });
  emit({ type: 'setting-updated', data: audited(after), preData: audited(before) });
}
