import { endSession } from '../../commands/session.ts';
import { done } from '../../http/answer.ts';
import { cookieValue, SESSION_COOKIE } from '../../http/cookies.ts';
import type { HandlerRequest, Method } from '../../http/endpoint.ts';
import { change } from '../change.ts';
import { endpoint } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { endedCookie } from '../session-cookie.ts';

const logout = endpoint({ ...logoutBy('post', 'logout'), summary: 'Ends the session of the cookie' });

const logoutByLink = endpoint({
  ...logoutBy('get', 'logoutByLink'),
  summary: 'The same, for links',
  description: 'Links on pages of other sites end nothing.',
});

function logoutBy(method: Method, operationId: string) {
  return {
    operationId,
    method,
    path: '/logout',
    tag: 'Auth',
    access: { permission: 'NONE' },
    responses: { 200: { description: 'There is no session any more', headers: { 'set-cookie': 'Ends the cookie' } } },
    errors: [],
    handle: endCookie,
  } as const;
}

/** Answers the same whether there was a session or not. */
async function endCookie(request: HandlerRequest<unknown, unknown, unknown>, services: Services) {
  const { config, userCredentials } = services;
  const site = request.header('sec-fetch-site') ?? '';
  // Nor does the browser forget its cookie: it would be signed off all the same.
  if (site === 'cross-site') return done();
  const caller = userCredentials.findSession(cookieValue(request.header('cookie') ?? '', SESSION_COOKIE));
  const headers = { 'set-cookie': endedCookie(config, request.isTls) };
  if (!caller?.proof) return { ...done(), headers };
  return change(services, caller, endSession, { secret: caller.proof.key }, () => ({ ...done(), headers }));
}

export const logoutEndpoints = [logout, logoutByLink];
