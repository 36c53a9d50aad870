import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configDefaults, type TestProjectConfiguration } from 'vitest/config';
import { BaseSequencer, type InlineConfig, type TestSpecification } from 'vitest/node';
import { hasRedis, testsThatNeedRedis } from './test-files.ts';

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
  /\bWorkCounter\b|\bvi\.(mock|doMock|stub\w*)\(|\bprocess\.env\.\w+ =[^=]|\bdelete process\.env|\bprocess\.(on|once|emit|chdir|memoryUsage)\b|\bglobalThis\.\w+ =[^=]/;

/** Whether a test file needs its own process. Path from the repository's root. */
const changesGlobals = (file: string) => CHANGES_GLOBALS.test(readFileSync(join(ROOT, file), 'utf8'));

/** The two projects of a tier: each file of `isolated` has a process of its own, and the files of `shared` share one per worker, which imports everything once. */
export function projectsOf(files: readonly string[]): TestProjectConfiguration[] {
  return [
    { extends: true, test: { name: 'isolated', include: files.filter(changesGlobals) } },
    { extends: true, test: { name: 'shared', isolate: false, include: files.filter((file) => !changesGlobals(file)) } },
  ];
}

/** Files of one project after the other: a worker goes on with the next file of its project only. */
export class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ project }: TestSpecification) => (project.name === 'isolated' ? 0 : 1);
    return sorted.sort((left, right) => rank(left) - rank(right));
  }
}
