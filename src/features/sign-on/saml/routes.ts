import { createHash } from 'node:crypto';
import Type from 'typebox';
import { Rejection } from '../../../base/rejection.ts';
import { type Answer, seeOther } from '../../../http/answer.ts';
import { routesOf } from '../../endpoint.ts';
import { attemptOf, finish, LoginQuery, NOT_BEGUN, redirectToProvider } from '../finish.ts';
import { Attempt } from '../providers/attempt.ts';
import { NOT_CONFIGURED, samlSettings } from '../providers/settings.ts';
import { SIGN_OUT_HEADERS, signOut } from '../sign-out.ts';
import { finishTrial, showRefusal, trialProblem } from '../trial.ts';

const route = routesOf('Auth');

const login = route('GET /auth/saml/login', 'samlLogin', {
  access: { permission: 'NONE' },
  summary: 'Redirects the browser to the SAML identity provider',
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
    const settings = samlSettings(config, state);
    const problem = query.try === undefined ? undefined : trialProblem(request, services);
    if (problem) return problem;
    if (!settings.enabled && query.try === undefined) return NOT_CONFIGURED.saml;
    const attempt = Attempt.begin(clock.nowMs(), query.return ?? query.redirect ?? '/', query.try);
    const url = await signOn.samlLoginUrl(settings, requestIdOf(attempt), remoteAddress);
    if (!(url instanceof Rejection)) return redirectToProvider(url, attempt, services);
    return attempt.trial === null ? url : showRefusal(services, attempt, 'saml', url);
  },
});

const callback = route('POST /auth/saml/callback', 'samlCallback', {
  access: { permission: 'NONE' },
  summary: 'Receives the response of the SAML identity provider, and signs the user on',
  description:
    'Accepts only responses to sign-ons that this browser began. If the browser sends the response without its cookie, because the request ' +
    'comes from another site, the answer is a page that sends the response again from this site.',
  form: true,
  body: Type.Object({
    SAMLResponse: Type.String({ minLength: 1 }),
    RelayState: Type.Optional(Type.String()),
    again: Type.Optional(Type.String({ description: 'Set by the page that sends the response again' })),
  }),
  responses: {
    200: { description: 'The page', contentType: 'text/html' },
    303: {
      description: 'The user is signed on',
      headers: { location: 'Address of the page to open', 'set-cookie': 'The session' },
    },
  },
  errors: [401, 403, 404, 409, 429],
  async handle(request, services) {
    const { config, state, signOn } = services;
    const { body, remoteAddress } = request;
    const settings = samlSettings(config, state);
    const attempt = attemptOf(request, services);
    const isTrial = attempt !== undefined && attempt.trial !== null;
    // The first request comes without its cookie, so it does not show whether it belongs to a trial, which works while the sign-on is disabled.
    const mayBeTrial = isTrial || (!attempt && body.again === undefined && settings.signOnUrl !== undefined);
    if (!settings.enabled && !mayBeTrial) return NOT_CONFIGURED.saml;
    if (!attempt) return body.again === undefined ? pageThatSendsAgain(body.SAMLResponse) : NOT_BEGUN;
    // The browser could have added the mark to its cookie: without an admin, no response is verified while the sign-on is disabled.
    const problem = isTrial ? trialProblem(request, services) : undefined;
    if (problem) return problem;
    const verifiedUser = await signOn.samlIdentity(settings, requestIdOf(attempt), body.SAMLResponse, remoteAddress);
    if (isTrial) return finishTrial(request, services, attempt, verifiedUser, { protocol: 'saml', policy: settings });
    if (verifiedUser instanceof Rejection) return verifiedUser;
    return finish(request, services, attempt, verifiedUser, settings);
  },
});

const metadata = route('GET /auth/saml/metadata', 'samlMetadata', {
  access: { permission: 'NONE' },
  summary: 'The SAML metadata of this service, for the identity provider',
  responses: { 200: { description: 'SAML metadata', contentType: 'application/samlmetadata+xml' } },
  errors: [404, 429],
  async handle({ remoteAddress }, { config, state, signOn }) {
    const text = await signOn.samlMetadata(samlSettings(config, state), remoteAddress);
    if (text instanceof Rejection) return text;
    return { status: 200, text, headers: { 'content-type': 'application/samlmetadata+xml; charset=utf-8' } };
  },
});

const logout = route('GET /auth/saml/logout', 'samlLogout', {
  access: { permission: 'NONE' },
  summary: 'Ends the session in this service and, if `signOutUrl` is set, at the SAML identity provider',
  responses: {
    303: {
      description: 'There is no session any more, unless a page of another origin sent the request',
      headers: SIGN_OUT_HEADERS,
    },
  },
  errors: [404, 429],
  handle: signOut,
});

const signedOut = route('GET /auth/saml/logout/callback', 'samlLogoutCallback', {
  access: { permission: 'NONE' },
  summary: 'The SAML identity provider sends the browser here after a sign-out',
  responses: { 303: { description: 'Redirects to this service', headers: { location: 'Address of this service' } } },
  errors: [404],
  // The session in this service ended before the redirect to the identity provider, so the provider's response does not matter.
  handle: (_request, { config }) => seeOther(`${config.basePath}/`),
});

const signedOutByPost = route('POST /auth/saml/logout/callback', 'samlLogoutCallbackByPost', {
  access: { permission: 'NONE' },
  summary: 'The SAML identity provider sends the browser here after a sign-out, with POST',
  form: true,
  body: Type.Object({}),
  responses: { 303: { description: 'Redirects to this service', headers: { location: 'Address of this service' } } },
  errors: [404],
  handle: (_request, { config }) => seeOther(`${config.basePath}/`),
});

function requestIdOf(attempt: Attempt): string {
  return `_${attempt.derive('saml-request')}`;
}

const SCRIPT = 'document.forms[0].submit()';
const SCRIPT_HASH = createHash('sha256').update(SCRIPT).digest('base64');

/**
 * Browsers do not send a SameSite cookie with a POST from another site. This page posts the response again from this site, with the cookie. So the
 * cookie can stay SameSite.
 */
function pageThatSendsAgain(response: string): Answer {
  const escaped = response.replace(/[^A-Za-z0-9+/=]/g, '');
  const text =
    '<!doctype html><meta charset="utf-8"><title>Signing on</title>' +
    `<form method="post"><input type="hidden" name="SAMLResponse" value="${escaped}"><input type="hidden" name="again" value="1">` +
    `<noscript><button>Continue</button></noscript></form><script>${SCRIPT}</script>`;
  const policy = `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;
  return {
    status: 200,
    text,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
    },
  };
}

export const samlEndpoints = [login, callback, metadata, logout, signedOut, signedOutByPost];
