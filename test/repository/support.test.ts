import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import torture from '../../vitest.torture.config.ts';
import {
  IN_THEM_BUT_OF_NODE,
  SAME_ON_EVERY_FRONT,
  SAME_ON_EVERY_NODE,
  testsSameOnEveryFront,
  testsSameOnEveryNode,
} from '../support/tiers/second-node.ts';
import { testFiles, testsThatNeedRedis, testsWithDepth, testsWithSeeds } from '../support/tiers/test-files.ts';
import { projectsOf } from '../support/tiers/tiers.ts';

const TEST = new URL('../', import.meta.url);

/** Fails if one of the files is in one of these folders, or if there is no such folder. */
function expectNoneOf(folders: readonly string[], files: readonly string[]): void {
  for (const folder of folders) {
    expect(testFiles().filter((file) => file.startsWith(folder)).length, folder).toBeGreaterThan(0);
    expect(files.filter((file) => file.startsWith(folder))).toEqual([]);
  }
}

/** The files of the two projects of a tier. */
function filesOf(projects: unknown): { readonly isolated: string[]; readonly shared: string[] } {
  const [isolated = [], shared = []] = (projects as { test: { include: string[] } }[]).map(({ test }) => test.include);
  return { isolated, shared };
}

describe('the list of tests that need redis-server', () => {
  it('contains the tests that start one, directly or through an import, and no others', () => {
    const files = testsThatNeedRedis();
    expect(files).toEqual(
      expect.arrayContaining(['test/stores/redis/redis-store.test.ts', 'test/replicas/kills.torture.ts']),
    );
    expectNoneOf(['test/evaluation/', 'test/state/', 'test/features/flags/'], files);
  });
});

describe('the list of tests with random cases', () => {
  it('contains the tests that use fast-check or the seed, directly or through an import, and no others', () => {
    const files = testsWithSeeds();
    expect(files).toEqual(
      expect.arrayContaining(['test/base/lists/sorted.test.ts', 'test/engine/writer-simulation.test.ts']),
    );
    expect(files).not.toContain('test/features/flags/tags.test.ts');
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
    expect(testsWithDepth()).toContain('test/engine/writer-simulation.test.ts');
    const deep = [...testFiles().filter((file) => file.endsWith('.torture.ts')), ...testsWithDepth()];
    const run = filesOf(torture.test?.projects);
    expect([...run.isolated, ...run.shared].sort()).toEqual(deep.sort());
    expect(torture.test?.env).toEqual({ TEST_DEPTH: process.env.TEST_DEPTH ?? '1' });
  });

  it('run files that change global state in separate processes', () => {
    const { isolated } = filesOf(projectsOf(testFiles()));
    expect(isolated).toContain('test/views/token-view.test.ts');
    expectNoneOf(['test/products/demo/'], isolated);
    expect(isolated).toContain('test/counted-work/work.torture.ts');
  });
});

describe('the run on a second Node', () => {
  it('leaves out what it names, and each name is that of a file or folder with tests', () => {
    const files = testFiles().filter((file) => file.endsWith('.test.ts'));
    expect(SAME_ON_EVERY_NODE.filter((one) => !files.some((file) => file.startsWith(one)))).toEqual([]);
    const inThem = files.filter((file) => SAME_ON_EVERY_NODE.some((one) => file.startsWith(one)));
    expect(IN_THEM_BUT_OF_NODE.filter((one) => !inThem.some((file) => file.startsWith(one)))).toEqual([]);
    const ofNode = inThem.filter((file) => IN_THEM_BUT_OF_NODE.some((one) => file.startsWith(one)));
    expect([...testsSameOnEveryNode(), ...ofNode].sort()).toEqual(inThem.sort());
  });

  it('has the tests of the HTTP front, stores, replicas, relays, sign-on and SDKs', () => {
    const leftOut = testsSameOnEveryNode();
    const ofNode = ['base/', 'stores/', 'replicas/', 'sdks/sdk', 'products/relay/', 'features/sign-on/'];
    expectNoneOf(
      ofNode.map((name) => `test/${name}`),
      leftOut,
    );
    expect(leftOut).not.toContain('test/http/server.test.ts');
    expect(leftOut).toContain('test/features/flags/tags.test.ts');
  });
});

describe('the run on the front of Node', () => {
  it('has the tests of HTTP, streams, relays, LMDB, replicas and SDKs, and leaves out the folders that it names', () => {
    const leftOut = testsSameOnEveryFront();
    expect(SAME_ON_EVERY_FRONT.filter((one) => !leftOut.some((file) => file.startsWith(one)))).toEqual([]);
    expect(leftOut).toEqual(expect.arrayContaining(testsSameOnEveryNode()));
    const ofFront = [
      'http/front/',
      'http/streams/',
      'http/body/',
      'stores/lmdb/',
      'products/relay/',
      'replicas/',
      'sdks/sdk',
    ];
    expectNoneOf(
      ofFront.map((name) => `test/${name}`),
      leftOut,
    );
  });
});
