import { messageOf } from '../../../base/remote-error.ts';
import { ask, serviceAddress, withoutApi } from '../service-client.ts';
import { ProgramError, type ProgramIo, UsageError } from '../subcommand.ts';
import { findProfile, type Profile, profileName, readProfiles } from './profiles.ts';
import { plain } from './screen.ts';

/** The number of a flag such as `-n`. @throws UsageError */
export function countOf(text: string | undefined, standard: number, max: number): number {
  if (text === undefined) return standard;
  if (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= max) return Number(text);
  throw new UsageError(`-n must be a number from 1 to ${max}, not "${text}"; see --help`);
}

/** The number in an argument such as a revision or an id. `meaning`: what the argument must be. @throws UsageError */
export function wholeNumber(text: string, name: string, meaning: string): number {
  if (/^[1-9]\d{0,11}$/.test(text)) return Number(text);
  throw new UsageError(`${name} must be ${meaning}, not "${text}"; see --help`);
}

/** The address of a service, as profiles store it. @throws UsageError */
export function checkedAddress(url: string, source: string): string {
  const isAddress = /^https?:\/\//i.test(url) && URL.canParse(url);
  if (!isAddress) throw new UsageError(`${source} must be an address such as https://flags.example.com`);
  const { username, password, search, hash } = new URL(url);
  // fetch refuses such addresses, and its message contains them.
  if (username !== '' || password !== '') throw new UsageError(`${source} must not contain a user or a password`);
  if (search !== '' || hash !== '') throw new UsageError(`${source} must not contain ? or #`);
  return withoutApi(url);
}

/** The token without white space around it. @throws ProgramError if no header can contain it */
export function checkedToken(token: string, source: string): string {
  const trimmed = token.trim();
  // fetch refuses other characters, and its message contains the whole value.
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new ProgramError(
    `${source} ${trimmed === '' ? 'is empty' : 'contains a space or a character that is not ASCII'}`,
  );
}

interface ConnectionFlags {
  readonly profile?: string | undefined;
  readonly url?: string | undefined;
}

/** The service that the flags, the environment or a profile name, and its token. @throws ProgramError */
export function connectionOf(flags: ConnectionFlags, { environment, err }: ProgramIo): Profile {
  const { BURGEE_URL: urlVariable = '', BURGEE_TOKEN: tokenVariable = '' } = environment;
  const name = flags.profile === undefined ? undefined : profileName(flags.profile);
  const isComplete = tokenVariable !== '' && (flags.url !== undefined || urlVariable !== '');
  const profile = isComplete && name === undefined ? undefined : findProfile(readProfiles(environment), name);
  if (name !== undefined && profile === undefined)
    throw new ProgramError(`there is no profile "${name}": see burgee profiles`);
  if (name !== undefined && flags.url === undefined && urlVariable !== '')
    err(`note: BURGEE_URL replaces the address of the profile ${name}\n`);
  const own = explicitAddress(flags.url, urlVariable);
  const token = tokenVariable !== '' ? checkedToken(tokenVariable, 'BURGEE_TOKEN') : profileToken(profile, own);
  // Without an address, the service on this machine is used, as other commands do.
  return { url: own ?? profile?.url ?? serviceAddress(undefined, environment), token };
}

function explicitAddress(flag: string | undefined, variable: string): string | undefined {
  if (flag !== undefined) return checkedAddress(flag, '--url');
  return variable === '' ? undefined : checkedAddress(variable, 'BURGEE_URL');
}

function profileToken(profile: Profile | undefined, address: string | undefined): string {
  if (profile === undefined) throw new ProgramError('log in with burgee login URL, or set BURGEE_URL and BURGEE_TOKEN');
  if (address === undefined || address === profile.url) return checkedToken(profile.token, 'the token of the profile');
  throw new ProgramError(`set BURGEE_TOKEN: the token of the profile is sent only to ${profile.url}`);
}

/** An answer that is an error. */
export class Refusal extends ProgramError {
  readonly status: number;
  /** The body of the answer; undefined if it is not JSON. */
  readonly body: unknown;

  constructor(status: number, message: string, body?: unknown) {
    super(message);
    this.status = status;
    this.body = body;
  }
}

/** The error for an answer that is not a success. */
export function refusalOf(address: string, status: number, text: string): Refusal {
  if (status >= 300 && status < 400)
    return new Refusal(status, `${address} sends requests to another address (${status}): use that address`);
  return new Refusal(status, `the service refused: ${[status, plain(messageOf(text))].join(' ').trim()}`, jsonOf(text));
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Sent<T> {
  readonly body: T;
  /** The revision that the answer has; null if the answer has none. */
  readonly revision: string | null;
}

/** The admin API of a service. */
export class AdminApi {
  readonly #connection: Profile;

  constructor(connection: Profile) {
    this.#connection = connection;
  }

  /** Reads a path after `/api/admin`. @throws Refusal */
  async get<T>(path: string): Promise<T> {
    return (await this.send<T>('GET', path)).body;
  }

  /** Sends a request to a path after `/api/admin`. @throws Refusal */
  async send<T>(method: string, path: string, body?: unknown): Promise<Sent<T>> {
    const { url, token } = this.#connection;
    const { status, text, headers } = await ask(url, `/api/admin${path}`, { method, token, body });
    if (status >= 300) throw refusalOf(url, status, text);
    try {
      return { body: (text === '' ? null : JSON.parse(text)) as T, revision: headers.get('burgee-revision') };
    } catch {
      throw new ProgramError(`the answer of ${url} is not JSON: is this the address of Burgee?`);
    }
  }
}

/** A path whose parts are encoded: pathOf`/projects/${id}`. */
export function pathOf(texts: TemplateStringsArray, ...parts: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...parts.map((part) => encodeURIComponent(part)));
}
