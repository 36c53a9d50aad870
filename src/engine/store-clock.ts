import type { Clock } from '../base/clock.ts';
import { isShared } from '../stores/shared-store.ts';
import type { Store } from '../stores/store.ts';

/** A clock that is off by less is not corrected: the way to the store takes its time, too, and times would jump by that. */
const TOLERANCE_MS = 1_000;

/**
 * The clock of the store, where replicas share one. What is due, and when something happened, is then the same for all of them, however their machines'
 * clocks differ.
 */
export function storeClock(store: Store, clock: Clock): Clock {
  if (!isShared(store)) return clock;
  const aheadMs = () => (Math.abs(store.clockAheadMs) < TOLERANCE_MS ? 0 : Math.round(store.clockAheadMs));
  return { nowMs: () => clock.nowMs() + aheadMs(), sleep: (delayMs, signal) => clock.sleep(delayMs, signal) };
}
