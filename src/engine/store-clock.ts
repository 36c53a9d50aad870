import type { Clock } from '../base/clock.ts';
import { isShared } from '../stores/shared-store.ts';
import type { Store } from '../stores/store.ts';

/**
 * A smaller difference between the clocks is not corrected. The measured difference includes a part of the network's delay, so corrected times would
 * vary by this part.
 */
const TOLERANCE_MS = 1_000;

/**
 * The clock of the store, if replicas share one. Due times and timestamps are then the same for all replicas, even if the clocks of their machines
 * differ.
 */
export function storeClock(store: Store, clock: Clock): Clock {
  if (!isShared(store)) return clock;
  const aheadMs = () => (Math.abs(store.clockAheadMs) < TOLERANCE_MS ? 0 : Math.round(store.clockAheadMs));
  return { nowMs: () => clock.nowMs() + aheadMs(), sleep: (delayMs, signal) => clock.sleep(delayMs, signal) };
}
