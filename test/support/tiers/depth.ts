/**
 * `npm test` runs a few of the schedules and random cases, so that a mistake shows in minutes: 200 schedules of writers (of 10,000), 25 of members (a
 * member has some megabytes) and of appends (a real Redis; of 1,000 each), 20 to 300 random changes (of some hundreds or thousands). The torture tests
 * run all of them.
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
 * `TEST_DEPTH` is a multiple of the full depth: `TEST_DEPTH=10` for a long run, 0.15 in `.ci/run`, which has to answer soon. Without it the test is quick,
 * and no run does less than that.
 */
export function atDepth({ quick, full }: Depth): number {
  const depth = process.env.TEST_DEPTH;
  return depth === undefined ? quick : Math.max(1, Math.min(quick, full), Math.round(full * Number(depth)));
}
