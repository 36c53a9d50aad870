import { describe, expect, it } from 'vitest';
import { testsThatNeedRedis } from './support/redis-tests.ts';

describe('where redis-server cannot be had', () => {
  it('leaves out the tests that start one, directly or by what they import, and no others', () => {
    const files = testsThatNeedRedis();
    expect(files).toEqual(expect.arrayContaining(['test/stores/redis-store.test.ts', 'test/replicas/kills.test.ts']));
    expect(files.filter((file) => /^test\/(api|evaluation|state)\//.test(file))).toEqual([]);
  });
});
