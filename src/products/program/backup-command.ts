import { resolve } from 'node:path';
import { isSystemError } from '../../base/system-error.ts';
import { readArguments, wordsOf } from './arguments.ts';
import { downloadBackup } from './backup-download.ts';
import { SERVICE_FLAGS, SERVICE_HELP, serviceAddress } from './service-client.ts';
import { ProgramError, type Subcommand, UsageError } from './subcommand.ts';

const KEEP_DEFAULT = '14';
const KEEP = /^[1-9]\d{0,3}$/;

const HELP = `burgee backup --to DIRECTORY [--keep NUMBER] [--url URL]

Takes a backup of a running service, writes it into DIRECTORY, reads it back, and removes the oldest backups there. The name of the file contains the
time. burgee restore restores it. For a timer of the system; a service also writes backups by itself (AUTO_BACKUP_DIR).

  --to DIRECTORY  created if it is missing; only its owner can read it and the backups, which contain secrets
  --keep NUMBER   number of backups that are kept there (${KEEP_DEFAULT})
${SERVICE_HELP}

BURGEE_TOKEN contains an admin token. Exit code 0: there is a new backup, and it is as it was sent. 1: there is none.
`;

const FLAGS = { ...SERVICE_FLAGS, to: { type: 'string' }, keep: { type: 'string' } } as const;

/** `burgee backup`. */
export const backupCommand: Subcommand = {
  name: 'backup',
  summary: 'takes a backup of a running service, reads it back, and removes the oldest ones',
  help: HELP,
  words: wordsOf(FLAGS),
  async run(args, { environment, out }) {
    const { to, keep = KEEP_DEFAULT, url } = readArguments(args, FLAGS).values;
    if (to === undefined || to === '') throw new UsageError('specify --to DIRECTORY; see --help');
    if (!KEEP.test(keep)) throw new UsageError(`--keep must be a number from 1 to 9999, not "${keep}"`);
    const bytes = await downloadBackup(serviceAddress(url, environment), environment.BURGEE_TOKEN ?? '');
    const { path, removed } = await writeInto(resolve(to), bytes, Number(keep));
    out(`${path}\n${removed > 0 ? `removed ${removed} older ${removed === 1 ? 'backup' : 'backups'}\n` : ''}`);
    return 0;
  },
};

/** @throws ProgramError */
async function writeInto(directory: string, bytes: AsyncIterable<Uint8Array>, keepCount: number) {
  const [{ BackupFolder }, { NoSpaceError }, { FramedFileError }] = await Promise.all([
    import('../../stores/local/backup-folder.ts'),
    import('../../stores/local/disk-space.ts'),
    import('../../stores/local/framed-file.ts'),
  ]);
  const folder = new BackupFolder(directory);
  try {
    await folder.removeLeft();
    // The service does not send the size.
    const takenMs = Date.now();
    const path = await folder.add(takenMs, async () => 0, bytes);
    return { path, removed: await folder.keepNewest(keepCount, takenMs) };
  } catch (error) {
    if (error instanceof NoSpaceError || error instanceof FramedFileError || isSystemError(error))
      throw new ProgramError(`the backup was not written: ${error.message}`);
    throw error;
  }
}
