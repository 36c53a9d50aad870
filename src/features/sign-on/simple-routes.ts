import Type from 'typebox';
import { Rejection } from '../../base/rejection.ts';
import { ok } from '../../http/answer.ts';
import { userCaller } from '../../model/caller.ts';
import { comparable, type User } from '../../model/user.ts';
import type { StateReader } from '../../state/collections.ts';
import { routesOf } from '../endpoint.ts';
import { PASSWORD_LENGTH_MAX } from '../people/passwords/password.ts';
import { presentUser } from '../people/users/present.ts';
import { UserSchema } from '../people/users/schemas.ts';
import { change } from '../shared/change.ts';
import { LoginName } from './passwords/schemas.ts';
import { localPath, ReturnPath } from './return-path.ts';
import { openSession, PASSWORDS_OFF } from './sessions/commands.ts';
import { newSession, sessionCookie } from './sessions/cookie.ts';
import { isPasswordSignOnDisabled } from './settings-commands.ts';

const route = routesOf('Auth');

const LoginBody = Type.Object(
  {
    username: Type.Optional(Type.Intersect([LoginName], { description: 'The username or the email' })),
    email: Type.Optional(LoginName),
    password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH_MAX }),
    return: ReturnPath,
  },
  { $id: 'login', description: 'One of username and email, and the password' },
);

const SignedOnSchema = Type.Object(
  {
    ...UserSchema.properties,
    returnTo: Type.Optional(
      Type.String({
        description:
          'Only if the request has `return`: the path to open next, with the base path. It is safe to open: always a path of this service',
      }),
    ),
  },
  { $id: 'signedOnUser', description: 'A user who signed on' },
);

/** The answer for an unknown user and for a wrong password. It is the same for both, so that it does not show whether an account exists. */
const WRONG_CREDENTIALS = new Rejection(
  'AuthenticationRequired',
  'The user or the password is wrong. Check both, or ask an admin for a link with which you set a new password.',
);

const login = route('POST /auth/simple/login', 'login', {
  access: { permission: 'NONE' },
  summary: 'Signs a user on with their password',
  description:
    'The response sets a session cookie for the admin API, valid for `SESSION_TTL_HOURS`. Requests that use it to change something ' +
    'must come from a page of this origin (`Origin` or `Sec-Fetch-Site`).',
  body: LoginBody,
  responses: {
    200: { description: 'The user who signed on', schema: SignedOnSchema, headers: { 'set-cookie': 'The session' } },
  },
  errors: [401, 403, 429],
  async handle(request, services) {
    const { username, email, password, return: returnTo } = request.body;
    const { state, passwords, config, loginGuard } = services;
    if (isPasswordSignOnDisabled(state)) return PASSWORDS_OFF;
    const name = username ?? email ?? '';
    const attempt = await loginGuard.admit(name, request.remoteAddress, userToSignOn(state, name)?.id);
    if (attempt instanceof Rejection) return attempt;
    const user = userToSignOn(state, name);
    const storedHash = attempt.isLimitReached ? null : (user?.passwordHash ?? null);
    // The comparison needs the same time for an unknown user, so that the time does not show whether the user exists.
    const matches = await passwords.matches(password, storedHash);
    if (matches !== false) attempt.forget();
    if (matches instanceof Rejection) return matches;
    if (!matches || !user || storedHash === null) {
      attempt.wrong(user?.id);
      return WRONG_CREDENTIALS;
    }
    loginGuard.signedOn(user.id);
    const { text, session } = newSession(request, services);
    const input = { userId: user.id, passwordHash: storedHash, session };
    const headers = { 'set-cookie': sessionCookie(text, config, request.isTls) };
    return change(services, userCaller(user, null), openSession, input, (signedOn) => ({
      ...ok({
        ...presentUser(signedOn),
        ...(returnTo !== undefined && { returnTo: config.basePath + localPath(returnTo) }),
      }),
      headers,
    }));
  },
});

/** The user, a person, with this username or email. */
function userToSignOn(reader: StateReader, name: string): User | undefined {
  const key = comparable(name);
  for (const index of ['usersByUsername', 'usersByEmail'] as const) {
    for (const user of reader.lookup(index, key)) if (user.accountType === 'User') return user;
  }
  return undefined;
}

export const simpleLoginEndpoints = [login];
