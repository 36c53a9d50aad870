import type { Guard } from '../engine/guard.ts';
import { protectionGuard } from './change-requests/protection.ts';
import { changeRequestQuotaGuard } from './change-requests/size.ts';
import { collaboratorGuard } from './flags/collaborators.ts';
import { limitGuard } from './instance/limit-rules.ts';
import { maintenanceGuard } from './instance/maintenance/commands.ts';

/**
 * The rules that hold for every command, in the order in which the writer asks them. The quota of change requests comes before the limits:
 * requests that are over are dropped first, so that they keep nobody from making a new one.
 */
export const GUARDS: readonly Guard[] = [
  maintenanceGuard,
  collaboratorGuard,
  changeRequestQuotaGuard,
  limitGuard,
  protectionGuard,
];
