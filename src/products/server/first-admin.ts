import { randomBytes } from 'node:crypto';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Config } from '../../config.ts';
import type { CommandContext } from '../../engine/command.ts';
import { makeUser } from '../../features/people/users/commands.ts';
import type { Passwords } from '../../features/sign-on/passwords/hashing.ts';
import { passwordProblems } from '../../features/sign-on/passwords/password.ts';
import { ROLE_ID } from '../../model/role.ts';
import type { State } from '../../state/state.ts';

/** Random bytes in a generated password: 144 bits cannot be guessed. */
const RANDOM_BYTES = 18;

/** The user name and password of the first admin. They are shown once, and never logged. */
export interface FirstSignOn {
  readonly username: string;
  readonly password: string;
}

/** The admin that may be created in a store without people. */
export interface FirstAdmin extends FirstSignOn {
  readonly passwordHash: string;
  /** Whether the password comes from the environment. If not, the password was generated, and must be shown to be of any use. */
  readonly isConfigured: boolean;
}

/**
 * Prepares the admin for a store without people. Its password comes from the environment. If the environment contains no password, a password is
 * generated, but only if this start shows its generated secrets. Null when no admin is needed; then no password is hashed.
 */
export async function proposeAdmin(
  config: Config,
  state: State,
  passwords: Passwords,
  logger: Logger,
): Promise<FirstAdmin | null> {
  const { defaultAdminUsername: username, defaultAdminPassword: configuredPassword } = config;
  const isConfigured = configuredPassword !== '';
  if (hasPeople(state) || (!isConfigured && (state.seq > 0 || hasConfiguredTokens(config)))) return null;
  if (isConfigured && passwordProblems(configuredPassword).length > 0)
    logger.warn({ username }, 'the password of UNLEASH_DEFAULT_ADMIN_PASSWORD is weak: change it');
  const password = isConfigured ? configuredPassword : `${randomBytes(RANDOM_BYTES).toString('base64url')}-Aa1`;
  const passwordHash = await passwords.hash(password);
  if (passwordHash instanceof Rejection) throw new Error(passwordHash.message);
  return { username, password, passwordHash, isConfigured };
}

/** Whether the environment contains tokens. With such tokens, a start generates no secrets. */
function hasConfiguredTokens({ initAdminTokens, initClientTokens, initFrontendTokens }: Config): boolean {
  return [initAdminTokens, initClientTokens, initFrontendTokens].some((tokens) => tokens.length > 0);
}

/** Creates the admin. Returns false if people exist already, so no admin was created. */
export function ensureAdmin(
  context: CommandContext,
  { username, passwordHash }: Pick<FirstAdmin, 'username' | 'passwordHash'>,
): boolean | Rejection {
  if (hasPeople(context.draft)) return false;
  const user = makeUser(context, { username, rootRole: ROLE_ID.admin, passwordHash });
  if (!(user instanceof Rejection)) return true;
  return new Rejection(user.name, `UNLEASH_DEFAULT_ADMIN_USERNAME: ${user.message}`);
}

function hasPeople(reader: Pick<State, 'size'> & { values(collection: 'users'): Iterable<{ accountType: string }> }) {
  if (reader.size('users') === 0) return false;
  for (const { accountType } of reader.values('users')) if (accountType === 'User') return true;
  return false;
}
