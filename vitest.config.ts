import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { hasRedis, testsThatNeedRedis } from './test/support/redis-tests.ts';

// Only where redis-server cannot be had: `npm test` installs it where it may. The run ends with a line that says what was left out.
const withoutRedis = hasRedis() ? [] : testsThatNeedRedis();
if (withoutRedis.length > 0) process.env.BURGEE_LEFT_OUT = `${withoutRedis.length} test files that need redis-server`;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...withoutRedis],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    // Most files wait for something most of the time: two at a time are done in little more than half the time, also on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
