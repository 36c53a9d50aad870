import { randomBytes } from 'node:crypto';
import { type Clock, HOUR_MS, isoTime } from '../../../base/clock.ts';
import { shortened } from '../../../base/shortened.ts';
import type { Config } from '../../../config.ts';
import { SESSION_COOKIE } from '../../../http/session-cookie.ts';
import { USER_AGENT_LENGTH_MAX } from '../../../model/session.ts';
import { hashedSecret } from '../../../model/token-secret.ts';
import type { NewSession } from './commands.ts';

/** Length of the cookie's secret. 256 bits cannot be guessed. */
const RANDOM_BYTES = 32;

/** What a new session needs from the service. */
interface SessionParts {
  readonly config: Pick<Config, 'sessionLifetimeHours'>;
  readonly clock: Clock;
}

/** A new session: the value of its cookie, which is sent once, and the input of the command that stores it (`createSession`). */
export function newSession(
  request: { header(name: string): string | undefined },
  { config, clock }: SessionParts,
): { readonly text: string; readonly session: NewSession } {
  const text = randomBytes(RANDOM_BYTES).toString('base64url');
  const expiresAt = isoTime(clock.nowMs() + config.sessionLifetimeHours * HOUR_MS);
  const userAgent = shortened(request.header('user-agent') ?? '', USER_AGENT_LENGTH_MAX);
  return { text, session: { secret: hashedSecret(text), expiresAt, userAgent } };
}

type CookieConfig = Pick<Config, 'sessionLifetimeHours' | 'basePath'>;

/** The value of `set-cookie` for a new session. `isTls`: the request used TLS, and the browser sends the cookie only over TLS. */
export function sessionCookie(text: string, config: CookieConfig, isTls: boolean): string {
  return cookie(text, config.sessionLifetimeHours * 3_600, config, isTls);
}

/** The value of `set-cookie` that removes the cookie from the browser. */
export function endedCookie(config: CookieConfig, isTls: boolean): string {
  return cookie('', 0, config, isTls);
}

/**
 * Scripts cannot read the cookie. From other sites, browsers send it only when the user follows a link. http/session-cookie.ts also checks the origin of
 * requests that change something.
 */
function cookie(text: string, maxAgeS: number, { basePath }: CookieConfig, isTls: boolean): string {
  const secure = isTls ? '; Secure' : '';
  return `${SESSION_COOKIE}=${text}; Path=${basePath || '/'}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}
