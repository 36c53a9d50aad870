import { defineConfig } from 'vitest/config';

/** Burgee beside a real Unleash, as `npm run peer` tries it: it installs and starts one, which `npm test` must not need. */
export default defineConfig({
  test: {
    include: ['test/peer/**/*-peer.ts'],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    // One Unleash for all of them.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
