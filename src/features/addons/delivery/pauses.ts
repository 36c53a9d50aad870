import { DAY_MS, HOUR_MS } from '../../../base/clock.ts';

const PAUSE_FIRST_MS = 1_000;
const PAUSE_MAX_MS = HOUR_MS;

/** After failing for this time, an add-on is parked. */
const PARKED_AFTER_MS = DAY_MS;

/**
 * The pause after a failure: it doubles with each failure, up to an hour, and varies by half in both directions, so that add-ons with the same
 * destination do not come back at the same time. A longer pause that the destination asks for is kept. Null: the add-on is parked.
 */
export function pauseAfter(
  failures: number,
  failingForMs: number,
  { random, retryAfterMs }: { readonly random: number; readonly retryAfterMs: number },
): number | null {
  const leftMs = PARKED_AFTER_MS - failingForMs;
  if (leftMs <= 0) return null;
  const base = Math.min(PAUSE_MAX_MS, PAUSE_FIRST_MS * 2 ** Math.min(failures - 1, 20));
  const pauseMs = Math.max(base * (0.5 + random), Math.min(retryAfterMs, PAUSE_MAX_MS));
  // The last attempt is made when the day is over.
  return Math.ceil(Math.min(pauseMs, leftMs));
}
