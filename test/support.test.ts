import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import torture from '../vitest.torture.config.ts';
import { testFiles, testsThatNeedRedis, testsWithDepth } from './support/test-files.ts';
import { testsThatChangeGlobals } from './support/tiers.ts';

const TEST = new URL('./', import.meta.url);

describe('the list of tests that need redis-server', () => {
  it('contains the tests that start one, directly or through an import, and no others', () => {
    const files = testsThatNeedRedis();
    expect(files).toEqual(
      expect.arrayContaining(['test/stores/redis-store.test.ts', 'test/replicas/kills.torture.ts']),
    );
    expect(files.filter((file) => /^test\/(api|evaluation|state)\//.test(file))).toEqual([]);
  });
});

describe('the tiers', () => {
  it('have every file with tests, by its name, except those that need a real Unleash or a browser', () => {
    const files = readdirSync(TEST, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const holdTests = files.filter((file) => /^(describe|it)\b/m.test(readFileSync(new URL(file, TEST), 'utf8')));
    expect(
      holdTests
        .filter((file) => !/^(peer\/.*-peer|console\/.*\.browser)\.ts$/.test(file))
        .map((file) => `test/${file}`)
        .sort(),
    ).toEqual(testFiles().sort());
  });

  it('run the tests with a depth at full depth in torture', () => {
    expect(testsWithDepth()).toContain('test/actors/writer-simulation.test.ts');
    expect(torture.test?.include).toEqual(['test/**/*.torture.ts', ...testsWithDepth()]);
    expect(torture.test?.env).toEqual({ TEST_DEPTH: process.env.TEST_DEPTH ?? '1' });
  });

  it('run files that change global state in separate processes', () => {
    const files = testsThatChangeGlobals();
    expect(files).toContain('test/relay/upstream.test.ts');
    expect(files.filter((file) => /^test\/migrate\//.test(file))).toEqual([]);
  });
});
