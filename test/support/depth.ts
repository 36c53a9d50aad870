/**
 * Schedules and random cases: 1,000 and 5,000 in `npm test`, all of them in the torture tier. Fewer in `npm test` are, because of what one costs: schedules of
 * members (100 of 1,000; a member has some megabytes), of appends (100 of 1,000; a real Redis) and of a relay's tokens (20 of 200; whole services).
 */

/** How deep a test goes where more schedules or more random cases find more. */
export interface Depth {
  /** As `npm test` runs it. */
  readonly quick: number;
  /** As `npm run test:torture` runs it, which runs every file that imports this. */
  readonly full: number;
}

/** Whether what is too wide for `npm test` is looked at, too. */
export const isDeep = process.env.TEST_DEPTH !== undefined;

/** `TEST_DEPTH` is a multiple of the full depth; `TEST_DEPTH=10` for a long run. Without it the test is quick. */
export function atDepth({ quick, full }: Depth): number {
  const depth = process.env.TEST_DEPTH;
  return depth === undefined ? quick : Math.max(1, Math.round(full * Number(depth)));
}
