import { parseArgs } from 'node:util';
import { UsageError } from '../program/subcommand.ts';
import type { HistoryDigest } from './digest.ts';
import { describeLocation, type Location, parseFile, parseLocation } from './location.ts';
import { reapply } from './reapply.ts';
import { digestLocation, type Transferred, transfer } from './transfer.ts';

const HELP = `Copies, backs up and restores the data of Burgee. See docs/move-in/moving.md.

  burgee store copy    --from LOCATION --to LOCATION   copies all data into an empty location
  burgee store backup  --from LOCATION --to FILE       writes all data into one new file
  burgee store restore --from FILE     --to LOCATION   copies a backup into an empty location
  burgee store digest  --from LOCATION                 shows checksums that identify a history
  burgee store reapply FILE                            shows divergent commits of a replica (DATA_DIR/divergent-….ndjson)
  burgee store reapply FILE --to LOCATION              also shows which of them fit the current data of the location
  burgee store reapply FILE --to LOCATION --apply      applies the commits that fit again

LOCATION is lmdb:DIRECTORY, redis://[user:password@]host[:port][/database] (or rediss, redis-sentinel, redis-cluster),
or file:PATH for a backup.

  --key-prefix NAME   prefix of the keys in Redis (default: burgee)
  --new-revisions     with copy and restore: gives every list a new ETag. Use it for a backup that is older than the
                      lists that SDKs have received. Otherwise a new list could get an ETag that an SDK already has for
                      another list, and this SDK would not fetch it
  --apply             with reapply: applies the commits that fit, instead of only showing them
  --help              this text

Existing data is never replaced: a location that has a store, and an existing file, are refused. Before a command reads or
writes the LMDB directory of Burgee, stop Burgee. A running Burgee is backed up with GET /api/admin/backup and an admin
token. Exit code 0: done, and the copy was read back without a difference. 1: nothing was done. 2: wrong usage.
`;

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  'key-prefix': { type: 'string', default: 'burgee' },
  'new-revisions': { type: 'boolean', default: false },
  apply: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Runs the command of a command line. Resolves with the text to print.
 * @param warn Called with each warning of a command that succeeds.
 * @throws UsageError, TransferError, StoreError with a message of one line for users, without passwords
 */
export async function runCommand(args: readonly string[], warn: (line: string) => void): Promise<string> {
  const { command, file, values } = parseCommand(args);
  if (values.help) return HELP;
  const required = (name: 'from' | 'to'): string => {
    const text = values[name];
    if (text === undefined) throw new UsageError(`${command} needs --${name}; see --help`);
    return text;
  };
  const keyPrefix = values['key-prefix'];
  if (command === 'reapply') return reapply(file, { to: targetOf(values), isApplied: values.apply, keyPrefix });
  if (values.apply) throw new UsageError('--apply can be used only with reapply; see --help');
  if (command === 'digest') {
    const location = parseLocation(required('from'), '--from');
    return historyText('holds', location, await digestLocation(location, keyPrefix));
  }
  const from = (command === 'restore' ? parseFile : parseLocation)(required('from'), '--from');
  const to = (command === 'backup' ? parseFile : parseLocation)(required('to'), '--to');
  if (command === 'copy' && to.kind === 'file')
    throw new UsageError('the target of copy must be a store; backup writes files');
  const renew = values['new-revisions'];
  if (renew && command === 'backup')
    throw new UsageError('a backup keeps its revisions; restore it with --new-revisions');
  const warnAboutTarget = (finding: string) => warn(`${describeLocation(to)}: ${finding}`);
  return transferText(from, to, await transfer(from, to, { keyPrefix, renew, warn: warnAboutTarget }));
}

function parseCommand(args: readonly string[]) {
  const { values, positionals } = parseOptions(args);
  const [command = '', ...more] = positionals;
  const [file = ''] = more;
  if (values.help) return { command, file, values };
  const filesMax = Number(command === 'reapply');
  if (!['copy', 'backup', 'restore', 'digest', 'reapply'].includes(command) || more.length > filesMax) {
    throw new UsageError('specify one of copy, backup, restore, digest and reapply; see --help');
  }
  if (command === 'reapply' && file === '') throw new UsageError('reapply needs a file; see --help');
  return { command, file, values };
}

/** The store for `reapply`; null if the command line has no `--to`. @throws UsageError for a file: commits are applied only to a store */
function targetOf({ to, apply }: { readonly to?: string | undefined; readonly apply: boolean }) {
  if (to === undefined) {
    if (apply) throw new UsageError('reapply needs --to with --apply; see --help');
    return null;
  }
  const location = parseLocation(to, '--to');
  if (location.kind === 'file') throw new UsageError('the target of reapply must be a store, not a file');
  return location;
}

function parseOptions(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch {
    // The parser's message repeats arguments, which may contain a password.
    throw new UsageError('an option is unknown or lacks its value; see --help');
  }
}

function transferText(from: Location, to: Location, transferred: Transferred): string {
  const { from: before, to: after } = transferred;
  const end =
    before.state === after.state
      ? 'The copy was read back and is equal.'
      : 'The copy was read back and is equal, except for its new revisions.';
  return `${historyText('from', from, before)}${historyText('to', to, after)}${end}\n`;
}

function historyText(
  word: string,
  location: Location,
  { seq, flags, eventCount, state, events }: HistoryDigest,
): string {
  return `${word} ${describeLocation(location)}
  revision ${seq}, flags ${flags}, audit events ${eventCount}
  state  ${state}
  events ${events}
`;
}
