import Type from 'typebox';
import { ok } from '../../../http/answer.ts';
import { DateTime, HashedSecret } from '../../../model/primitives.ts';
import { routesOf } from '../../endpoint.ts';
import { change } from '../../shared/change.ts';
import { endOtherSessions, endSession } from './commands.ts';

const route = routesOf('Users');

const SessionSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifies the session in paths; not a credential' }),
    createdAt: DateTime,
    expiresAt: DateTime,
    userAgent: Type.String({ description: 'The `User-Agent` header of the browser' }),
    current: Type.Boolean({ description: 'Whether this request uses the session' }),
  },
  { $id: 'session' },
);

const listSessions = route('GET /api/admin/user/sessions', 'getOwnSessions', {
  access: { permission: 'READ' },
  summary: 'The sessions of the caller, newest first',
  responses: {
    200: {
      description: 'The sessions; empty when the token of the caller belongs to no user',
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

const endOne = route('DELETE /api/admin/user/sessions/:sessionId', 'endOwnSession', {
  access: { permission: 'READ' },
  summary: 'Ends one of the caller’s own sessions',
  params: { sessionId: HashedSecret },
  responses: { 200: { description: 'The session has ended' } },
  handle: ({ params, caller }, services) => change(services, caller, endSession, { secret: params.sessionId }),
});

const endOthers = route('DELETE /api/admin/user/sessions', 'endOwnOtherSessions', {
  access: { permission: 'READ' },
  summary: 'Ends all sessions of the caller except the one of this request',
  responses: { 200: { description: 'The other sessions have ended' } },
  handle: ({ caller }, services) => change(services, caller, endOtherSessions, {}),
});

export const ownSessionEndpoints = [listSessions, endOne, endOthers];
