import { BackupFolder } from '../../stores/local/backup-folder.ts';
import type { Services } from '../services.ts';
import { BackupContent } from './backups/backup-content.ts';
import { Backups } from './backups/backups.ts';
import { ScheduledBackups } from './backups/scheduled-backups.ts';
import { FrontendOriginView } from './frontend-origins.ts';
import { LoopDelay } from './operations/loop-delay.ts';
import { UiErrors } from './ui-errors.ts';

interface InstanceParts {
  readonly backups: Backups;
  /** Undefined if `AUTO_BACKUP_DIR` is not set. */
  readonly scheduledBackups: ScheduledBackups | undefined;
  readonly uiErrors: UiErrors;
  readonly loopDelay: LoopDelay;
  /** The origins whose pages may call the frontend API. */
  readonly frontendOrigins: FrontendOriginView;
}

declare module '../services.ts' {
  interface FeatureParts extends InstanceParts {}
}

export function instanceParts(services: Services): InstanceParts {
  const { config, clock, logger, state, components } = services;
  const loopDelay = new LoopDelay();
  components.add({ name: 'loop delay', close: () => loopDelay.close() });
  return {
    ...backupParts(services),
    uiErrors: new UiErrors(logger, clock),
    loopDelay,
    frontendOrigins: new FrontendOriginView(state, config.frontendOrigins),
  };
}

function backupParts(services: Services): Pick<InstanceParts, 'backups' | 'scheduledBackups'> {
  const { config, clock, logger, random, replica, store, membership, source, components } = services;
  const {
    dataDirectory: directory,
    autoBackupDirectory,
    autoBackupEveryMs: everyMs,
    autoBackupKeep: keepCount,
  } = config;
  const content = new BackupContent(replica, store);
  const backups = new Backups({ content, clock, logger, directory });
  if (autoBackupDirectory !== '' && source)
    logger.warn(
      'AUTO_BACKUP_DIR has no effect here: the flags are those of another service, so there is nothing to restore',
    );
  const folder = new BackupFolder(autoBackupDirectory);
  const spread = membership ? random() : 0;
  const scheduledBackups =
    autoBackupDirectory === '' || source
      ? undefined
      : new ScheduledBackups({ content, folder, clock, logger, everyMs, keepCount, spread });
  components.add({
    name: 'backups',
    dependsOn: ['store'],
    start() {
      void backups.removeLeft();
      scheduledBackups?.start();
    },
    close: () => scheduledBackups?.close(),
  });
  return { backups, scheduledBackups };
}
