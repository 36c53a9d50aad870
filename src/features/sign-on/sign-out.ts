import { Rejection } from '../../base/rejection.ts';
import type { Config } from '../../config.ts';
import { type Answer, seeOther } from '../../http/answer.ts';
import type { HandlerRequest } from '../../http/endpoint.ts';
import { cookieValue, isIntendedSignOut, SESSION_COOKIE } from '../../http/session-cookie.ts';
import type { SessionOrigin } from '../../model/sign-on.ts';
import type { Services } from '../services.ts';
import { change } from '../shared/change.ts';
import { oidcSettings, samlSettings } from './providers/settings.ts';
import { endSession } from './sessions/commands.ts';
import { endedCookie } from './sessions/cookie.ts';

export const SIGN_OUT_HEADERS = {
  location: 'Address of the identity provider or, if there is none, of this service',
  'set-cookie': 'Removes the cookie from the browser',
};

/**
 * Ends the session in this service first, then redirects the browser to the identity provider: if the provider is unreachable, the session has ended
 * nevertheless. A request from a page of another origin does not end the session.
 */
export async function signOut(
  request: HandlerRequest<unknown, unknown, unknown>,
  services: Services,
): Promise<Answer | Rejection> {
  const { config, state, userCredentials } = services;
  const home = `${config.basePath}/`;
  if (!mayEndSession(request, config)) return seeOther(home);
  const ended = { 'set-cookie': endedCookie(config, request.isTls) };
  const caller = userCredentials.findSession(cookieValue(request.header('cookie') ?? '', SESSION_COOKIE));
  if (!caller?.proof) return seeOther(home, ended);
  const origin = state.get('sessions', caller.proof.key)?.origin;
  const answer = await change(services, caller, endSession, { secret: caller.proof.key }, () => seeOther(home, ended));
  if (answer instanceof Rejection || !origin) return answer;
  const providerUrl = await signOutUrl(origin, request.remoteAddress, services);
  return { ...answer, headers: { ...answer.headers, location: providerUrl ?? home } };
}

/**
 * Whether the session's owner may have intended the request. If not, the browser must also keep its cookie, or it would be signed out all the same.
 */
export function mayEndSession(
  { header, isTls }: Pick<HandlerRequest<unknown, unknown, unknown>, 'header' | 'isTls'>,
  { serviceUrl }: Pick<Config, 'serviceUrl'>,
): boolean {
  const of = (name: string) => header(name) ?? '';
  const sender = { site: of('sec-fetch-site'), origin: of('origin'), host: of('host'), isTls };
  return isIntendedSignOut(sender, serviceUrl === '' ? '' : new URL(serviceUrl).origin);
}

/** The URL at the identity provider where the user signs out too; null when there is none. */
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
