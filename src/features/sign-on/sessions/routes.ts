import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { DateTime } from '../../../model/primitives.ts';
import { endpoint } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { HashedSecret } from '../passwords/link-commands.ts';
import { endOtherSessions, endSession } from './commands.ts';

const SessionSchema = Type.Object(
  {
    id: Type.String({ description: 'Names the session in paths, and opens nothing' }),
    createdAt: DateTime,
    expiresAt: DateTime,
    userAgent: Type.String({ description: 'What the browser said it is' }),
    current: Type.Boolean({ description: 'Whether the request came with it' }),
  },
  { $id: 'session' },
);

const listSessions = endpoint({
  operationId: 'getOwnSessions',
  method: 'get',
  path: '/api/admin/user/sessions',
  tag: 'Users',
  access: { permission: 'READ' },
  summary: 'Where the caller is signed on, newest first',
  responses: {
    200: {
      description: 'The sessions; none of who calls with a token that is nobody’s',
      schema: Type.Object({ sessions: Type.Array(SessionSchema) }, { $id: 'sessions' }),
    },
  },
  errors: [],
  handle({ caller }, { state, clock }) {
    const nowMs = clock.nowMs();
    const own = caller.user === null ? [] : [...state.lookup('sessionsByUser', caller.user)];
    const sessions = own
      .filter(({ expiresAt }) => Date.parse(expiresAt) > nowMs)
      .sort((left, right) => (left.createdAt < right.createdAt ? 1 : -1))
      .map(({ secret, createdAt, expiresAt, userAgent }) => ({
        id: secret,
        createdAt,
        expiresAt,
        userAgent,
        current: caller.proof?.key === secret,
      }));
    return ok({ sessions });
  },
});

const endOne = endpoint({
  operationId: 'endOwnSession',
  method: 'delete',
  path: '/api/admin/user/sessions/:sessionId',
  tag: 'Users',
  access: { permission: 'READ' },
  summary: 'Ends one of the caller’s own sessions',
  params: Type.Object({ sessionId: HashedSecret }),
  responses: { 200: { description: 'It has ended' } },
  errors: [400, 404],
  handle({ params, caller }, services) {
    return change(services, caller, endSession, { secret: params.sessionId });
  },
});

const endOthers = endpoint({
  operationId: 'endOwnOtherSessions',
  method: 'delete',
  path: '/api/admin/user/sessions',
  tag: 'Users',
  access: { permission: 'READ' },
  summary: 'Ends all of the caller’s own sessions but the one that the request came with',
  responses: { 200: { description: 'They have ended' } },
  errors: [],
  handle({ caller }, services) {
    return change(services, caller, endOtherSessions, {});
  },
});

export const ownSessionEndpoints = [listSessions, endOne, endOthers];
