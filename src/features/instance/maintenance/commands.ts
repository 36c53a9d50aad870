import Type from 'typebox';
import { type Rejection, unavailable } from '../../../base/rejection.ts';
import { command, type Decidable } from '../../../engine/command.ts';
import type { Guard } from '../../../engine/guard.ts';
import type { Caller } from '../../../model/caller.ts';
import type { StateReader } from '../../../state/collections.ts';
import { isInMaintenance, MAINTENANCE } from '../../shared/maintenance.ts';
import { putSetting } from '../setting.ts';

/** Switches maintenance on or off. */
export const setMaintenance = command({
  name: 'set-maintenance',
  input: Type.Object({ enabled: Type.Boolean() }),
  inMaintenance: 'accepted',
  decide(context, { enabled }) {
    if (isInMaintenance(context.draft) === enabled) return { enabled };
    putSetting(context, MAINTENANCE, enabled ? 'on' : 'off', { enabled });
    return { enabled };
  },
});

/** Seconds after which the client should try again. The number is an estimate, because the end of maintenance is unknown. */
const RETRY_AFTER_S = 60;

const REFUSED = unavailable(
  'The service is in maintenance: it serves reads and refuses changes until an admin switches maintenance off (POST /api/admin/maintenance).',
  RETRY_AFTER_S,
);

/**
 * The rejection if maintenance forbids the command; otherwise undefined. The draft of the command is checked, so that no command is accepted after
 * the commit that switches maintenance on. Three callers have no grant: a user who signs on, the service itself, and a user with a link, for example
 * to set a password. Their commands are accepted, except commands with `inMaintenance: 'refused'`, which the links use.
 */
function maintenanceProblem(
  reader: StateReader,
  { grant }: Caller,
  { inMaintenance = grant === null ? 'accepted' : 'refused' }: Decidable<never, unknown>,
): Rejection | undefined {
  return inMaintenance === 'refused' && isInMaintenance(reader) ? REFUSED : undefined;
}

/** Refuses changes while the instance is in maintenance. */
export const maintenanceGuard: Guard = { name: 'maintenance', beforeCommand: maintenanceProblem };
