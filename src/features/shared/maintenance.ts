import type { StateReader } from '../../state/collections.ts';

/** The setting of the instance that is `on` during maintenance. */
export const MAINTENANCE = 'maintenance';

/** Whether the instance is in maintenance: it refuses changes by users. */
export function isInMaintenance(reader: StateReader): boolean {
  return reader.get('settings', MAINTENANCE)?.value === 'on';
}
