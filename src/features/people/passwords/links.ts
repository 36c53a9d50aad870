import { randomBytes } from 'node:crypto';
import { type Clock, DAY_MS, isoTime } from '../../../base/clock.ts';
import { Rejection } from '../../../base/rejection.ts';
import type { Config } from '../../../config.ts';
import { hashedSecret } from '../../../model/token-secret.ts';
import { publicUrl } from '../../shared/public-url.ts';
import type { NewPasswordLink } from './link-commands.ts';
import { passwordProblems } from './password.ts';

/** Length of a token. 256 bits cannot be guessed. */
const RANDOM_BYTES = 32;

/** How long a link is valid: a link for a new password, and an invitation with which a user sets their first password. */
const LIFETIME_DAYS = { 'reset-password': 1, 'new-user': 7 } as const;

/** A new link: its URL, which is returned once, and the input of the command that stores it. */
export function newPasswordLink(
  page: keyof typeof LIFETIME_DAYS,
  { config, clock }: { readonly config: Config; readonly clock: Clock },
): { readonly url: string; readonly link: NewPasswordLink } {
  const text = randomBytes(RANDOM_BYTES).toString('base64url');
  const expiresAt = isoTime(clock.nowMs() + LIFETIME_DAYS[page] * DAY_MS);
  return { url: `${publicUrl(config)}/${page}?token=${text}`, link: { secret: hashedSecret(text), expiresAt } };
}

/** A rejection if the password is too weak; otherwise undefined. The rejection does not contain the password. */
export function weakPasswordProblem(password: string): Rejection | undefined {
  const problems = passwordProblems(password);
  const details = problems.map((message, index) => {
    const detail = { message, path: '/password' };
    return index === 0 ? { ...detail, validationErrors: problems } : detail;
  });
  return problems.length === 0 ? undefined : new Rejection('ValidationError', problems.join(' '), details);
}
