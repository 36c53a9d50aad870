import { randomBytes } from 'node:crypto';
import Type from 'typebox';
import { findRole } from '../../../access/roles.ts';
import { isoTime } from '../../../base/clock.ts';
import { Rejection } from '../../../base/rejection.ts';
import { created, listAnswer, ok } from '../../../http/answer.ts';
import { ROLE_ID, type Role } from '../../../model/role.ts';
import { routesOf } from '../../endpoint.ts';
import { presentRole, presentUser } from '../../people/users/present.ts';
import { RoleSchema, UserSchema } from '../../people/users/schemas.ts';
import type { Services } from '../../services.ts';
import { change } from '../../shared/change.ts';
import { answeredFields, writtenFields } from '../../shared/entity-fields.ts';
import { publicUrl } from '../../shared/public-url.ts';
import { createSignupToken, findSignupToken, SignupTokenChanges, updateSignupToken } from './commands.ts';
import { SignupToken, secretText, storedSecret } from './signup-token.ts';

const route = routesOf('Public signup tokens');

const RANDOM_BYTES = 16;

const SignupTokenSchema = Type.Object(
  {
    ...answeredFields(SignupToken, 'secret'),
    url: Type.String({
      description: 'The link to send to people. Empty if it was created with another `SECRETS_KEY`: it still works',
    }),
    ...answeredFields(SignupToken, 'name', 'enabled', 'createdAt', 'expiresAt', 'createdBy'),
    users: Type.Array(UserSchema, { description: 'The users who signed up with it' }),
    role: RoleSchema,
  },
  { $id: 'publicSignupToken' },
);

/** The list shows each link, because admins copy it from there, also in Unleash's console. */
function presentSignupToken(stored: SignupToken, { state, config, signOn }: Services) {
  const { users, sealed: _sealed, ...token } = stored;
  const text = secretText(stored, signOn.sealer);
  const known = users.flatMap((id) => state.get('users', String(id)) ?? []);
  return {
    ...token,
    secret: text ?? token.secret,
    url: text === undefined ? '' : `${publicUrl(config)}/signup?invite=${text}`,
    users: known.map(presentUser),
    role: presentRole(findRole(state, ROLE_ID.viewer) as Role),
  };
}

const TokenParams = { token: Type.String({ minLength: 1, maxLength: 200 }) };

const listTokens = route('GET /api/admin/invite-link/tokens', 'getAllPublicSignupTokens', {
  access: { permission: 'ADMIN' },
  summary: 'All public signup links, with which people create their own accounts',
  hasSecrets: true,
  responses: {
    200: {
      description: 'The links',
      schema: Type.Object({ tokens: Type.Array(SignupTokenSchema) }, { $id: 'publicSignupTokens' }),
    },
  },
  handle(_request, services) {
    const tokens = [...services.state.values('signupTokens')];
    return listAnswer({}, 'tokens', tokens, (token) => presentSignupToken(token, services));
  },
});

const getToken = route('GET /api/admin/invite-link/tokens/:token', 'getPublicSignupToken', {
  access: { permission: 'ADMIN' },
  summary: 'One public signup link',
  hasSecrets: true,
  params: TokenParams,
  responses: { 200: { description: 'The link', schema: SignupTokenSchema } },
  handle({ params }, services) {
    const token = findSignupToken(services.state, params.token);
    return token instanceof Rejection ? token : ok(presentSignupToken(token, services));
  },
});

const createToken = route('POST /api/admin/invite-link/tokens', 'createPublicSignupToken', {
  access: { permission: 'ADMIN' },
  summary: 'Creates a public signup link, with which people create their own accounts as viewers',
  hasSecrets: true,
  body: Type.Object(writtenFields(SignupToken, 'name', 'expiresAt'), { $id: 'publicSignupTokenCreate' }),
  responses: { 201: { description: 'The link', schema: SignupTokenSchema, headers: { location: 'Path of the link' } } },
  handle({ body, caller }, services) {
    const text = randomBytes(RANDOM_BYTES).toString('hex');
    const stored = storedSecret(text, services.signOn.sealer);
    const input = { name: body.name, expiresAt: isoTime(Date.parse(body.expiresAt)), ...stored };
    return change(services, caller, createSignupToken, input, (token) =>
      created(presentSignupToken(token, services), `${services.config.basePath}/api/admin/invite-link/tokens/${text}`),
    );
  },
});

const changeToken = route('PUT /api/admin/invite-link/tokens/:token', 'updatePublicSignupToken', {
  access: { permission: 'ADMIN' },
  summary: 'Switches a public signup link on or off, or changes when it expires',
  hasSecrets: true,
  params: TokenParams,
  body: Type.Object(SignupTokenChanges, { $id: 'publicSignupTokenUpdate' }),
  responses: { 200: { description: 'The link', schema: SignupTokenSchema } },
  handle({ params, body, caller }, services) {
    const found = findSignupToken(services.state, params.token);
    if (found instanceof Rejection) return found;
    const { enabled } = body;
    const expiresAt = body.expiresAt === undefined ? undefined : isoTime(Date.parse(body.expiresAt));
    const input = { secret: found.secret, enabled, expiresAt };
    return change(services, caller, updateSignupToken, input, (token) => ok(presentSignupToken(token, services)));
  },
});

export const signupTokenEndpoints = [listTokens, getToken, createToken, changeToken];
