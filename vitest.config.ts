import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { testsSameOnEveryNode } from './test/support/tiers/second-node.ts';
import { COMMIT_SEED } from './test/support/tiers/seed.ts';
import { testFiles, testsWithSeeds } from './test/support/tiers/test-files.ts';
import { testsThatChangeGlobals, tier } from './test/support/tiers/tiers.ts';

/** Files of one project after the other: a worker goes on with the next file of its project only. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project }: TestSpecification) => (project.name === 'isolated' ? 0 : 1);
    return sorted.sort((left, right) => rank(left) - rank(right));
  }
}

const common = tier();
/** With TEST_SCOPE, a part: `node` is what depends on the version of Node, `seeds` what has random cases. */
const scopes: Readonly<Record<string, () => string[]>> = {
  node: testsSameOnEveryNode,
  seeds: () => {
    const withSeeds = new Set(testsWithSeeds());
    return testFiles().filter((file) => !withSeeds.has(file));
  },
};
const leftOut = scopes[process.env.TEST_SCOPE ?? '']?.() ?? [];
const isolated = testsThatChangeGlobals().filter((file) => file.endsWith('.test.ts') && !leftOut.includes(file));

/** What answers in minutes. What takes longer is in vitest.torture.config.ts. */
export default defineConfig({
  test: {
    ...common,
    env: { BURGEE_SEED: process.env.BURGEE_SEED ?? String(COMMIT_SEED) },
    // Most files wait for something some of the time: two more than there are cores keep these busy.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: ByProject },
    // Only what hangs meets these: no test asserts how long something takes, and machines are shared.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // Every file is of exactly one project: what the first lists, the second leaves out.
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...(common.exclude ?? configDefaults.exclude), ...isolated, ...leftOut],
        },
      },
    ],
  },
});
