import Type from 'typebox';
import { findRole } from '../../../access/roles.ts';
import { isoTime } from '../../../base/clock.ts';
import { Rejection } from '../../../base/rejection.ts';
import { done, ok } from '../../../http/answer.ts';
import { userCaller } from '../../../model/caller.ts';
import { Nullable } from '../../../model/primitives.ts';
import { hashedSecret } from '../../../model/token-secret.ts';
import { EMAIL_LENGTH_MAX } from '../../../model/user.ts';
import { routesOf } from '../../endpoint.ts';
import { weakPasswordProblem } from '../../people/passwords/links.ts';
import { Password } from '../../people/passwords/password.ts';
import { presentRole } from '../../people/users/present.ts';
import { RoleSchema } from '../../people/users/schemas.ts';
import type { Services } from '../../services.ts';
import { change } from '../../shared/change.ts';
import { findPasswordLink, LINK_GONE, usePasswordLink } from './commands.ts';
import { LinkToken, ValidatePasswordBody } from './schemas.ts';

const route = routesOf('Auth');

/** The link with its user, if it is still valid. */
function findLink({ state, clock }: Services, text: string) {
  const link = findPasswordLink(state, hashedSecret(text), isoTime(clock.nowMs()));
  const user = link && state.get('users', String(link.userId));
  return link && user && { link, user };
}

const validateLink = route('GET /auth/reset/validate', 'validateToken', {
  access: { permission: 'NONE' },
  summary: 'The user of a link with which a password is set',
  hasSecrets: true,
  query: Type.Object({ token: LinkToken }),
  responses: {
    200: {
      description: 'The user of the link',
      schema: Type.Object(
        {
          id: Type.Integer(),
          name: Nullable(Type.String()),
          email: Nullable(Type.String()),
          token: Type.String(),
          createdBy: Type.String(),
          role: Type.Optional(RoleSchema),
        },
        { $id: 'tokenUser' },
      ),
    },
  },
  errors: [401],
  handle({ query: { token } }, services) {
    const found = findLink(services, token);
    if (!found) return LINK_GONE;
    const { link, user } = found;
    const role = findRole(services.state, user.rootRole);
    const { id, name, email } = user;
    return ok({ id, name, email, token, createdBy: link.createdBy, ...(role && { role: presentRole(role) }) });
  },
});

const usePassword = route('POST /auth/reset/password', 'changePasswordByLink', {
  access: { permission: 'NONE' },
  summary: 'Sets a password with a link, once, and ends the sessions of the user',
  body: Type.Object({ token: LinkToken, password: Password }, { $id: 'changePasswordByLink' }),
  responses: { 200: { description: 'The password is set' } },
  errors: [401, 429],
  async handle({ body: { token, password } }, services) {
    // The link is checked first, so that a request without a valid link does not cost a password hash.
    const found = findLink(services, token);
    if (!found) return LINK_GONE;
    const problem = weakPasswordProblem(password);
    if (problem) return problem;
    const passwordHash = await services.passwords.hash(password);
    if (passwordHash instanceof Rejection) return passwordHash;
    const input = { secret: found.link.secret, passwordHash };
    return change(services, userCaller(found.user, null), usePasswordLink, input);
  },
});

const validatePassword = route('POST /auth/reset/validate-password', 'validatePassword', {
  access: { permission: 'NONE' },
  summary: 'Checks whether a password is strong enough',
  body: ValidatePasswordBody,
  responses: { 200: { description: 'The password is strong enough' } },
  handle: ({ body: { password } }) => weakPasswordProblem(password) ?? done(),
});

const sendMail = route('POST /auth/reset/password-email', 'sendResetPasswordEmail', {
  access: { permission: 'NONE' },
  summary:
    'Has no effect, and has the same response for every email, because Burgee sends no mail. Admins create links with which users set passwords',
  body: Type.Object({ email: Type.String({ minLength: 1, maxLength: EMAIL_LENGTH_MAX }) }, { $id: 'email' }),
  responses: { 200: { description: 'The request was accepted' } },
  errors: [429],
  handle: ({ remoteAddress }, { loginGuard }) => loginGuard.refuseReset(remoteAddress) ?? done(),
});

export const resetPasswordEndpoints = [validateLink, usePassword, validatePassword, sendMail];
