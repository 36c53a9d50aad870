import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { hasRedis, testsThatNeedRedis } from './test/support/redis-tests.ts';

// Only where redis-server cannot be had: `npm test` installs it where it may. The run ends with a line that says what was left out.
const withoutRedis = hasRedis() ? [] : testsThatNeedRedis();
if (withoutRedis.length > 0) process.env.BURGEE_LEFT_OUT = `${withoutRedis.length} test files that need redis-server`;

/** Whatever it is begun after waits for it in the end, with nothing beside it. */
const LONGEST = /http\/worst-case\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongest = ({ moduleId }: TestSpecification) => LONGEST.test(moduleId);
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))];
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...withoutRedis],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // Most files wait for something most of the time: two at a time are done in little more than half the time, also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only what hangs meets these: no test asserts how long something takes, and machines are shared.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
