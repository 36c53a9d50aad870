import { randomBytes } from 'node:crypto';
import { type Clock, DAY_MS, isoTime } from '../../../base/clock.ts';
import { Rejection } from '../../../base/rejection.ts';
import type { Config } from '../../../config.ts';
import { hashedSecret } from '../../../model/token-secret.ts';
import type { NewPasswordLink } from './link-commands.ts';
import { passwordProblems } from './password.ts';

/** Guessing one is out of the question: 256 bits. */
const RANDOM_BYTES = 32;

/** How long a link is good for: to set a new password, or the first one. */
const LIFETIME_DAYS = { 'reset-password': 1, 'new-user': 7 } as const;

/** A link that is about to be made: its address, which is told once, and what a command makes of it. */
export function newPasswordLink(
  page: keyof typeof LIFETIME_DAYS,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
): { readonly url: string; readonly link: NewPasswordLink } {
  const text = randomBytes(RANDOM_BYTES).toString('base64url');
  const expiresAt = isoTime(clock.nowMs() + LIFETIME_DAYS[page] * DAY_MS);
  return { url: `${addressOf(config)}/${page}?token=${text}`, link: { secret: hashedSecret(text), expiresAt } };
}

/** Where people reach the service, without a slash at its end. Nothing of a request: whoever sends one could have others sent elsewhere. */
export function addressOf({ serviceUrl, port, basePath }: Config): string {
  return serviceUrl.replace(/\/+$/, '') || `http://localhost:${port}${basePath}`;
}

/** Why the password is not taken, or undefined. Its text is not told back. */
export function weakness(password: string): Rejection | undefined {
  const problems = passwordProblems(password);
  const details = problems.map((message, index) => {
    const detail = { message, path: '/password' };
    return index === 0 ? { ...detail, validationErrors: problems } : detail;
  });
  return problems.length === 0 ? undefined : new Rejection('ValidationError', problems.join(' '), details);
}
