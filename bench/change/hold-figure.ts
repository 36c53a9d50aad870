import type { LoopHolds } from '../support/loop-probe.ts';
import { atMost, type Figure, milliseconds } from '../support/report.ts';

/**
 * The longest time for which the loop was blocked in any round: the limit applies to every round, so a median is not enough. The processor time of
 * the thread separates work from waiting for a processor.
 */
export function holdFigure(name: string, loopHolds: readonly LoopHolds[], limitMs: number): Figure {
  const longestMs = Math.max(...loopHolds.map((hold) => hold.longestMs));
  const ownMs = Math.max(...loopHolds.map((hold) => hold.longestOwnMs));
  return atMost(1, {
    name,
    ours: `${milliseconds(longestMs)} (${milliseconds(ownMs)} of its own work)`,
    floor: milliseconds(limitMs),
    ratio: longestMs / limitMs,
  });
}
