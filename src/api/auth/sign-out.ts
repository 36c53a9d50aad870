import { Rejection } from '../../base/rejection.ts';
import { endSession } from '../../commands/session.ts';
import { type Answer, seeOther } from '../../http/answer.ts';
import { cookieValue, SESSION_COOKIE } from '../../http/cookies.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import type { SessionOrigin } from '../../model/sign-on.ts';
import { oidcSettings, samlSettings } from '../../sign-on/settings.ts';
import { change } from '../change.ts';
import type { Services } from '../services.ts';
import { endedCookie } from '../session-cookie.ts';

export const SIGN_OUT_HEADERS = { location: 'The identity provider, or the start', 'set-cookie': 'Ends the cookie' };

/**
 * Ends the session here first, then sends the browser where it began: an identity provider that is out of reach keeps nobody signed on. What a page
 * of another site asks for ends nothing.
 */
export async function signOut(
  request: HandlerRequest<unknown, unknown, unknown>,
  services: Services,
): Promise<Answer | Rejection> {
  const { config, state, userCredentials } = services;
  const home = `${config.basePath}/`;
  if (request.header('sec-fetch-site') === 'cross-site') return seeOther(home);
  const ended = { 'set-cookie': endedCookie(config, request.isTls) };
  const caller = userCredentials.findSession(cookieValue(request.header('cookie') ?? '', SESSION_COOKIE));
  if (!caller?.proof) return seeOther(home, ended);
  const origin = state.get('sessions', caller.proof.key)?.origin;
  const answer = await change(services, caller, endSession, { secret: caller.proof.key }, () => seeOther(home, ended));
  if (answer instanceof Rejection || !origin) return answer;
  const elsewhere = await signOutUrl(origin, request.remoteAddress, services);
  return { ...answer, headers: { ...answer.headers, location: elsewhere ?? home } };
}

/** Where the identity provider is asked to sign out too; null when it is not, or cannot be. */
async function signOutUrl(
  origin: SessionOrigin,
  address: string,
  { config, state, signOn }: Services,
): Promise<string | null> {
  const url =
    origin.protocol === 'saml'
      ? await signOn.samlLogoutUrl(samlSettings(config, state), origin, address)
      : await signOn.oidcLogoutUrl(oidcSettings(config, state), address);
  return url instanceof Rejection ? null : url;
}
