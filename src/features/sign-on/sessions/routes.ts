import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { DateTime } from '../../../model/primitives.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { HashedSecret } from '../passwords/link-commands.ts';
import { endOtherSessions, endSession } from './commands.ts';

const route = routesOf('Users');

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

const listSessions = route('GET /api/admin/user/sessions', {
  operationId: 'getOwnSessions',
  access: { permission: 'READ' },
  summary: 'Where the caller is signed on, newest first',
  responses: {
    200: {
      description: 'The sessions; none of who calls with a token that is nobody’s',
      schema: Type.Object({ sessions: Type.Array(SessionSchema) }, { $id: 'sessions' }),
    },
  },
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

const endOne = route('DELETE /api/admin/user/sessions/:sessionId', {
  operationId: 'endOwnSession',
  access: { permission: 'READ' },
  summary: 'Ends one of the caller’s own sessions',
  params: { sessionId: HashedSecret },
  responses: { 200: { description: 'It has ended' } },
  handle({ params, caller }, services) {
    return change(services, caller, endSession, { secret: params.sessionId });
  },
});

const endOthers = route('DELETE /api/admin/user/sessions', {
  operationId: 'endOwnOtherSessions',
  access: { permission: 'READ' },
  summary: 'Ends all of the caller’s own sessions but the one that the request came with',
  responses: { 200: { description: 'They have ended' } },
  handle({ caller }, services) {
    return change(services, caller, endOtherSessions, {});
  },
});

export const ownSessionEndpoints = [listSessions, endOne, endOthers];
