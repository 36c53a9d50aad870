import { WRONG_PASSWORDS } from '../../features/sign-on/login-guard.ts';
import {
  APPLICATION_STRATEGIES,
  APPLICATION_USES,
  INSTANCES,
  LAST_USES,
  RECENT_USES,
  UNKNOWN_FLAGS,
  USES_BY_DAY,
  USES_BY_HOUR,
} from '../../features/usage/use-series.ts';
import type { Series } from '../../stores/counters.ts';

/**
 * All series of counters that are copied with a store. The series of connections (`SDK_SERIES`, `BROWSER_SERIES`) are not
 * included: they are valid only for a short time and for one history.
 */
export const SERIES: readonly Series[] = [
  ...USES_BY_HOUR,
  ...USES_BY_DAY,
  RECENT_USES,
  LAST_USES,
  INSTANCES,
  APPLICATION_USES,
  APPLICATION_STRATEGIES,
  UNKNOWN_FLAGS,
  WRONG_PASSWORDS,
];
