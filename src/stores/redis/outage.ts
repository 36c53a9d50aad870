import { type Clock, isoTime } from '../../base/clock.ts';
import type { RefusalReason } from '../refusal-texts.ts';

/** Since when a server cannot be used, and the current reason. */
export interface Outage {
  /** When the outage began, as an RFC 3339 time. */
  readonly since: string;
  readonly sinceMs: number;
  readonly reason: string;
  readonly refusal: RefusalReason;
}

/** Returns the outage with its current reason, or a new outage when there was none. */
export function continueOutage(outage: Outage | null, clock: Clock, reason: string, refusal: RefusalReason): Outage {
  if (outage) return { ...outage, reason, refusal };
  const sinceMs = clock.nowMs();
  return { since: isoTime(sinceMs), sinceMs, reason, refusal };
}
