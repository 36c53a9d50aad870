import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What fills the Unleash comes before what finds a place for itself in a filled one. */
class FillingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isFilling = ({ moduleId }: TestSpecification) => /migrate-peer\.ts$/.test(moduleId);
    return [...files.filter(isFilling), ...files.filter((file) => !isFilling(file))];
  }
}

/** Burgee beside a real Unleash, as `npm run peer` tries it: it installs and starts one, which `npm test` must not need. */
export default defineConfig({
  test: {
    include: ['test/peer/**/*-peer.ts'],
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/support/summary-reporter.ts'],
    pool: 'forks',
    sequence: { sequencer: FillingFirst },
    // One Unleash for all of them.
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
