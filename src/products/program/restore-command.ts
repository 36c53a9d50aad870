import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isoTime } from '../../base/clock.ts';
import { isSystemError } from '../../base/system-error.ts';
import type { StoredBackup } from '../../stores/local/backup-folder.ts';
import type { Rehearsal } from '../maintenance/rehearsal.ts';
import { readArguments, wordsOf } from './arguments.ts';
import { ProgramError, type ProgramIo, type Subcommand, UsageError } from './subcommand.ts';

const HELP = `burgee restore --rehearse [--from PLACE] [--json]
burgee restore --to LOCATION [--from PLACE] [--new-revisions] [--key-prefix NAME]

With --rehearse: says whether a service would start with the newest backup, and changes no data. It restores the backup into a temporary directory
(TMPDIR), opens the store there and loads its state, as a start does. It prints the revision, the age and what the backup holds.
Without --rehearse: restores the newest backup into an empty location, as burgee store restore does.

  --from PLACE      a backup, or a folder: then the newest backup in it (AUTO_BACKUP_DIR)
  --to LOCATION     lmdb:DIRECTORY or redis://…, see burgee store --help
  --new-revisions   if SDKs have received changes that are not in the backup (docs/move-in/moving.md)
  --json            the result of a rehearsal as JSON

Exit code 0: a service would start with it; it is restored. 1: it would not start, with the reason; nothing was restored. 2: wrong usage.
`;

const FLAGS = {
  rehearse: { type: 'boolean' },
  json: { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
  'new-revisions': { type: 'boolean' },
  'key-prefix': { type: 'string' },
} as const;

/** `burgee restore`. */
export const restoreCommand: Subcommand = {
  name: 'restore',
  summary: 'restores the newest backup, or says whether a service would start with it (--rehearse)',
  help: HELP,
  words: wordsOf(FLAGS),
  async run(args, io) {
    const { values } = readArguments(args, FLAGS);
    const { rehearse = false, to, from = io.environment.AUTO_BACKUP_DIR ?? '' } = values;
    if (rehearse === (to !== undefined)) throw new UsageError('specify either --rehearse or --to LOCATION; see --help');
    const isForRestore = values['new-revisions'] || values['key-prefix'] !== undefined;
    if (rehearse ? isForRestore : values.json)
      throw new UsageError('--json belongs to --rehearse, --new-revisions and --key-prefix to --to; see --help');
    if (from === '') throw new UsageError('specify --from PLACE, or set AUTO_BACKUP_DIR; see --help');
    const backup = await backupAt(resolve(from.replace(/^file:/, '')));
    if (rehearse) return rehearseIt(backup, values.json ?? false, io);
    const { runStoreCommand } = await import('../maintenance/store-command.ts');
    const flags = [
      '--from',
      `file:${backup.path}`,
      '--to',
      to ?? '',
      ...(values['new-revisions'] ? ['--new-revisions'] : []),
      ...(values['key-prefix'] === undefined ? [] : ['--key-prefix', values['key-prefix']]),
    ];
    return await runStoreCommand(['restore', ...flags], io.out, io.err);
  },
};

/** The backup at this path, or the newest one in this folder. @throws ProgramError */
async function backupAt(path: string): Promise<StoredBackup> {
  const { BackupFolder } = await import('../../stores/local/backup-folder.ts');
  try {
    const stats = await stat(path);
    // A file may have any name, so its own time is used.
    if (!stats.isDirectory()) return { path, takenMs: stats.mtimeMs };
    const [newest] = await new BackupFolder(path).list();
    if (newest) return newest;
  } catch (error) {
    throw new ProgramError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  throw new ProgramError(`there is no backup in ${path}`);
}

async function rehearseIt({ path, takenMs }: StoredBackup, isJson: boolean, { out, err }: ProgramIo): Promise<number> {
  const [{ rehearseRestore }, { StoreError }, { NoSpaceError }] = await Promise.all([
    import('../maintenance/rehearsal.ts'),
    import('../../stores/store.ts'),
    import('../../stores/local/disk-space.ts'),
  ]);
  const takenAt = isoTime(takenMs);
  const ageS = Math.max(0, Math.round((Date.now() - takenMs) / 1_000));
  try {
    const rehearsal = await rehearseRestore(path);
    if (isJson) out(`${JSON.stringify({ wouldStart: true, path, takenAt, ageS, ...rehearsal }, null, 2)}\n`);
    else out(textOf(path, `${takenAt} (${ageText(ageS)} ago)`, rehearsal));
    return 0;
  } catch (error) {
    if (error instanceof NoSpaceError || isSystemError(error))
      throw new ProgramError(`the backup was not tried: ${error.message}. Set TMPDIR to a directory on another disk`);
    if (!(error instanceof ProgramError || error instanceof StoreError)) throw error;
    if (isJson) out(`${JSON.stringify({ wouldStart: false, path, takenAt, ageS, reason: error.message }, null, 2)}\n`);
    else err(`burgee restore: a service would not start with ${path}: ${error.message}\n`);
    return 1;
  }
}

function textOf(path: string, taken: string, { revision, counts }: Rehearsal): string {
  const counted = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
  return `A service would start with ${path}
  taken     ${taken}
  revision  ${revision}
  holds     ${counted.join(', ')}
`;
}

function ageText(ageS: number): string {
  const minutes = Math.floor(ageS / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days`;
}
