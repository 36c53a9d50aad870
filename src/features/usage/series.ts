import type { Series } from '../../stores/counters.ts';
import { WRONG_PASSWORDS } from '../sign-on/login-guard.ts';
import {
  APPLICATION_STRATEGIES,
  APPLICATION_USES,
  INSTANCES,
  LAST_USES,
  RECENT_USES,
  UNKNOWN_FLAGS,
  USES_BY_DAY,
  USES_BY_HOUR,
} from './use-series.ts';

/**
 * Everything that is counted and kept: what goes along when a store is copied. Who is connected is of the moment, and of one history (`SDK_SERIES`,
 * `BROWSER_SERIES`).
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
