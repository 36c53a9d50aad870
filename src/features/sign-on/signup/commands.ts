import Type from 'typebox';
import { DAY_MS, isoTime } from '../../../base/clock.ts';
import { conflict, invalid, notFound, Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { ROLE_ID } from '../../../model/role.ts';
import { hashedSecret, isHashed } from '../../../model/token-secret.ts';
import { comparable, Email, PasswordHash, PersonName, type User, Username } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { auditedUser, makeUser } from '../../people/users/commands.ts';
import { writtenFields } from '../../shared/entity-fields.ts';
import { SIGN_ON_LIMITS } from '../limits.ts';
import { SignupToken } from './signup-token.ts';

/** A link is valid for at most a month, as in Unleash: a later time is shortened. */
const LIFETIME_MAX_MS = 30 * DAY_MS;

function shortened(expiresAt: string, now: string): string {
  const latest = isoTime(Date.parse(now) + LIFETIME_MAX_MS);
  return expiresAt < latest ? expiresAt : latest;
}

/** Creates a link with which people create their own accounts, as viewers. */
export const createSignupToken = command({
  name: 'create-signup-token',
  input: Type.Object(writtenFields(SignupToken, 'name', 'expiresAt', 'secret', 'sealed?')),
  decide({ draft, by, now, emit }, { name, expiresAt, secret, sealed }) {
    if (draft.get('signupTokens', secret)) return conflict('A link with this secret exists already.');
    const token = {
      secret,
      ...(sealed !== undefined && { sealed }),
      name,
      enabled: true,
      createdAt: now,
      createdBy: by.name,
      users: [],
      expiresAt: shortened(expiresAt, now),
    };
    draft.put('signupTokens', token);
    emit({ type: 'public-signup-token-created', data: auditedSignupToken(token) });
    return token;
  },
});

export const SignupTokenChanges = writtenFields(SignupToken, 'enabled?', 'expiresAt?');

/** Switches the link on or off, or changes when it expires. */
export const updateSignupToken = command({
  name: 'update-signup-token',
  input: Type.Object({ ...writtenFields(SignupToken, 'secret'), ...SignupTokenChanges }),
  decide({ draft, emit }, { secret, enabled, expiresAt }) {
    const before = findSignupToken(draft, secret);
    if (before instanceof Rejection) return before;
    const after = { ...before, enabled: enabled ?? before.enabled, expiresAt: expiresAt ?? before.expiresAt };
    draft.put('signupTokens', after);
    const [data, preData] = [auditedSignupToken(after), auditedSignupToken(before)];
    emit({ type: 'public-signup-token-updated', data, preData });
    return after;
  },
});

/** Creates an account with a public signup link. */
export const signUp = command({
  name: 'sign-up',
  inMaintenance: 'refused',
  input: Type.Object({
    ...writtenFields(SignupToken, 'secret'),
    email: Email,
    name: Type.Optional(PersonName),
    username: Type.Optional(Username),
    passwordHash: PasswordHash,
  }),
  decide(context, { secret, ...person }) {
    const token = openOf(context.draft.get('signupTokens', secret), context.now);
    return token instanceof Rejection ? token : addUser(context, token, person);
  },
});

function addUser(
  context: CommandContext,
  token: SignupToken,
  person: Readonly<Pick<User, 'email' | 'passwordHash'>> & { readonly name?: string; readonly username?: string },
): User | Rejection {
  if (token.users.length >= SIGN_ON_LIMITS.usersOfSignupToken.max)
    return invalid('Too many people signed up with this link. Ask an admin for another link.');
  const { email, username } = person;
  // A username must not be the email of another person: that person could then never sign on.
  if (username?.includes('@') && (email === null || comparable(username) !== comparable(email)))
    return invalid('A username that contains @ must be your own email.', '/username');
  const user = makeUser(context, { ...person, rootRole: ROLE_ID.viewer, isEmailUnproven: true });
  if (user instanceof Rejection) return user.name === TAKEN.name ? TAKEN : user;
  context.draft.put('signupTokens', { ...token, users: [...token.users, user.id] });
  const data = { ...auditedSignupToken(token), user: auditedUser(user) };
  context.emit({ type: 'public-signup-token-user-added', data });
  return user;
}

/** The answer if the email or the username exists. It does not state which one, because a stranger may have the link. */
const TAKEN = conflict(
  'No account can be created with this email and username. If you have one, sign on, or ask an admin for a link with which you set a password.',
);

/** The link for an admin, by its text or by its hash. */
export function findSignupToken(reader: StateReader, given: string): SignupToken | Rejection {
  return (
    reader.get('signupTokens', hashedSecret(given)) ??
    reader.get('signupTokens', given) ??
    notFound('There is no such link.')
  );
}

/** The link, if users can sign up with it now. A rejection if it is unknown, switched off or expired. A hash is no link. */
export function openSignupToken(reader: StateReader, text: string, now: string): SignupToken | Rejection {
  if (isHashed(text)) return INVALID_LINK;
  const token = reader.get('signupTokens', hashedSecret(text)) ?? reader.get('signupTokens', text);
  return openOf(token, now);
}

function openOf(token: SignupToken | undefined, now: string): SignupToken | Rejection {
  return token?.enabled && token.expiresAt > now ? token : INVALID_LINK;
}

const INVALID_LINK = invalid(
  'This link is not valid: it is unknown, is switched off, or has expired. Ask for another link.',
);

/** The link for the audit log, without the secret, because more people can read the log. */
function auditedSignupToken({ name, enabled, expiresAt, createdAt, createdBy }: SignupToken) {
  return { name, enabled, expiresAt, createdAt, createdBy };
}
