/**
 * Number of schedules and random cases: 1,000 and 5,000 in `npm test`, all of them in the torture tests. `npm test` runs fewer of the expensive ones:
 * schedules of members (100 of 1,000; a member has some megabytes), of appends (100 of 1,000; a real Redis) and of a relay's tokens (20 of 200; whole
 * services).
 */

/** Number of schedules or random cases of a test that finds more with more of them. */
export interface Depth {
  /** As `npm test` runs it. */
  readonly quick: number;
  /** As `npm run test:torture` runs it. It runs every file that imports this one. */
  readonly full: number;
}

/** Whether to run the cases, too, that take too long for `npm test`. */
export const isDeep = process.env.TEST_DEPTH !== undefined;

/**
 * `TEST_DEPTH` is a multiple of the full depth: `TEST_DEPTH=10` for a long run, 0.4 in `.ci/run`, which has to answer soon. Without it the test is quick,
 * and no run does less than that.
 */
export function atDepth({ quick, full }: Depth): number {
  const depth = process.env.TEST_DEPTH;
  return depth === undefined ? quick : Math.max(1, Math.min(quick, full), Math.round(full * Number(depth)));
}
