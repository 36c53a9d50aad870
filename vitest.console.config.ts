import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The console in a real browser against a real service: `npm run test:console`. It needs Chromium and a built console. */
export default defineConfig({
  test: {
    include: ['test/console/**/*.browser.ts'],
    globalSetup: ['test/console/support/global-setup.ts'],
    setupFiles: ['test/support/checks/check-answers.ts'],
    reporters: ['verbose', './test/support/tiers/summary-reporter.ts'],
    pool: 'forks',
    // The files of a worker share one process, which imports the service once. No file changes what belongs to the process.
    isolate: false,
    // A file has a browser of its own, which uses a core while the page works.
    maxWorkers: Math.max(1, Math.min(4, availableParallelism())),
    // Only what hangs meets these: no test asserts how long something takes, and machines are shared.
    testTimeout: 600_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 180_000,
  },
});
