import { randomInt } from 'node:crypto';
import fc from 'fast-check';

/** The seed of `npm test`, so that the same commit gives the same result. */
export const COMMIT_SEED = 20_261_128;

/**
 * The seed of all random tests. `BURGEE_SEED` sets it, to repeat a failure or to explore. `npm test` sets it to `COMMIT_SEED` (vitest.config.ts); without
 * it, as in the torture tests, every file draws a new one. Failures report it.
 */
export const SEED = Number(process.env.BURGEE_SEED ?? randomInt(2 ** 31));

// This is a setup file, too (test/support/tiers/tiers.ts): property tests use the seed without naming it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: SEED });
