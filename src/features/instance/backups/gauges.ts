import { counter, type Gauge, gauge } from '../../shared/gauge.ts';

/** Metrics of scheduled backups. */
export const gauges: readonly Gauge[] = [
  gauge(
    'burgee_backup_age_seconds',
    'Age of the newest good backup in AUTO_BACKUP_DIR; infinite if there is none, left out if the option is not set',
    ({ scheduledBackups }) => scheduledBackups?.ageS,
  ),
  counter(
    'burgee_backups_total',
    'Backups for AUTO_BACKUP_DIR that were written and read back, and those that failed',
    ({ scheduledBackups }) =>
      scheduledBackups &&
      Object.entries(scheduledBackups.counts).map(([result, count]) => [{ result }, count] as const),
  ),
];
