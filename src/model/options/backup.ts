import type { Option } from '../../base/options.ts';

/** The options of the backups that a service writes by itself; `config.ts` lists them. Edge's `BACKUP_FOLDER` is another thing: the store of a relay. */
export const BACKUP_OPTIONS = {
  autoBackupDirectory: {
    env: ['AUTO_BACKUP_DIR'],
    kind: 'text',
    default: '',
    description:
      'Folder into which Burgee writes backups by itself, best on another disk. Empty: it writes none (docs/operate/operations.md).',
  },
  autoBackupEveryMs: {
    env: ['AUTO_BACKUP_EVERY_MS'],
    kind: 'integer',
    default: '86400000',
    description:
      'With `AUTO_BACKUP_DIR`: a backup is written when the newest one in the folder is older than this. 0: Burgee writes none, and only reports the ' +
      'age of the newest.',
  },
  autoBackupKeep: {
    env: ['AUTO_BACKUP_KEEP'],
    kind: 'integer',
    min: 1,
    max: 10_000,
    default: '14',
    description:
      'Number of backups that are kept in `AUTO_BACKUP_DIR`. Older ones are removed after a new one was read back.',
  },
} as const satisfies Record<string, Option>;
