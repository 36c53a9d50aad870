import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { testFiles, testsWithDepth } from './test/support/tiers/test-files.ts';
import { ByProject, projectsOf, tier } from './test/support/tiers/tiers.ts';

/** They start first: started last, they would run at the end with nothing beside them. Builds of SDKs wait for idle processors. */
const LONGEST = /(languages|frameworks|worst-case(-callers)?|fuzzer|work)\.torture\.ts$/;

class LongestFirst extends ByProject {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

const files = [...testFiles().filter((file) => file.endsWith('.torture.ts')), ...testsWithDepth()];

/**
 * What takes long, at full depth: soaks, kills, damage, full disks, worst cases, the packed program, SDKs of other languages (which it installs).
 * Files of `npm test` whose depth is scaled run again here.
 */
export default defineConfig({
  test: {
    ...tier(),
    env: { TEST_DEPTH: process.env.TEST_DEPTH ?? '1' },
    sequence: { sequencer: LongestFirst },
    // Most files wait for something most of the time, and one waits for builds of SDKs, which get only idle processors: three at a time also on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Only what hangs meets these: no test asserts how long something takes, and machines are shared. Rust's SDK is built from its sources.
    testTimeout: 600_000,
    hookTimeout: 1_800_000,
    projects: projectsOf(files),
  },
});
