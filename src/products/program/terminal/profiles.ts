import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { ProgramError, type ProgramIo, UsageError } from '../subcommand.ts';

/** A service and the token with which a person uses it. */
export interface Profile {
  readonly url: string;
  readonly token: string;
}

/** The profile that commands use without `--profile`. */
const DEFAULT_NAME = 'default';

const NAME = /^[A-Za-z0-9._-]{1,64}$/;

/** The bits of a file's mode that give access to other users. */
const OTHERS = 0o077;

type Environment = ProgramIo['environment'];

/** The name of a profile on the command line. @throws UsageError */
export function profileName(name: string = DEFAULT_NAME): string {
  if (NAME.test(name)) return name;
  throw new UsageError('--profile must be a name of 1 to 64 letters, digits, dots, dashes and underscores');
}

/** The file with all profiles, in the user's folder for configuration. */
export function profilesFile({ XDG_CONFIG_HOME = '', HOME }: Environment): string {
  const folder = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(HOME || homedir(), '.config');
  return join(folder, 'burgee', 'profiles.json');
}

/** The stored profiles by name. @throws ProgramError if other users can read the file, or if it is not valid */
export function readProfiles(environment: Environment): Map<string, Profile> {
  const file = profilesFile(environment);
  const text = readPrivate(file);
  if (text === undefined) return new Map();
  let stored: unknown;
  try {
    stored = (JSON.parse(text) as { readonly profiles?: unknown } | null)?.profiles;
  } catch {
    // It is reported below. The error of the parser would contain a part of the file.
  }
  if (typeof stored !== 'object' || stored === null || !Object.values(stored).every(isProfile))
    throw new ProgramError(`${file} is not valid: delete it, and log in again`);
  return new Map(Object.entries(stored));
}

function isProfile(value: unknown): value is Profile {
  const { url, token } = (value ?? {}) as Partial<Profile>;
  return typeof url === 'string' && typeof token === 'string';
}

function readPrivate(file: string): string | undefined {
  try {
    if ((statSync(file).mode & OTHERS) !== 0)
      throw new ProgramError(`${file} contains tokens and other users can read it: chmod 600 ${file}`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ProgramError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ProgramError(`${file} cannot be read: ${code}`);
  }
}

/** The profile with this name. Without a name: the profile `default`, or the only one. */
export function findProfile(profiles: ReadonlyMap<string, Profile>, name: string | undefined): Profile | undefined {
  if (name !== undefined) return profiles.get(name);
  const [only] = profiles.size === 1 ? profiles.values() : [];
  return profiles.get(DEFAULT_NAME) ?? only;
}

/** Replaces the file in one step. Only the user can read it at any time. @throws ProgramError */
export function writeProfiles(environment: Environment, profiles: ReadonlyMap<string, Profile>): void {
  const file = profilesFile(environment);
  const next = `${file}.${process.pid}`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(next, { force: true });
    const text = `${JSON.stringify({ profiles: Object.fromEntries(profiles) }, null, 2)}\n`;
    writeFileSync(next, text, { mode: 0o600, flag: 'wx' });
    // The umask may have removed the user's own rights.
    chmodSync(next, 0o600);
    renameSync(next, file);
  } catch (error) {
    throw new ProgramError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}`);
  }
}
