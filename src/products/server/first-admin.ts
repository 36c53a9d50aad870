import { randomBytes } from 'node:crypto';
import type { Logger } from '../../base/logger.ts';
import { Rejection } from '../../base/rejection.ts';
import type { Config } from '../../config.ts';
import type { CommandContext } from '../../engine/command.ts';
import { passwordProblems } from '../../features/people/passwords/password.ts';
import { makeUser } from '../../features/people/users/commands.ts';
import type { Passwords } from '../../features/sign-on/passwords/hashing.ts';
import { ROLE_ID } from '../../model/role.ts';
import type { State } from '../../state/state.ts';

/** Random bytes in a generated password: 144 bits cannot be guessed. */
const RANDOM_BYTES = 18;

/** The user name and password of the first admin. They are shown once, and the password is never logged. */
export interface FirstSignOn {
  readonly username: string;
  /** Null if it is the password of `UNLEASH_DEFAULT_ADMIN_PASSWORD`, which is never shown. */
  readonly password: string | null;
}

/** The admin that may be created in a store without people. */
export interface FirstAdmin {
  readonly username: string;
  readonly password: string;
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
  if (hasPeople(state) || !isAdminWanted(config, state.seq)) return null;
  const admin = chosenAdmin(config);
  if (admin.isConfigured && passwordProblems(admin.password).length > 0)
    logger.warn({ username: admin.username }, 'the password of UNLEASH_DEFAULT_ADMIN_PASSWORD is weak: change it');
  const passwordHash = await passwords.hash(admin.password);
  if (passwordHash instanceof Rejection) throw new Error(passwordHash.message);
  return { ...admin, passwordHash };
}

/** Whether a start with these options creates an admin in a store without people. `seq`: the newest commit of the store. */
export function isAdminWanted(config: Config, seq: number): boolean {
  return config.defaultAdminPassword !== '' || (seq === 0 && !hasConfiguredTokens(config));
}

/** The name and password from the environment, or a generated password. */
export function chosenAdmin({ defaultAdminUsername: username, defaultAdminPassword }: Config) {
  const isConfigured = defaultAdminPassword !== '';
  const password = isConfigured ? defaultAdminPassword : `${randomBytes(RANDOM_BYTES).toString('base64url')}-Aa1`;
  return { username, password, isConfigured };
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

/** Whether there is a user who is a person, not a service account. */
export function hasPeople(
  reader: Pick<State, 'size'> & { values(collection: 'users'): Iterable<{ accountType: string }> },
) {
  if (reader.size('users') === 0) return false;
  for (const { accountType } of reader.values('users')) if (accountType === 'User') return true;
  return false;
}
