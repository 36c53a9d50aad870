import { randomBytes } from 'node:crypto';
import { type Clock, HOUR_MS, isoTime } from '../../../base/clock.ts';
import { shortened } from '../../../base/shortened.ts';
import type { Config } from '../../../config.ts';
import { SESSION_COOKIE } from '../../../http/cookies.ts';
import { USER_AGENT_LENGTH_MAX } from '../../../model/session.ts';
import { hashedSecret } from '../../../model/token-secret.ts';
import type { NewSession } from './commands.ts';

/** Guessing one is out of the question: 256 bits. */
const RANDOM_BYTES = 32;

/** What is told of a session's beginning. */
interface Signing {
  readonly config: Pick<Config, 'sessionLifetimeHours'>;
  readonly clock: Clock;
}

/** A session that is about to begin: what its cookie holds, which is told once, and what a command makes of it (`createSession`). */
export function newSession(
  request: { header(name: string): string | undefined },
  { config, clock }: Signing,
): { readonly text: string; readonly session: NewSession } {
  const text = randomBytes(RANDOM_BYTES).toString('base64url');
  const expiresAt = isoTime(clock.nowMs() + config.sessionLifetimeHours * HOUR_MS);
  const userAgent = shortened(request.header('user-agent') ?? '', USER_AGENT_LENGTH_MAX);
  return { text, session: { secret: hashedSecret(text), expiresAt, userAgent } };
}

type CookieConfig = Pick<Config, 'sessionLifetimeHours' | 'basePath'>;

/** The value of `set-cookie` that begins the session in the browser. `isTls` is the request's: the cookie then never travels without. */
export function sessionCookie(text: string, config: CookieConfig, isTls: boolean): string {
  return cookie(text, config.sessionLifetimeHours * 3_600, config, isTls);
}

/** The value of `set-cookie` that makes the browser forget it. */
export function endedCookie(config: CookieConfig, isTls: boolean): string {
  return cookie('', 0, config, isTls);
}

/**
 * Read by no script, and sent along with other sites' requests only where somebody follows a link. Whether a change was meant is asked beside
 * that: http/cookies.ts.
 */
function cookie(text: string, maxAgeS: number, { basePath }: CookieConfig, isTls: boolean): string {
  const secure = isTls ? '; Secure' : '';
  return `${SESSION_COOKIE}=${text}; Path=${basePath || '/'}; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`;
}
