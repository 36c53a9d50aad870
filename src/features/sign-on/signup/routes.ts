import Type from 'typebox';
import { isoTime } from '../../../base/clock.ts';
import { Rejection } from '../../../base/rejection.ts';
import { created, done } from '../../../http/answer.ts';
import { Email, PersonName, Username } from '../../../model/user.ts';
import { routesOf } from '../../endpoint.ts';
import { weakPasswordProblem } from '../../people/passwords/links.ts';
import { Password } from '../../people/passwords/password.ts';
import { presentUser } from '../../people/users/present.ts';
import { UserSchema } from '../../people/users/schemas.ts';
import { change } from '../../shared/change.ts';
import { LinkToken } from '../passwords/schemas.ts';
import { openSignupToken, signUp } from './commands.ts';

const route = routesOf('Public signup tokens');

const InviteParams = { token: LinkToken };

const validateInvite = route('GET /invite/:token/validate', 'validatePublicSignupToken', {
  access: { permission: 'NONE' },
  summary: 'Checks whether people can sign up with a public signup link now',
  params: InviteParams,
  responses: { 200: { description: 'People can sign up with the link' } },
  neverMissing: true,
  handle({ params }, { state, clock }) {
    const token = openSignupToken(state, params.token, isoTime(clock.nowMs()));
    return token instanceof Rejection ? token : done();
  },
});

const signUpByInvite = route('POST /invite/:token/signup', 'addPublicSignupTokenUser', {
  access: { permission: 'NONE' },
  summary: 'Creates an account with a public signup link. The new user is a viewer',
  params: InviteParams,
  body: Type.Object(
    {
      email: Email,
      password: Password,
      name: Type.Optional(PersonName),
      username: Type.Optional(Username),
    },
    { $id: 'createInvitedUser' },
  ),
  responses: { 201: { description: 'The user', schema: UserSchema } },
  neverMissing: true,
  errors: [409, 429],
  async handle({ params, body, caller, remoteAddress }, services) {
    const { state, clock, passwords, loginGuard } = services;
    const token = openSignupToken(state, params.token, isoTime(clock.nowMs()));
    if (token instanceof Rejection) return token;
    const { password, ...person } = body;
    const problem = weakPasswordProblem(password);
    if (problem) return problem;
    const refusal = loginGuard.refuseReset(remoteAddress);
    if (refusal) return refusal;
    const passwordHash = await passwords.hash(password);
    if (passwordHash instanceof Rejection) return passwordHash;
    const { email, name, username } = person;
    const input = { secret: token.secret, email, name, username, passwordHash };
    return change(services, caller, signUp, input, (user) => created(presentUser(user)));
  },
});

export const signupEndpoints = [validateInvite, signUpByInvite];
