import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { routesOf } from '../../endpoint.ts';
import { attemptOf, finish, LoginQuery, NOT_BEGUN, redirectToProvider } from '../finish.ts';
import { Attempt } from '../providers/attempt.ts';
import { NOT_CONFIGURED, oidcSettings } from '../providers/settings.ts';
import { SIGN_OUT_HEADERS, signOut } from '../sign-out.ts';
import { finishTrial, showRefusal, trialProblem } from '../trial.ts';

const route = routesOf('Auth');

const login = route('GET /auth/oidc/login', 'oidcLogin', {
  access: { permission: 'NONE' },
  summary: 'Redirects the browser to the OpenID Connect provider',
  query: LoginQuery,
  responses: {
    303: {
      description: 'Redirects to the identity provider',
      headers: { location: 'Address of the identity provider', 'set-cookie': 'The sign-on attempt' },
    },
  },
  errors: [403, 404, 429],
  async handle(request, services) {
    const { query, remoteAddress } = request;
    const { config, state, signOn, clock } = services;
    const settings = oidcSettings(config, state);
    const problem = query.try === undefined ? undefined : trialProblem(request, services);
    if (problem) return problem;
    if (!settings.enabled && query.try === undefined) return NOT_CONFIGURED.oidc;
    const attempt = Attempt.begin(clock.nowMs(), query.return ?? query.redirect ?? '/', query.try);
    const url = await signOn.oidcLoginUrl(settings, attempt, remoteAddress);
    if (!(url instanceof Rejection)) return redirectToProvider(url, attempt, services);
    return attempt.trial === null ? url : showRefusal(services, attempt, 'oidc', url);
  },
});

const callback = route('GET /auth/oidc/callback', 'oidcCallback', {
  access: { permission: 'NONE' },
  summary: 'Receives the code of the OpenID Connect provider, and signs the user on',
  // Providers may add any parameter; the OpenID Connect client checks those that it uses.
  query: Type.Object({}),
  responses: {
    303: {
      description: 'The user is signed on',
      headers: { location: 'Address of the page to open', 'set-cookie': 'The session' },
    },
  },
  errors: [401, 403, 404, 409, 429],
  async handle(request, services) {
    const { config, state, signOn } = services;
    const settings = oidcSettings(config, state);
    const attempt = attemptOf(request, services);
    const isTrial = attempt !== undefined && attempt.trial !== null;
    if (!settings.enabled && !isTrial) return NOT_CONFIGURED.oidc;
    if (!attempt) return NOT_BEGUN;
    // The browser could have added the mark to its cookie: without an admin, no request goes to the provider of a disabled sign-on.
    const problem = isTrial ? trialProblem(request, services) : undefined;
    if (problem) return problem;
    const verifiedUser = await signOn.oidcIdentity(settings, attempt, request.queryText, request.remoteAddress);
    if (isTrial) return finishTrial(request, services, attempt, verifiedUser, { protocol: 'oidc', policy: settings });
    return verifiedUser instanceof Rejection
      ? verifiedUser
      : finish(request, services, attempt, verifiedUser, settings);
  },
});

const logout = route('GET /auth/oidc/logout', 'oidcLogout', {
  access: { permission: 'NONE' },
  summary: 'Ends the session in this service and, if single sign-out is enabled, at the OpenID Connect provider',
  responses: {
    303: {
      description: 'There is no session any more, unless a page of another origin sent the request',
      headers: SIGN_OUT_HEADERS,
    },
  },
  errors: [404, 429],
  handle: signOut,
});

export const oidcEndpoints = [login, callback, logout];
