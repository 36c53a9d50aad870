import { freePort } from '../../../bench/support/free-port.ts';
import { cookieValue, SESSION_COOKIE } from '../../../src/http/session-cookie.ts';
import type { User } from '../../../src/model/user.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import type { Browser } from './browser.ts';
import { SECRETS_KEY } from './saml/saml-world.ts';

/** A service whose own address is configured: identity providers need it. */
export async function startAddressed(
  env: Readonly<Record<string, string>> = {},
  { onDisk = false } = {},
): Promise<TestService> {
  const port = String(await freePort());
  return startTestService({
    onDisk,
    env: { HTTP_PORT: port, UNLEASH_URL: `http://127.0.0.1:${port}`, SECRETS_KEY, ...env },
  });
}

/** The user of the browser's session. */
export function userOf({ running }: TestService, { cookies }: Browser): User | undefined {
  const { userCredentials, state } = running.services;
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join(';');
  const caller = userCredentials.findSession(cookieValue(cookie, SESSION_COOKIE));
  return caller?.user ? state.get('users', caller.user) : undefined;
}

/** The emails of all users. */
export function emailsOf({ running }: TestService): (string | null)[] {
  return [...running.services.state.values('users')].map(({ email }) => email);
}
