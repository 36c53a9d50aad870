import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What fills the Unleash comes before what finds a place for itself in a filled one, and what ends it comes last. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) =>
      moduleId.endsWith('migrate-peer.ts') ? 0 : moduleId.endsWith('relay-peer.ts') ? 2 : 1;
    return [...files].sort((left, right) => rank(left) - rank(right));
  }
}

/** Burgee beside a real Unleash, as `npm run peer` tries it: it installs and starts one, which `npm test` must not need. */
export default defineConfig({
  test: {
    include: ['test/peer/**/*-peer.ts'],
    exclude: process.env.PEER_CHROMIUM === undefined ? ['test/peer/pages-peer.ts'] : [],
    globalSetup: ['test/global-setup.ts'],
    // Each test as it ends: a run that is stopped shows how far it came.
    reporters: ['verbose', './test/support/tiers/summary-reporter.ts'],
    pool: 'forks',
    sequence: { sequencer: InOrder },
    // One Unleash for all of them.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
