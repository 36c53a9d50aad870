import Type, { type Static } from 'typebox';
import { findRootRole } from '../../access/roles.ts';
import { Rejection } from '../../base/rejection.ts';
import { type CommandContext, command } from '../../engine/command.ts';
import { DateTime, Nullable } from '../../model/primitives.ts';
import { ROLE_ID } from '../../model/role.ts';
import { ROOT_ROLE_NAMES, SessionOrigin, type SpentAttempt } from '../../model/sign-on.ts';
import { comparable, type User } from '../../model/user.ts';
import { addMember, findGroup, removeMember } from '../people/groups/commands.ts';
import type { GroupMember } from '../people/groups/group.ts';
import {
  auditedUser,
  Email,
  makeUser,
  PersonName,
  RootRoleId,
  userByEmail,
  userByUsername,
} from '../people/users/commands.ts';
import { bindUser, SignedOnIdentity, userByIdentity } from '../people/users/identities.ts';
import { removePasswordLinks } from './passwords/link-commands.ts';
import { createSession, endSessionsOf, NewSession } from './sessions/commands.ts';

/** Spent attempts stay for as long beyond their end, so that replicas whose clocks differ agree on them. */
const KEPT_MS = 3_600_000;

/** Spent attempts that one sign-on looks at, to clear them away: more than it adds, so that they do not pile up. */
const CLEARED_MAX = 20;

const GROUPS_MAX = 2_000;

const SignOnInput = Type.Object({
  /** A hash of what the browser holds: it opens nothing. */
  attempt: Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  attemptEndsAt: DateTime,
  identity: SignedOnIdentity,
  email: Email,
  name: Nullable(PersonName),
  /** As the identity provider calls them; null: groups stay as they are. */
  groups: Nullable(Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: GROUPS_MAX })),
  policy: Type.Object({
    autoCreate: Type.Boolean(),
    /** Without any, every domain will do. */
    emailDomains: Type.Array(Type.String({ maxLength: 255 }), { maxItems: 500 }),
    rootRoleId: Type.Optional(RootRoleId),
    rootRole: Type.Optional(Type.Enum([...ROOT_ROLE_NAMES])),
    /** By the environment, whatever is stored. */
    isFixed: Type.Optional(Type.Boolean()),
  }),
  session: NewSession,
  origin: SessionOrigin,
});

type SignOnInput = Static<typeof SignOnInput>;

/**
 * Signs somebody on whom an identity provider vouches for: the attempt is used up, the user found or made, groups follow, a session begins; all of
 * it or nothing, in the one order of commits, so that of two replicas that are sent the same answer one is told no.
 */
export const signOn = command({
  name: 'sign-on',
  input: SignOnInput,
  decide(context, input) {
    const problem = switchedOff(context, input) ?? spend(context, input);
    if (problem) return problem;
    const user = userByIdentity(context.draft, input.identity) ?? userOfEmail(context, input);
    if (user instanceof Rejection) return user;
    if (input.groups) followGroups(context, user, new Set(input.groups));
    const session = createSession(context, user.id, input.session);
    if (!(session instanceof Rejection)) context.draft.put('sessions', { ...session, origin: stated(input.origin) });
    return session;
  },
});

/** Whose email it is, or who gets an account now. From here on the identity is who they are. */
function userOfEmail(context: CommandContext, input: SignOnInput): User | Rejection {
  const known = userByEmail(context.draft, input.email);
  if (known && known.accountType !== 'User') return refusal('An account of this email exists that is no person.');
  const user = known?.isEmailUnproven ? prove(context, known) : (known ?? userMade(context, input));
  if (user instanceof Rejection) return user;
  const bound = bindUser(context, user, input.identity);
  if (bound instanceof Rejection || bound === user || !known) return bound;
  const { identities } = bound;
  context.emit({ type: 'user-updated', data: { ...auditedUser(bound), identities }, preData: auditedUser(known) });
  return bound;
}

/** Whoever wrote somebody else's email when they made the account keeps nothing that opens it, now that its owner comes. */
function prove({ draft, emit }: CommandContext, user: User): User {
  const { isEmailUnproven: _, ...known } = user;
  const proven: User = { ...known, passwordHash: null };
  draft.put('users', proven);
  endSessionsOf(draft, user.id);
  removePasswordLinks(draft, user.id);
  for (const { secret } of [...draft.lookup('personalTokensByUser', String(user.id))])
    draft.remove('personalTokens', secret);
  emit({ type: 'user-updated', data: { ...auditedUser(user), passwordRemoved: true }, preData: auditedUser(user) });
  return proven;
}

function stated(origin: SessionOrigin): SessionOrigin {
  if (origin.protocol === 'oidc') return { protocol: 'oidc' };
  const { protocol, nameId, nameIdFormat, sessionIndex } = origin;
  return { protocol, nameId, nameIdFormat, sessionIndex };
}

function refusal(message: string): Rejection {
  return new Rejection('NoAccessError', message);
}

/** An admin may have switched the protocol off since the answer of the identity provider was looked at. */
function switchedOff({ draft }: CommandContext, { policy, origin }: SignOnInput): Rejection | undefined {
  const settings = draft.get('signOnSettings', origin.protocol);
  const isOn = policy.isFixed || (settings?.protocol === origin.protocol && settings.enabled);
  return isOn ? undefined : refusal('This way of signing on is switched off.');
}

/** Uses the attempt up. An assertion, or a code, names the attempt that it answers: one that was used is refused with it. */
function spend({ draft, now }: CommandContext, { attempt, attemptEndsAt }: SignOnInput): Rejection | undefined {
  const nowMs = Date.parse(now);
  if (draft.get('spentAttempts', attempt) || Date.parse(attemptEndsAt) < nowMs) {
    return new Rejection('AuthenticationRequired', 'This sign-on was used already, or took too long; begin again.');
  }
  const looked: SpentAttempt[] = [];
  for (const each of draft.values('spentAttempts')) if (looked.push(each) === CLEARED_MAX) break;
  for (const { id, endsAt } of looked) {
    if (Date.parse(endsAt) + KEPT_MS < nowMs) draft.remove('spentAttempts', id);
  }
  draft.put('spentAttempts', { id: attempt, endsAt: attemptEndsAt });
  return undefined;
}

function userMade(context: CommandContext, { email, name, policy }: SignOnInput): User | Rejection {
  if (!policy.autoCreate) return refusal('There is no account of this email, and none is made when somebody signs on.');
  const domain = comparable(email.slice(email.lastIndexOf('@') + 1));
  if (policy.emailDomains.length > 0 && !policy.emailDomains.map(comparable).includes(domain))
    return refusal(`No account is made for emails of ${domain}.`);
  freeUsername(context, email);
  return makeUser(context, { email, name, rootRole: rootRoleOf(context, policy) });
}

/** Whoever made their own account, by a public signup link, keeps nobody out by having taken their email as a username. */
function freeUsername({ draft, emit }: CommandContext, email: string): void {
  const before = userByUsername(draft, email);
  if (!before?.isEmailUnproven || before.email === null) return;
  const after: User = { ...before, username: null };
  draft.put('users', after);
  emit({ type: 'user-updated', data: auditedUser(after), preData: auditedUser(before) });
}

/** The id comes first. A role that is gone leaves the least there is. */
function rootRoleOf({ draft }: CommandContext, { rootRoleId, rootRole }: SignOnInput['policy']): number {
  if (rootRoleId !== undefined) return findRootRole(draft, rootRoleId)?.id ?? ROLE_ID.viewer;
  const named = { Admin: ROLE_ID.admin, Editor: ROLE_ID.editor, Viewer: ROLE_ID.viewer };
  return named[rootRole ?? 'Viewer'];
}

/** Into the groups that are mapped to one of these names, and out of those that an earlier sign-on put the user into. Nobody else's doing is undone. */
function followGroups(context: CommandContext, user: User, names: ReadonlySet<string>): void {
  const { draft } = context;
  const wanted = new Set<number>();
  for (const name of names) for (const group of draft.lookup('groupsByMapping', name)) wanted.add(group.id);
  const held: readonly GroupMember[] = [...draft.lookup('membershipsByUser', String(user.id))];
  for (const { groupId, bySignOn } of held) {
    if (!wanted.delete(groupId) && bySignOn) {
      const group = findGroup(draft, groupId);
      if (!(group instanceof Rejection)) removeMember(context, group, user.id);
    }
  }
  for (const groupId of [...wanted].sort((left, right) => left - right)) {
    const group = findGroup(draft, groupId);
    if (!(group instanceof Rejection)) addMember(context, group, user.id, true);
  }
}
