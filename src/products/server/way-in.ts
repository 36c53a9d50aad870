import { isoTime } from '../../base/clock.ts';
import type { Config } from '../../config.ts';
import type { Services } from '../../features/services.ts';
import { canSomebodySignOn, enabledWays } from '../../features/sign-on/ways-in.ts';
import type { StateReader } from '../../state/collections.ts';
import { hasPeople } from './first-admin.ts';

/**
 * Why nobody can sign on to the console, and what the operator can do; null if somebody can. A start that creates no person is valid, because programs
 * need only tokens.
 */
export function missingWayIn({ state, config, clock }: Pick<Services, 'state' | 'config' | 'clock'>): string | null {
  const now = isoTime(clock.nowMs());
  if (canSomebodySignOn(state, config, now)) return null;
  return `nobody can sign on to the console: ${causeAndAdvice(state, config, now)}`;
}

function causeAndAdvice(state: StateReader, config: Config, now: string): string {
  const withToken = hasAdminToken(state, now)
    ? 'with an admin token'
    : 'with an admin token, which INIT_ADMIN_API_TOKENS creates';
  if (!enabledWays(state, config).password)
    return `passwords are disabled, and no other way to sign on works. Enable passwords ${withToken}: POST /api/admin/auth/simple/settings with {"disabled": false}`;
  if (hasPeople(state))
    return `no user has a password. Give a user a password ${withToken}: POST /api/admin/user-admin/{id}/change-password with {"password": "…"}`;
  return (
    `there are no users, because the options choose the tokens and no password. Start Burgee with UNLEASH_DEFAULT_ADMIN_PASSWORD: it creates the user ` +
    `${config.defaultAdminUsername}. Or create a user ${withToken}: POST /api/admin/user-admin`
  );
}

function hasAdminToken(state: StateReader, now: string): boolean {
  for (const { type, expiresAt } of state.values('apiTokens'))
    if (type === 'admin' && (expiresAt === null || expiresAt > now)) return true;
  return false;
}
