import type { Config } from '../../config.ts';
import type { StateReader } from '../../state/collections.ts';
import { SIGN_ON_LIMITS } from './limits.ts';
import { oidcSettings, samlSettings } from './providers/settings.ts';
import { isPasswordSignOnDisabled } from './settings-commands.ts';

/** Which ways to sign on are enabled. */
export function enabledWays(reader: StateReader, config: Config) {
  return {
    password: !isPasswordSignOnDisabled(reader),
    saml: samlSettings(config, reader).enabled,
    oidc: oidcSettings(config, reader).enabled,
  };
}

/** Whether somebody can create an account with a public signup link. There are at most a thousand links: the search takes microseconds. */
export function hasOpenSignupToken(reader: StateReader, now: string): boolean {
  for (const { enabled, expiresAt, users } of reader.values('signupTokens'))
    if (enabled && expiresAt > now && users.length < SIGN_ON_LIMITS.usersOfSignupToken.max) return true;
  return false;
}

/** Whether at least one person can sign on now, or can create an account. */
export function canSomebodySignOn(reader: StateReader, config: Config, now: string): boolean {
  const { password, saml, oidc } = enabledWays(reader, config);
  if (saml && samlSettings(config, reader).autoCreate) return true;
  if (oidc && oidcSettings(config, reader).autoCreate) return true;
  if (password && (hasOpenSignupToken(reader, now) || hasOpenPasswordLink(reader, now))) return true;
  for (const { accountType, deactivatedAt, passwordHash, email } of reader.values('users')) {
    if (accountType !== 'User' || deactivatedAt !== undefined) continue;
    // Identity providers identify a user by the email.
    if ((password && passwordHash !== null) || ((saml || oidc) && email !== null)) return true;
  }
  return false;
}

/** Whether a user got a link to choose a password. */
function hasOpenPasswordLink(reader: StateReader, now: string): boolean {
  for (const { expiresAt } of reader.values('passwordLinks')) if (expiresAt > now) return true;
  return false;
}
