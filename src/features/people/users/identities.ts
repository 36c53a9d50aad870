import Type, { type Static } from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { type CommandContext, command } from '../../../engine/command.ts';
import { Nullable } from '../../../model/primitives.ts';
import { identityKey, UserIdentity } from '../../../model/sign-on.ts';
import type { User } from '../../../model/user.ts';
import type { StateReader } from '../../../state/collections.ts';
import { endTokensOf } from '../personal-tokens/commands.ts';
import { auditedUser, findUser, UserId } from './commands.ts';
import { endSessionsOf } from './end-sessions.ts';

/** Maximum number of identities of one user; if a user gets more, the oldest identity is removed. Instances rarely change their identity provider. */
const IDENTITIES_MAX = 5;

/** The identity in an answer of an identity provider. If its subject is null, the identity is valid only for this answer and is not stored. */
export const SignedOnIdentity = Type.Object({
  ...UserIdentity.properties,
  subject: Nullable(UserIdentity.properties.subject),
});
type SignedOnIdentity = Readonly<Static<typeof SignedOnIdentity>>;

/**
 * Removes the identities, sessions and personal tokens of a user, because a person who signed on with a wrong identity may have created these
 * sessions and tokens. The next sign-on with the user's email binds the account again.
 */
export const removeUserIdentities = command({
  name: 'remove-user-identities',
  input: Type.Object({ id: UserId }),
  decide(context, { id }) {
    const { draft, emit } = context;
    const user = findUser(draft, id);
    if (user instanceof Rejection) return user;
    const { identities, ...rest } = user;
    endSessionsOf(draft, id);
    endTokensOf(context, id);
    if (identities === undefined) return undefined;
    draft.put('users', rest);
    const [data, preData] = [auditedUser(user), auditedUser(user)];
    emit({ type: 'user-updated', data: { ...data, identities: [] }, preData: { ...preData, identities } });
    return undefined;
  },
});

/** Returns the user who is bound to the identity. The email of the user does not matter. */
export function userByIdentity(reader: StateReader, signedOn: SignedOnIdentity): User | undefined {
  const identity = storableIdentity(signedOn);
  if (!identity) return undefined;
  for (const user of reader.lookup('usersByIdentity', identityKey(identity))) return user;
  return undefined;
}

/**
 * Binds the user, who was found by email, to the identity. Returns a rejection if the user is already bound to another identity of this issuer: the
 * email may now belong to another person at the identity provider, and the service cannot decide which of the two persons is the user.
 */
export function bindUser({ draft }: CommandContext, user: User, signedOn: SignedOnIdentity): User | Rejection {
  const { identities = [] } = user;
  if (identities.some(({ protocol, issuer }) => protocol === signedOn.protocol && issuer === signedOn.issuer)) {
    return new Rejection(
      'NoAccessError',
      'The account of this email belongs to another person, or to another account, at the identity provider. An admin of this service can remove ' +
        'the identities of the account (docs/operate/sign-on.md); then the next sign-on with this email gets it.',
    );
  }
  const identity = storableIdentity(signedOn);
  if (!identity) return user;
  const boundUser: User = { ...user, identities: [...identities, identity].slice(-IDENTITIES_MAX) };
  draft.put('users', boundUser);
  return boundUser;
}

/** Returns the identity as it is stored; undefined if it has no subject and is valid only for one answer. */
function storableIdentity({ protocol, issuer, subject, nameIdFormat }: SignedOnIdentity): UserIdentity | undefined {
  if (subject === null) return undefined;
  return { protocol, issuer, subject, ...(nameIdFormat !== undefined && { nameIdFormat }) };
}
