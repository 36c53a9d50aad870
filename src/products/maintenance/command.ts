import { parseArgs } from 'node:util';
import type { HistoryDigest } from './digest.ts';
import { describeLocation, type Location, parseFile, parseLocation } from './location.ts';
import { reapply } from './reapply.ts';
import { digestLocation, type Transferred, transfer } from './transfer.ts';
import { TransferError } from './transfer-error.ts';

const HELP = `Moves what Burgee stores, and says what a store holds. docs/moving.md says more.

  burgee store copy    --from PLACE --to PLACE   copies everything into an empty place
  burgee store backup  --from PLACE --to FILE    writes everything into one new file
  burgee store restore --from FILE  --to PLACE   puts a backup into an empty place
  burgee store digest  --from PLACE              identifies a history
  burgee store reapply FILE                      shows divergent commits of a replica (DATA_DIR/surplus-….ndjson)
  burgee store reapply FILE --to PLACE           and which of them fit what the place holds now
  burgee store reapply FILE --to PLACE --apply   and applies those again

PLACE is lmdb:DIRECTORY, redis://[user:password@]host[:port][/database] (or rediss, redis-sentinel, redis-cluster),
or file:PATH for a backup.

  --key-prefix NAME   which log of a Redis (burgee)
  --new-revisions     with copy and restore: gives every list a new ETag. For a backup that is older than what SDKs have
                      seen; without it, numbers go on where the backup ends, and an SDK could take new flags for known ones
  --apply             with reapply: apply the commits that fit, instead of showing which do
  --help              this text

Nothing is ever replaced: a place that holds a store, and a file that exists, are refused. Stop Burgee before its LMDB
directory is read or written, or back it up over HTTP: GET /api/admin/backup with an admin token. Exit code 0 when all is done and was read back equal, 1 when nothing was done.
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
 * @throws TransferError, StoreError with a message of one line for users, without passwords.
 */
export async function runCommand(args: readonly string[], warn: (line: string) => void): Promise<string> {
  const { command, file, values } = read(args);
  if (values.help) return HELP;
  const needed = (name: 'from' | 'to'): string => {
    const text = values[name];
    if (text === undefined) throw new TransferError(`${command} needs --${name}; see --help`);
    return text;
  };
  const keyPrefix = values['key-prefix'];
  if (command === 'reapply') return reapply(file, { to: targetOf(values), isMeant: values.apply, keyPrefix });
  if (values.apply) throw new TransferError('--apply is for reapply; see --help');
  if (command === 'digest') {
    const location = parseLocation(needed('from'), '--from');
    return described('holds', location, await digestLocation(location, keyPrefix));
  }
  const from = (command === 'restore' ? parseFile : parseLocation)(needed('from'), '--from');
  const to = (command === 'backup' ? parseFile : parseLocation)(needed('to'), '--to');
  if (command === 'copy' && to.kind === 'file') throw new TransferError('copy goes to a store; backup writes files');
  const renew = values['new-revisions'];
  if (renew && command === 'backup')
    throw new TransferError('a backup keeps its revisions; restore it with --new-revisions');
  const warnOf = (finding: string) => warn(`${describeLocation(to)}: ${finding}`);
  return report(from, to, await transfer(from, to, { keyPrefix, renew, warn: warnOf }));
}

function read(args: readonly string[]) {
  const { values, positionals } = parse(args);
  const [command = '', ...more] = positionals;
  const [file = ''] = more;
  if (values.help) return { command, file, values };
  const filesMax = Number(command === 'reapply');
  if (!['copy', 'backup', 'restore', 'digest', 'reapply'].includes(command) || more.length > filesMax) {
    throw new TransferError('say one of copy, backup, restore, digest and reapply; see --help');
  }
  if (command === 'reapply' && file === '') throw new TransferError('reapply needs a file; see --help');
  return { command, file, values };
}

/** The store for `reapply`; null if the command line has no `--to`. @throws TransferError for a file: commits are applied only to a store */
function targetOf({ to, apply }: { readonly to?: string | undefined; readonly apply: boolean }) {
  if (to === undefined) {
    if (apply) throw new TransferError('reapply needs --to with --apply; see --help');
    return null;
  }
  const location = parseLocation(to, '--to');
  if (location.kind === 'file') throw new TransferError('reapply goes to a store');
  return location;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch {
    // The parser's message repeats arguments, which may contain a password.
    throw new TransferError('an option is unknown or lacks its value; see --help');
  }
}

function report(from: Location, to: Location, transferred: Transferred): string {
  const { from: before, to: after } = transferred;
  const end =
    before.state === after.state
      ? 'Read back equal.'
      : 'Read back equal to what was sent: the same flags and events, under new revisions.';
  return `${described('from', from, before)}${described('to', to, after)}${end}\n`;
}

function described(word: string, location: Location, { seq, flags, eventCount, state, events }: HistoryDigest): string {
  return `${word} ${describeLocation(location)}
  revision ${seq}, flags ${flags}, audit events ${eventCount}
  state  ${state}
  events ${events}
`;
}
