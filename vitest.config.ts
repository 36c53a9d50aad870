import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { testsSameOnEveryFront, testsSameOnEveryNode } from './test/support/tiers/second-node.ts';
import { COMMIT_SEED } from './test/support/tiers/seed.ts';
import { testFiles, testsWithSeeds } from './test/support/tiers/test-files.ts';
import { ByProject, projectsOf, tier } from './test/support/tiers/tiers.ts';

/** With TEST_SCOPE, a part: `node` is what depends on the version of Node or on the front, `front` on the front, `seeds` what has random cases. */
const scopes: Readonly<Record<string, () => string[]>> = {
  node: testsSameOnEveryNode,
  front: testsSameOnEveryFront,
  seeds: () => {
    const withSeeds = new Set(testsWithSeeds());
    return testFiles().filter((file) => !withSeeds.has(file));
  },
};
const leftOut = scopes[process.env.TEST_SCOPE ?? '']?.() ?? [];
const files = testFiles().filter((file) => file.endsWith('.test.ts') && !leftOut.includes(file));

/** What answers in minutes. What takes longer is in vitest.torture.config.ts. */
export default defineConfig({
  test: {
    ...tier(),
    env: { BURGEE_SEED: process.env.BURGEE_SEED ?? String(COMMIT_SEED) },
    // Most files wait for something some of the time: two more than there are cores keep these busy.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: ByProject },
    // Only what hangs meets these: no test asserts how long something takes, and machines are shared.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: projectsOf(files),
  },
});
