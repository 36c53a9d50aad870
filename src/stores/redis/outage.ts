import { type Clock, isoTime } from '../../base/clock.ts';
import type { RefusalReason } from '../write-refusal.ts';

/** Since when a server cannot be used, and why not now. */
export interface Outage {
  /** RFC 3339. */
  readonly since: string;
  readonly sinceMs: number;
  readonly reason: string;
  readonly refusal: RefusalReason;
}

/** The same outage with its current reason; a new one when there was none. */
export function continued(outage: Outage | null, clock: Clock, reason: string, refusal: RefusalReason): Outage {
  if (outage) return { ...outage, reason, refusal };
  const sinceMs = clock.nowMs();
  return { since: isoTime(sinceMs), sinceMs, reason, refusal };
}
