import Type from 'typebox';
import { type Rejection, unavailable } from '../../../base/rejection.ts';
import { command, type Decidable } from '../../../engine/command.ts';
import type { Guard } from '../../../engine/guard.ts';
import type { Caller } from '../../../model/caller.ts';
import type { StateReader } from '../../../state/collections.ts';
import { putSetting } from '../settings.ts';

const MAINTENANCE = 'maintenance';

/** Whether people's changes are refused. */
export function isInMaintenance(reader: StateReader): boolean {
  return reader.get('settings', MAINTENANCE)?.value === 'on';
}

/** Switches maintenance on or off. */
export const setMaintenance = command({
  name: 'set-maintenance',
  input: Type.Object({ enabled: Type.Boolean() }),
  inMaintenance: 'taken',
  decide(context, { enabled }) {
    if (isInMaintenance(context.draft) === enabled) return { enabled };
    putSetting(context, MAINTENANCE, enabled ? 'on' : 'off', { enabled });
    return { enabled };
  },
});

/** Seconds after which to try again: nobody knows how long it takes. */
const RETRY_AFTER_S = 60;

const REFUSED = unavailable(
  'The service is in maintenance: reading goes on, and changes are refused until an admin switches it off (POST /api/admin/maintenance).',
  RETRY_AFTER_S,
);

/**
 * Why the caller's request may not change anything now, or undefined. Asked of the draft for every command, so that nothing that is decided after the
 * switch gets through. Whoever signs on has no grant yet, and what the service does of its own accord has none; nor has whoever holds a link, whose
 * commands say that they are refused.
 */
function maintenanceProblem(
  reader: StateReader,
  { grant }: Caller,
  { inMaintenance = grant === null ? 'taken' : 'refused' }: Decidable<never, unknown>,
): Rejection | undefined {
  return inMaintenance === 'refused' && isInMaintenance(reader) ? REFUSED : undefined;
}

/** Refuses changes while the instance is in maintenance. */
export const maintenanceGuard: Guard = { name: 'maintenance', beforeCommand: maintenanceProblem };
