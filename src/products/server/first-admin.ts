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

/** Guessing it is out of the question: 144 bits. */
const RANDOM_BYTES = 18;

/** With what the first admin signs on. Shown once, on the terminal, and never logged. */
export interface FirstSignOn {
  readonly username: string;
  readonly password: string;
}

/** The admin that a store without people may get. */
export interface FirstAdmin extends FirstSignOn {
  readonly passwordHash: string;
  /** Whether the environment says the password; otherwise it was made up, and is useless unless it is shown. */
  readonly isNamed: boolean;
}

/**
 * The admin that a store without people gets: the one that the environment names, or one with a made-up password if this start
 * shows what it made up, with the first tokens. Null when there is nothing to make; no password is hashed then.
 */
export async function proposeAdmin(
  config: Config,
  state: State,
  passwords: Passwords,
  logger: Logger,
): Promise<FirstAdmin | null> {
  const { defaultAdminUsername: username, defaultAdminPassword: named } = config;
  const isNamed = named !== '';
  if (hasPeople(state) || (!isNamed && (state.seq > 0 || namesTokens(config)))) return null;
  if (isNamed && passwordProblems(named).length > 0)
    logger.warn({ username }, 'the password of UNLEASH_DEFAULT_ADMIN_PASSWORD is weak: change it');
  const password = isNamed ? named : `${randomBytes(RANDOM_BYTES).toString('base64url')}-Aa1`;
  const passwordHash = await passwords.hash(password);
  if (passwordHash instanceof Rejection) throw new Error(passwordHash.message);
  return { username, password, passwordHash, isNamed };
}

/** Whether the environment names tokens: then a start makes up none, and shows nothing. */
function namesTokens({ initAdminTokens, initClientTokens, initFrontendTokens }: Config): boolean {
  return [initAdminTokens, initClientTokens, initFrontendTokens].some((tokens) => tokens.length > 0);
}

/** Makes the admin, unless there are people by now. False: there was nothing to make. */
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
