import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * What compares the answers of an empty Unleash comes first, then what fills it, then what finds a place for itself in a filled one. What ends it comes
 * last.
 */
const ORDER = ['answers-peer.ts', 'migrate-peer.ts', '', 'relay-peer.ts'];

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const place = ORDER.findIndex((name) => name !== '' && moduleId.endsWith(name));
      return place < 0 ? ORDER.indexOf('') : place;
    };
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
