import Type from 'typebox';
import { invalid, Rejection } from '../../../base/rejection.ts';
import { done, ok } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { newPasswordLink, weakPasswordProblem } from '../../people/passwords/links.ts';
import { Password } from '../../people/passwords/password.ts';
import { findNamedUser, findUser, UserId } from '../../people/users/commands.ts';
import { change } from '../../shared/change.ts';
import { changeOwnPassword, createPasswordLink, setPassword } from './commands.ts';
import { LoginName, ValidatePasswordBody } from './schemas.ts';

const route = routesOf('Users');

const NewPassword = {
  password: Password,
  confirmPassword: Type.Optional(Type.Intersect([Password], { description: 'The same password again; optional' })),
};

/** A rejection if the new password is not accepted; otherwise undefined. */
function problemOf({ password, confirmPassword }: { password: string; confirmPassword?: string }) {
  if (confirmPassword !== undefined && confirmPassword !== password)
    return invalid('The two passwords are not the same.', '/confirmPassword');
  return weakPasswordProblem(password);
}

const changeOwn = route('POST /api/admin/user/change-password', 'changeOwnPassword', {
  access: { permission: 'READ' },
  summary: 'Sets a new password of the caller, and ends their other sessions',
  body: Type.Object({ ...NewPassword, oldPassword: Password }, { $id: 'changeOwnPassword' }),
  responses: { 200: { description: 'The password is set' } },
  errors: [404, 429],
  async handle({ body, caller, remoteAddress }, services) {
    if (caller.user === null) return invalid('The token you sent belongs to no user: only users have passwords.');
    const user = findUser(services.state, Number(caller.user));
    if (user instanceof Rejection) return user;
    const problem = problemOf(body);
    if (problem) return problem;
    const { passwords, loginGuard } = services;
    // The attempts are limited as at a sign-on: a stolen session must not allow more attempts at the password.
    const attempt = await loginGuard.admit(user.email ?? user.username ?? '', remoteAddress, user.id);
    if (attempt instanceof Rejection) return attempt;
    const matches = await passwords.matches(body.oldPassword, attempt.isLimitReached ? null : user.passwordHash);
    if (matches !== false) attempt.forget();
    if (matches instanceof Rejection) return matches;
    if (!matches || user.passwordHash === null) {
      attempt.wrong(user.id);
      return invalid('The old password is wrong.', '/oldPassword');
    }
    const passwordHash = await passwords.hash(body.password);
    if (passwordHash instanceof Rejection) return passwordHash;
    const input = { userId: user.id, oldHash: user.passwordHash, passwordHash };
    return change(services, caller, changeOwnPassword, input);
  },
});

const validatePassword = route('POST /api/admin/user-admin/validate-password', 'validateUserPassword', {
  access: { permission: 'READ' },
  summary: 'Checks whether a password is strong enough',
  body: ValidatePasswordBody,
  responses: { 200: { description: 'The password is strong enough' } },
  handle: ({ body: { password } }) => weakPasswordProblem(password) ?? done(),
});

const changeOfUser = route('POST /api/admin/user-admin/:id/change-password', 'changeUserPassword', {
  access: { permission: 'ADMIN' },
  summary: 'Sets a new password of a user, and ends their sessions',
  params: { id: UserId },
  body: Type.Object(NewPassword, { $id: 'password' }),
  responses: { 200: { description: 'The password is set' } },
  errors: [429],
  async handle({ params, body, caller }, services) {
    const user = findUser(services.state, params.id);
    if (user instanceof Rejection) return user;
    const problem = problemOf(body);
    if (problem) return problem;
    const passwordHash = await services.passwords.hash(body.password);
    if (passwordHash instanceof Rejection) return passwordHash;
    return change(services, caller, setPassword, { userId: user.id, passwordHash });
  },
});

const makeResetLink = route('POST /api/admin/user-admin/reset-password', 'resetUserPassword', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a link with which a user sets a new password. Earlier links of the user are no longer valid',
  hasSecrets: true,
  body: Type.Object(
    { id: Type.Union([UserId, LoginName], { description: 'Email, username or id of the user' }) },
    { $id: 'resetUserPassword' },
  ),
  responses: {
    200: {
      description: 'The link; it is not shown again',
      schema: Type.Object({ resetPasswordUrl: Type.String() }, { $id: 'resetPassword' }),
    },
  },
  errors: [404],
  handle({ body, caller }, services) {
    const user = findNamedUser(services.state, body.id);
    if (user instanceof Rejection) return user;
    const { url, link } = newPasswordLink('reset-password', services);
    const input = { userId: user.id, link };
    return change(services, caller, createPasswordLink, input, () => ok({ resetPasswordUrl: url }));
  },
});

export const passwordEndpoints = [changeOwn, validatePassword, changeOfUser, makeResetLink];
