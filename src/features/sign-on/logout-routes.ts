import { Rejection } from '../../base/rejection.ts';
import { done, seeOther } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import { cookieValue, SESSION_COOKIE } from '../../http/session-cookie.ts';
import { routesOf } from '../endpoint.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { endSession } from './sessions/commands.ts';
import { endedCookie } from './sessions/cookie.ts';
import { mayEndSession } from './sign-out.ts';

const route = routesOf('Auth');

/** The path to which Unleash redirects a browser after a logout. */
const SIGNED_OUT = '/signed-out';

const COOKIE_REMOVAL = { 'set-cookie': 'Removes the cookie from the browser' };

const logout = route('POST /logout', 'logout', {
  access: { permission: 'NONE' },
  summary: 'Ends the session of the cookie, and redirects the browser to a page that confirms it',
  responses: {
    303: {
      description: 'There is no session any more, unless a page of another origin sent the request',
      headers: { location: '`/signed-out`', ...COOKIE_REMOVAL },
    },
  },
  async handle(request, services) {
    const answer = await endSessionOfCookie(request, services);
    if (answer instanceof Rejection) return answer;
    // The answer has no headers if a page of another origin sent the request: then no session was ended.
    return seeOther(`${services.config.basePath}${answer.headers ? SIGNED_OUT : '/'}`, answer.headers);
  },
});

const logoutByLink = route('GET /logout', 'logoutByLink', {
  access: { permission: 'NONE' },
  summary: 'Ends the session of the cookie. For pages that sign out with a link',
  description: 'A link on a page of another origin does not end the session.',
  responses: {
    200: {
      description: 'There is no session any more, unless a page of another origin sent the request',
      headers: COOKIE_REMOVAL,
    },
  },
  handle: endSessionOfCookie,
});

/** Ends the session of the request's cookie. The answer is the same if there is no session. */
async function endSessionOfCookie(request: HandlerRequest<unknown, unknown, unknown>, services: Services) {
  const { config, userCredentials } = services;
  if (!mayEndSession(request, config)) return done();
  const caller = userCredentials.findSession(cookieValue(request.header('cookie') ?? '', SESSION_COOKIE));
  const headers = { 'set-cookie': endedCookie(config, request.isTls) };
  if (!caller?.proof) return { ...done(), headers };
  return change(services, caller, endSession, { secret: caller.proof.key }, () => ({ ...done(), headers }));
}

const signedOut = route(`GET ${SIGNED_OUT}`, 'getSignedOutPage', {
  access: { permission: 'NONE' },
  summary: 'The page that a browser is sent to after a logout',
  responses: { 200: { description: 'The page', contentType: 'text/html' } },
  handle: (_request, { config }) => ({
    status: 200,
    text: signedOutPage(config.basePath),
    headers: { 'content-type': 'text/html; charset=utf-8' },
  }),
});

const signedOutPage = (basePath: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Burgee: signed out</title></head>
<body><p>You are signed out. <a href="${basePath}/">Back to the start</a></p></body>
</html>
`;

export const logoutEndpoints = [logout, logoutByLink, signedOut];
