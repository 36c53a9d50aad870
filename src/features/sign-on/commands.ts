import Type, { type Static } from 'typebox';
import { findRootRole } from '../../access/roles.ts';
import { Rejection } from '../../base/rejection.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { ROLE_ID } from '../../model/role.ts';
import { ROOT_ROLE_NAMES, SessionOrigin, type SpentAttempt } from '../../model/sign-on.ts';
import { comparable, Email, PersonName, type User } from '../../model/user.ts';
import { addMember, findGroup, removeMember } from '../people/groups/commands.ts';
import type { GroupMember } from '../people/groups/group.ts';
import { removePasswordLinks } from '../people/passwords/link-commands.ts';
import { auditedUser, makeUser, RootRoleId, userByEmail, userByUsername } from '../people/users/commands.ts';
import { endSessionsOf } from '../people/users/end-sessions.ts';
import { bindUser, SignedOnIdentity, userByIdentity } from '../people/users/identities.ts';
import { createSession, NewSession } from './sessions/commands.ts';
import { ROOT_ROLE_DEFAULT } from './settings-commands.ts';

/** How long spent attempts are kept after they expire, so that replicas with different clocks agree on them. */
const SPENT_KEPT_MS = 3_600_000;

/** How many spent attempts one sign-on checks for removal: more than it adds, so that they do not accumulate. */
const CLEARED_MAX = 20;

const GROUPS_MAX = 2_000;

const SignOnInput = Type.Object({
  /** A hash of the value in the browser's cookie: no one can sign on with it. */
  attempt: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  attemptEndsAt: DateTime,
  identity: SignedOnIdentity,
  email: Email,
  name: Nullable(PersonName),
  /** Names of the user's groups at the identity provider; null: the user's groups stay as they are. */
  groups: Nullable(Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: GROUPS_MAX })),
  policy: Type.Object({
    autoCreate: Type.Boolean(),
    /** Empty: every domain is allowed. */
    emailDomains: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 500 }),
    rootRoleId: Type.Optional(RootRoleId),
    rootRole: Type.Optional(Type.Enum([...ROOT_ROLE_NAMES])),
    /** Whether environment variables set the policy; the stored settings then have no effect. */
    isFixed: Type.Optional(Type.Boolean()),
  }),
  session: NewSession,
  origin: SessionOrigin,
});

export type SignOnInput = Static<typeof SignOnInput>;

/**
 * Signs on a user whose identity an identity provider asserts: spends the attempt, finds or creates the user, updates the groups and creates a
 * session. All of it is one commit. Commits have one order, so that when two replicas receive the same response, one of them rejects it.
 */
export const signOn = command({
  name: 'sign-on',
  input: SignOnInput,
  decide(context, input) {
    const problem = protocolOffProblem(context, input) ?? spendAttempt(context, input);
    if (problem) return problem;
    const user = userByIdentity(context.draft, input.identity) ?? userOfEmail(context, input);
    if (user instanceof Rejection) return user;
    if (input.groups) updateGroups(context, user, new Set(input.groups));
    const session = createSession(context, user.id, input.session);
    if (!(session instanceof Rejection))
      context.draft.put('sessions', { ...session, origin: statedOrigin(input.origin) });
    return session;
  },
});

/** The user with this email, otherwise a new user. The identity is bound to the user and finds them from now on. */
function userOfEmail(context: CommandContext, input: SignOnInput): User | Rejection {
  const known = userByEmail(context.draft, input.email);
  if (known && known.accountType !== 'User') return noAccess('The account with this email is not a person.');
  const user = known?.isEmailUnproven
    ? removeUnprovenCredentials(context, known)
    : (known ?? createUser(context, input));
  if (user instanceof Rejection) return user;
  const bound = bindUser(context, user, input.identity);
  if (bound instanceof Rejection || bound === user || !known) return bound;
  const { identities } = bound;
  context.emit({ type: 'user-updated', data: { ...auditedUser(bound), identities }, preData: auditedUser(known) });
  return bound;
}

/**
 * The owner of the email signs on: removes every credential of the account, because somebody else may have created it with this email. That caller
 * also chose the username: unless it is the email, it is removed, so that it is not taken for the name of another person.
 */
export function removeUnprovenCredentials({ draft, emit }: CommandContext, user: User): User {
  const { isEmailUnproven: _, ...known } = user;
  const isEmail = comparable(known.username ?? '') === comparable(known.email ?? '');
  const proven: User = { ...known, username: isEmail ? known.username : null, passwordHash: null };
  draft.put('users', proven);
  endSessionsOf(draft, user.id);
  removePasswordLinks(draft, user.id);
  for (const { secret } of [...draft.lookup('personalTokensByUser', String(user.id))])
    draft.remove('personalTokens', secret);
  emit({ type: 'user-updated', data: { ...auditedUser(user), passwordRemoved: true }, preData: auditedUser(user) });
  return proven;
}

/** The origin without properties that its schema does not state. */
function statedOrigin(origin: SessionOrigin): SessionOrigin {
  if (origin.protocol === 'oidc') return { protocol: 'oidc' };
  const { protocol, nameId, nameIdFormat, sessionIndex } = origin;
  return { protocol, nameId, nameIdFormat, sessionIndex };
}

function noAccess(message: string): Rejection {
  return new Rejection('NoAccessError', message);
}

/** A rejection if an admin has switched the protocol off since the response of the identity provider was verified. */
function protocolOffProblem({ draft }: CommandContext, { policy, origin }: SignOnInput): Rejection | undefined {
  const settings = draft.get('signOnSettings', origin.protocol);
  const isOn = policy.isFixed || (settings?.protocol === origin.protocol && settings.enabled);
  return isOn ? undefined : noAccess('This way of signing on is switched off in this service.');
}

/** Spends the attempt. An assertion or a code belongs to one attempt, so that it cannot be used twice. */
function spendAttempt({ draft, now }: CommandContext, { attempt, attemptEndsAt }: SignOnInput): Rejection | undefined {
  const nowMs = Date.parse(now);
  if (draft.get('spentAttempts', attempt) || Date.parse(attemptEndsAt) < nowMs) {
    return new Rejection('AuthenticationRequired', 'This sign-on was already used, or took too long. Begin again.');
  }
  const oldest: SpentAttempt[] = [];
  for (const attemptToCheck of draft.values('spentAttempts')) if (oldest.push(attemptToCheck) === CLEARED_MAX) break;
  for (const { id, endsAt } of oldest) {
    if (Date.parse(endsAt) + SPENT_KEPT_MS < nowMs) draft.remove('spentAttempts', id);
  }
  draft.put('spentAttempts', { id: attempt, endsAt: attemptEndsAt });
  return undefined;
}

function createUser(context: CommandContext, { email, name, policy }: SignOnInput): User | Rejection {
  if (!policy.autoCreate)
    return noAccess(
      'There is no account with this email, and a sign-on does not create one. Ask an admin for an account.',
    );
  const domain = comparable(email.slice(email.lastIndexOf('@') + 1));
  if (policy.emailDomains.length > 0 && !policy.emailDomains.map(comparable).includes(domain))
    return noAccess(`A sign-on creates no account for emails of ${domain}. Ask an admin for an account.`);
  freeUsername(context, email);
  return makeUser(context, { email, name, rootRole: rootRoleOf(context, policy) });
}

/** Frees the username when an account with an unproven email, from a public signup link, uses this email as its username. */
function freeUsername({ draft, emit }: CommandContext, email: string): void {
  const before = userByUsername(draft, email);
  if (!before?.isEmailUnproven || before.email === null) return;
  const after: User = { ...before, username: null };
  draft.put('users', after);
  emit({ type: 'user-updated', data: auditedUser(after), preData: auditedUser(before) });
}

/** The root role of a new user. If the policy has an id, its name is ignored. If the role was deleted, the user gets Viewer. */
function rootRoleOf({ draft }: CommandContext, { rootRoleId, rootRole }: SignOnInput['policy']): number {
  if (rootRoleId !== undefined) return findRootRole(draft, rootRoleId)?.id ?? ROOT_ROLE_DEFAULT;
  const roleIds = { Admin: ROLE_ID.admin, Editor: ROLE_ID.editor, Viewer: ROLE_ID.viewer };
  return rootRole === undefined ? ROOT_ROLE_DEFAULT : roleIds[rootRole];
}

/** Adds the user to the groups mapped to these names, and removes them from other groups that a sign-on added. Manual memberships stay. */
function updateGroups(context: CommandContext, user: User, names: ReadonlySet<string>): void {
  const { draft } = context;
  const mappedGroups = new Set<number>();
  for (const name of names) for (const group of draft.lookup('groupsByMapping', name)) mappedGroups.add(group.id);
  const memberships: readonly GroupMember[] = [...draft.lookup('membershipsByUser', String(user.id))];
  for (const { groupId, bySignOn } of memberships) {
    if (!mappedGroups.delete(groupId) && bySignOn) {
      const group = findGroup(draft, groupId);
      if (!(group instanceof Rejection)) removeMember(context, group, user.id);
    }
  }
  for (const groupId of [...mappedGroups].sort((left, right) => left - right)) {
    const group = findGroup(draft, groupId);
    if (!(group instanceof Rejection)) addMember(context, group, user.id, true);
  }
}
