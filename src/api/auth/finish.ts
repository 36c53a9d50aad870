import { isoTime } from '../../base/clock.ts';
import type { Rejection } from '../../base/rejection.ts';
import { signOn } from '../../commands/sign-on.ts';
import { type Answer, seeOther } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import { systemCaller } from '../../model/caller.ts';
import { SYSTEM_USER_ID } from '../../model/primitives.ts';
import type { SignOnPolicy } from '../../model/sign-on.ts';
import { ATTEMPT_COOKIE, ATTEMPT_LIFETIME_MS, type Attempt, CLOCK_SKEW_MS } from '../../sign-on/attempt.ts';
import type { Identity } from '../../sign-on/identity.ts';
import { publicUrl } from '../../sign-on/settings.ts';
import { change } from '../change.ts';
import type { Services } from '../services.ts';
import { newSession, sessionCookie } from '../session-cookie.ts';

type Request = HandlerRequest<unknown, unknown, unknown>;

/** Sends the browser to the identity provider, with what it has to bring back. */
export function began(location: string, attempt: Attempt, { config }: Services): Answer {
  const secure = publicUrl(config).startsWith('https:') ? '; Secure' : '';
  const facts = `Path=${config.basePath}/auth; Max-Age=${ATTEMPT_LIFETIME_MS / 1000}; HttpOnly; SameSite=Lax${secure}`;
  return seeOther(location, { 'set-cookie': `${ATTEMPT_COOKIE}=${attempt.cookie}; ${facts}` });
}

/** Signs on who the identity provider vouches for: the one way in, whatever the protocol. */
export async function finish(
  request: Request,
  services: Services,
  attempt: Attempt,
  protocol: 'saml' | 'oidc',
  identity: Identity,
  policy: SignOnPolicy,
): Promise<Answer | Rejection> {
  const { config } = services;
  const session = newSession(request, services);
  const input = {
    protocol,
    attempt: attempt.derive('spent'),
    attemptEndsAt: isoTime(attempt.startedMs + ATTEMPT_LIFETIME_MS + CLOCK_SKEW_MS),
    email: identity.email,
    name: identity.name,
    groups: identity.groups === null ? null : [...identity.groups],
    policy: {
      autoCreate: policy.autoCreate ?? false,
      emailDomains: (policy.emailDomains ?? '').split(',').flatMap((domain) => domain.trim().replace(/^@/, '') || []),
      rootRoleId: policy.defaultRootRoleId,
      rootRole: policy.defaultRootRole,
    },
    session: session.session,
  };
  const caller = systemCaller({ id: SYSTEM_USER_ID, name: `${protocol}-sign-on` });
  return change(services, caller, signOn, input, () =>
    seeOther(config.basePath + attempt.returnTo, { 'set-cookie': sessionCookie(session.text, config, request.isTls) }),
  );
}
