import Type from 'typebox';
import { isoTime } from '../../../base/clock.ts';
import { invalid, type Rejection } from '../../../base/rejection.ts';
import { created, ok } from '../../../http/answer.ts';
import type { Caller } from '../../../model/caller.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { createPersonalToken, deletePersonalToken, tokensOf } from './commands.ts';
import {
  CreatePersonalTokenBody,
  newPersonalSecret,
  PersonalTokenListSchema,
  PersonalTokenSchema,
  presentPersonalToken,
} from './schemas.ts';

const route = routesOf('Personal access tokens');

const listTokens = route('GET /api/admin/user/tokens', 'getOwnPersonalTokens', {
  access: { permission: 'READ' },
  summary: 'The caller’s own tokens, without their secrets',
  responses: { 200: { description: 'The tokens', schema: PersonalTokenListSchema } },
  handle: ({ caller }, { state }) =>
    ok({ pats: caller.user === null ? [] : tokensOf(state, Number(caller.user)).map(presentPersonalToken) }),
});

const createToken = route('POST /api/admin/user/tokens', 'createOwnPersonalToken', {
  access: { permission: 'READ' },
  summary: 'Creates a token with which tools act in the name of the caller',
  hasSecrets: true,
  body: CreatePersonalTokenBody,
  responses: {
    201: {
      description: 'The token with its secret, which is returned only once',
      schema: PersonalTokenSchema,
      headers: { location: 'Path at which the token can be deleted' },
    },
  },
  errors: [404, 409],
  handle({ body, caller }, services) {
    const userId = ownId(caller);
    if (typeof userId !== 'number') return userId;
    const { text, secret } = newPersonalSecret();
    const expiresAt = isoTime(Date.parse(body.expiresAt));
    const input = { userId, description: body.description, expiresAt, secret };
    return change(services, caller, createPersonalToken, input, (token) =>
      created(
        { ...presentPersonalToken(token), secret: text },
        `${services.config.basePath}/api/admin/user/tokens/${token.id}`,
      ),
    );
  },
});

const removeToken = route('DELETE /api/admin/user/tokens/:id', 'deleteOwnPersonalToken', {
  access: { permission: 'READ' },
  summary: 'Deletes one of the caller’s own tokens. The next request with this token is refused',
  params: { id: Type.Integer({ minimum: 1 }) },
  responses: { 200: { description: 'The token was deleted' } },
  handle({ params, caller }, services) {
    const userId = ownId(caller);
    if (typeof userId !== 'number') return userId;
    return change(services, caller, deletePersonalToken, { userId, id: params.id });
  },
});

/** Returns the id of the user who sent the request, or a rejection: an admin token belongs to no user. */
function ownId({ user }: Caller): number | Rejection {
  return user === null
    ? invalid('The token you sent belongs to no user: only users have personal tokens.')
    : Number(user);
}

export const personalTokenEndpoints = [listTokens, createToken, removeToken];
