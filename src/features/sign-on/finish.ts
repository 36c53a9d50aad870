import Type from 'typebox';
import { isoTime } from '../../base/clock.ts';
import { Rejection } from '../../base/rejection.ts';
import { type Answer, seeOther } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import { cookieValue } from '../../http/session-cookie.ts';
import { arrivingCaller } from '../../model/caller.ts';
import type { SignOnPolicy } from '../../model/sign-on.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { publicUrl } from '../shared/public-url.ts';
import { type SignOnInput, signOn } from './commands.ts';
import { ATTEMPT_COOKIE, ATTEMPT_LIFETIME_MS, Attempt, CLOCK_SKEW_MS } from './providers/attempt.ts';
import { isOidcFromEnvironment, isSamlFromEnvironment } from './providers/settings.ts';
import type { VerifiedUser } from './providers/sign-on.ts';
import { ReturnPath } from './return-path.ts';
import { newSession, sessionCookie } from './sessions/cookie.ts';

type Request = HandlerRequest<unknown, unknown, unknown>;

export const LoginQuery = Type.Object({
  return: ReturnPath,
  redirect: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'The same as `return`, which is preferred; for clients of Unleash',
    }),
  ),
  try: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{8,64}$',
      description:
        'A random text: tries the sign-on, also while it is disabled. Nothing is stored and the session stays; the page of the settings shows ' +
        'the result, with this text. Only for a browser in which an admin is signed on',
    }),
  ),
});

/** The answer to a callback from a browser that did not begin the sign-on. */
export const NOT_BEGUN = new Rejection(
  'AuthenticationRequired',
  'This browser has no sign-on in progress, or it expired. Begin again at the sign-on page of this service, not at the identity provider.',
);

/** The sign-on attempt in the browser's cookie, if there is one. */
export function attemptOf(request: Request, { clock }: Services): Attempt | undefined {
  return Attempt.of(cookieValue(request.header('cookie') ?? '', ATTEMPT_COOKIE), clock.nowMs());
}

/** Redirects the browser to the identity provider, with the attempt in a cookie that the callback requires. */
export function redirectToProvider(location: string, attempt: Attempt, { config }: Services): Answer {
  const secure = publicUrl(config).startsWith('https:') ? '; Secure' : '';
  const details = `Path=${config.basePath}/auth; Max-Age=${ATTEMPT_LIFETIME_MS / 1000}; HttpOnly; SameSite=Lax${secure}`;
  return seeOther(location, { 'set-cookie': `${ATTEMPT_COOKIE}=${attempt.cookie}; ${details}` });
}

/** The input of the command that signs the user on. */
export function signOnInput(
  request: Request,
  services: Services,
  attempt: Attempt,
  { identity, origin }: VerifiedUser,
  policy: SignOnPolicy,
  session = newSession(request, services).session,
): SignOnInput {
  const { config } = services;
  return {
    attempt: attempt.derive('spent'),
    attemptEndsAt: isoTime(attempt.startedMs + ATTEMPT_LIFETIME_MS + CLOCK_SKEW_MS),
    identity: identity.identity,
    email: identity.email,
    name: identity.name,
    groups: identity.groups === null ? null : [...identity.groups],
    policy: {
      autoCreate: policy.autoCreate ?? false,
      emailDomains: (policy.emailDomains ?? '').split(',').flatMap((domain) => domain.trim().replace(/^@/, '') || []),
      rootRoleId: policy.defaultRootRoleId,
      rootRole: policy.defaultRootRole,
      isFixed: origin.protocol === 'saml' ? isSamlFromEnvironment(config) : isOidcFromEnvironment(config),
    },
    session,
    origin,
  };
}

/** Signs on the user whose identity was verified: the last step of a sign-on with SAML and with OpenID Connect. */
export async function finish(
  request: Request,
  services: Services,
  attempt: Attempt,
  verifiedUser: VerifiedUser,
  policy: SignOnPolicy,
): Promise<Answer | Rejection> {
  const { config } = services;
  const { protocol } = verifiedUser.origin;
  const session = newSession(request, services);
  const input = signOnInput(request, services, attempt, verifiedUser, policy, session.session);
  return change(services, arrivingCaller(protocol), signOn, input, () =>
    seeOther(config.basePath + attempt.returnTo, { 'set-cookie': sessionCookie(session.text, config, request.isTls) }),
  );
}
