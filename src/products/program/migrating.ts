import { writeFile } from 'node:fs/promises';
import { readBoundedFile } from '../../base/bounded-file.ts';
import { readConfig } from '../../config.ts';
import { withoutAdopted } from '../migrate/adopted.ts';
import { readFiles } from '../migrate/file-reader.ts';
import { withoutExisting } from '../migrate/file-target.ts';
import { follow, readNewestEvent } from '../migrate/follower.ts';
import type { Holdings } from '../migrate/holdings.ts';
import { importHoldings, importPersonalData, type MigrationResult, serviceImporter } from '../migrate/importer.ts';
import { InstanceClient } from '../migrate/instance-client.ts';
import { readInstance } from '../migrate/instance-reader.ts';
import { nameOfPerson } from '../migrate/people.ts';
import { type Invite, importPeople } from '../migrate/people-writer.ts';
import type { Progress } from '../migrate/progress.ts';
import { importProtections, nameOfProtection } from '../migrate/protections.ts';
import { Rehearsal } from '../migrate/rehearsal.ts';
import { reportText } from '../migrate/report.ts';
import type { SavedFile } from '../migrate/saved-documents.ts';
import { verificationText, verify } from '../migrate/verify/verify.ts';
import { progressOn } from './progress.ts';
import { serviceAddress, withoutApi } from './service-client.ts';
import { FINDINGS_EXIT_CODE, ProgramError, type ProgramIo, UsageError } from './subcommand.ts';

/** A shorter interval would put noticeable load on the source. */
const INTERVAL_MIN_S = 1;
const INTERVAL_DEFAULT_S = 15;

interface MigrateValues {
  readonly from?: string;
  readonly file?: string[];
  readonly token?: string;
  readonly url?: string;
  readonly 'dry-run'?: boolean;
  readonly verify?: boolean;
  readonly follow?: boolean;
  readonly interval?: string;
  readonly invites?: string;
  readonly environment?: string;
  readonly project?: string;
}

/** Runs `burgee migrate`. Resolves with the exit code. @throws ProgramError */
export async function migrate(values: MigrateValues, io: ProgramIo): Promise<number> {
  if (values['dry-run'] && (values.verify || values.follow || values.invites !== undefined))
    throw new UsageError('--dry-run changes nothing: do not combine it with --verify, --follow or --invites');
  if (values.file !== undefined) return await moveFiles(values.file, values, io);
  const source = sourceOf(values, io);
  return values['dry-run'] ? await rehearse((tell) => readInstance(source, tell), io) : await move(source, values, io);
}

function sourceOf({ from, token }: MigrateValues, { environment }: ProgramIo): InstanceClient {
  if (from === undefined) throw new UsageError('specify the source: --from URL, or --file FILE; see --help');
  const secret = token ?? environment.FROM_TOKEN ?? '';
  if (secret === '') throw new ProgramError('set FROM_TOKEN to an admin token of the source; see --help');
  if (!/^https?:\/\//i.test(from) || !URL.canParse(from)) {
    throw new UsageError(`--from must be an address such as https://unleash.example.com, not "${from}"`);
  }
  return new InstanceClient({ role: 'the source', url: withoutApi(from), token: secret });
}

async function rehearse(read: (tell: Progress) => Holdings | Promise<Holdings>, io: ProgramIo): Promise<number> {
  const { limits } = readConfig(io.environment);
  const { importBatch } = await Rehearsal.begin(limits, () => new Date().toISOString());
  const progress = progressOn(io);
  const holdings = await read(progress.tell);
  const result = await importHoldings(holdings, importBatch, progress.tell);
  progress.end();
  const { users, roles, groups } = holdings.people;
  for (const person of users) result.items.push({ kind: 'users', name: nameOfPerson(person), outcome: 'created' });
  for (const { name } of roles) result.items.push({ kind: 'roles', name, outcome: 'created' });
  for (const { name } of groups) result.items.push({ kind: 'groups', name, outcome: 'created' });
  for (const protection of holdings.protections)
    result.items.push({ kind: 'protections', name: nameOfProtection(protection), outcome: 'created' });
  for (const { name, email, username } of holdings.favorites)
    result.items.push({ kind: 'favorites', name: `${name} of ${email ?? username}`, outcome: 'created' });
  addOmissions(result, holdings);
  io.out(reportText(result, holdings.notes, true));
  return codeOf(result);
}

/** Maximum size of a file, in bytes. An export of 100,000 flags has a fifth of this size. Twice this size exceeds the maximum length of a string. */
const FILE_BYTES_MAX = 256 * 1024 * 1024;

async function moveFiles(names: readonly string[], values: MigrateValues, io: ProgramIo): Promise<number> {
  if (values.from !== undefined || values.verify || values.follow)
    throw new UsageError('files are not a running instance: do not combine --file with --from, --verify or --follow');
  const files: SavedFile[] = [];
  for (const name of names) files.push({ name, text: await readText(name) });
  const { environment, project } = values;
  const holdings = await readFiles(files, { environment, project });
  if (values['dry-run']) return await rehearse(() => holdings, io);
  const target = targetOf(values, io);
  const progress = progressOn(io);
  const result = await importHoldings(await withoutExisting(target, holdings), serviceImporter(target), progress.tell);
  progress.end();
  addOmissions(result, holdings);
  io.out(reportText(result, holdings.notes, false));
  return codeOf(result);
}

function addOmissions({ items }: MigrationResult, { omissions }: Pick<Holdings, 'omissions'>): void {
  for (const { kind, name, reason } of omissions) items.push({ kind, name, reason, outcome: 'refused' });
}

async function readText(name: string): Promise<string> {
  try {
    return (await readBoundedFile(name, FILE_BYTES_MAX)).toString();
  } catch (error) {
    throw new ProgramError(`${name}: ${(error as Error).message}`);
  }
}

function targetOf({ url }: MigrateValues, { environment }: ProgramIo): InstanceClient {
  const token = environment.BURGEE_TOKEN ?? '';
  if (token === '') throw new ProgramError('set BURGEE_TOKEN to an admin token of this service; see --help');
  return new InstanceClient({ role: 'the service', url: serviceAddress(url, environment), token });
}

async function move(source: InstanceClient, values: MigrateValues, io: ProgramIo): Promise<number> {
  const { out } = io;
  const target = targetOf(values, io);
  const intervalMs = intervalOf(values);
  const importBatch = serviceImporter(target);
  const progress = progressOn(io);
  const newestEvent = values.follow ? await readNewestEvent(source) : undefined;
  const holdings = await readInstance(source, progress.tell);
  const result = await importHoldings(holdings, importBatch, progress.tell);
  const invites = await importPeople(target, holdings.people, result);
  await importProtections(target, holdings.protections, result);
  await importPersonalData(holdings, { importBatch, progress: progress.tell, all: result });
  progress.end();
  addOmissions(result, await withoutAdopted(target, holdings));
  out(reportText(result, holdings.notes, false));
  out(await writeInvites(invites, values.invites));
  const code = codeOf(result);
  if (values.follow) {
    const report = (what: string, news: MigrationResult) =>
      out(`${new Date().toISOString()} ${what}\n${reportText(news, [], false)}`);
    const fail = (error: Error) => io.err(`${new Date().toISOString()} ${error.message}; trying again\n`);
    const how = newestEvent === undefined ? ', all data each time, because it shows no events' : '';
    io.err(`following ${source.url} every ${intervalMs / 1_000} s${how}; Ctrl-C ends it\n`);
    await follow(
      { source, target, importBatch, intervalMs, signal: io.stop ?? untilSignal(), report },
      { holdings, newestEvent },
      fail,
    );
  }
  return values.verify
    ? Math.max(code, await verifyAndReport(source, target, values.follow ? undefined : holdings, io))
    : code;
}

async function verifyAndReport(
  source: InstanceClient,
  target: InstanceClient,
  known: Holdings | undefined,
  io: ProgramIo,
) {
  const progress = progressOn(io);
  const holdings = known ?? (await readInstance(source, progress.tell));
  const say = (line: string) => {
    progress.end();
    io.out(`${line}\n`);
  };
  const found = await verify(source, target, holdings, { progress: progress.tell, say });
  progress.end();
  io.out(verificationText(found));
  return found.differences > 0 ? FINDINGS_EXIT_CODE : 0;
}

function codeOf({ items }: MigrationResult): number {
  return items.some(({ outcome }) => outcome === 'refused') ? FINDINGS_EXIT_CODE : 0;
}

function intervalOf({ interval = String(INTERVAL_DEFAULT_S) }: MigrateValues): number {
  const seconds = Number(interval);
  if (!(seconds >= INTERVAL_MIN_S && seconds <= 86_400)) {
    throw new UsageError(`--interval must be a number of seconds, at least ${INTERVAL_MIN_S}, not "${interval}"`);
  }
  return seconds * 1_000;
}

/** Writes the links to a file that only its owner can read, and never to the terminal: with a link, anyone can sign on as the invited person. */
async function writeInvites(invites: readonly Invite[], file: string | undefined): Promise<string> {
  if (invites.length === 0) return '';
  if (file === undefined) {
    return `${invites.length} people have no password yet. Make a link for each with POST /api/admin/user-admin/reset-password, or have them sign on with SAML or OpenID Connect.\n`;
  }
  const text = invites.map(({ name, link }) => `${name}\t${link}\n`).join('');
  await writeFile(file, text, { mode: 0o600, flag: 'a' }).catch((error: Error) => {
    throw new ProgramError(`the links cannot be written: ${error.message}`);
  });
  return `${invites.length} links with which people set a password are in ${file}.\n`;
}

function untilSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => controller.abort());
  return controller.signal;
}
