import { defineConfig } from 'vitest/config';

/** SDKs of other languages, as `npm run test:sdks` tries them: it installs them from their registries, which `npm test` must not need. */
export default defineConfig({
  test: {
    include: ['test/sdks/**/*-sdk.ts'],
    globalSetup: ['test/global-setup.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    // Rust's client is built from its sources.
    hookTimeout: 1_800_000,
  },
});
