import { readArguments } from '../arguments.ts';
import { ProgramError, type ProgramIo, UsageError } from '../subcommand.ts';
import { AdminApi, checkedAddress, checkedToken } from './connection.ts';
import { OPTIONS } from './options.ts';
import { findProfile, profileName, profilesFile, readProfiles, writeProfiles } from './profiles.ts';
import { plain, screenOf, table } from './screen.ts';
import { readSecret } from './secret-input.ts';

interface Me {
  readonly user: { readonly name?: string; readonly username?: string; readonly email?: string };
}

/** Runs `burgee login`. @throws ProgramError */
export async function runLogin(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values, positionals } = readArguments(args, OPTIONS.login, 1);
  const [given] = positionals;
  if (given === undefined) throw new UsageError('specify the address of a service; see --help');
  const url = checkedAddress(given, 'the address');
  const name = profileName(values.profile);
  // A file that cannot be used is reported before the user types the token.
  readProfiles(io.environment);
  if (!isPrivate(new URL(url))) io.err(`warning: with http, others in the network can read the token\n`);
  const token = checkedToken(await readSecret(`token for ${url}: `, io), 'the token');
  const me = await new AdminApi({ url, token }).get<Me>('/user');
  writeProfiles(io.environment, new Map(readProfiles(io.environment)).set(name, { url, token }));
  const { name: person, username, email } = me.user;
  const user = plain(person || username || email || 'a user without a name');
  io.out(values.json ? `${JSON.stringify(me)}\n` : `logged in to ${url} as ${user}: profile ${name}\n`);
  return 0;
}

/** Whether only the service can read the requests to the address. */
function isPrivate({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
}

/** Runs `burgee profiles`. @throws ProgramError */
export async function runProfiles(args: readonly string[], io: ProgramIo): Promise<number> {
  const { values } = readArguments(args, OPTIONS.profiles);
  const profiles = readProfiles(io.environment);
  if (values.remove !== undefined) {
    if (!profiles.delete(values.remove)) throw new ProgramError(`there is no profile "${values.remove}"`);
    writeProfiles(io.environment, profiles);
    return 0;
  }
  const standard = findProfile(profiles, undefined);
  const listed = Array.from(profiles, ([name, profile]) => ({
    name,
    url: profile.url,
    isDefault: profile === standard,
  }));
  if (values.json) for (const profile of listed) io.out(`${JSON.stringify(profile)}\n`);
  else if (listed.length === 0) io.err(`there are no profiles in ${profilesFile(io.environment)}: see burgee login\n`);
  else {
    const rows = listed.map(({ name, url, isDefault }) => [name, url, isDefault ? 'default' : '']);
    io.out(table([{ title: 'name' }, { title: 'url' }, { title: '' }], rows, screenOf(io)));
  }
  return 0;
}
