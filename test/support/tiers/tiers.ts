import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults } from 'vitest/config';
import type { InlineConfig } from 'vitest/node';
import { hasRedis, testFiles, testsThatNeedRedis } from './test-files.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * The tests are in two tiers, by the names of their files: `*.test.ts` finish in minutes (`npm test`), `*.torture.ts` may take longer (`npm run
 * test:torture`). This is the common configuration of both.
 */
export function tier(): InlineConfig {
  // Not empty only without redis-server, which `npm test` installs when it can. The last line of the run reports the omitted tests.
  const withoutRedis = hasRedis() ? [] : testsThatNeedRedis();
  if (withoutRedis.length > 0) process.env.BURGEE_LEFT_OUT = `${withoutRedis.length} test files that need redis-server`;
  return {
    exclude: [...configDefaults.exclude, ...withoutRedis],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/support/checks/check-answers.ts', 'test/support/tiers/seed.ts'],
    reporters: ['default', './test/support/tiers/summary-reporter.ts'],
    pool: 'forks',
  };
}

/**
 * Code that affects the next file in the same process: it replaces, listens to or measures parts of the process. Spies and fake timers end with their file.
 * Such a file costs seconds of processor time more, if it imports the service.
 */
const CHANGES_GLOBALS =
  /\bstartPreciseCoverage\b|\bvi\.(mock|doMock|stub\w*)\(|\bprocess\.env\.\w+ =[^=]|\bdelete process\.env|\bprocess\.(on|once|emit|chdir|memoryUsage)\b|\bglobalThis\.\w+ =[^=]/;

/** Test files that need their own process; paths from the repository's root. All others share one process per worker, which imports everything once. */
export function testsThatChangeGlobals(): string[] {
  return testFiles().filter((file) => CHANGES_GLOBALS.test(readFileSync(join(ROOT, file), 'utf8')));
}
