import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../console/src/kit/changes/line-diff.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '{', '}'), { maxLength: 30 });

describe('the difference of two texts', () => {
  it('contains both texts', () => {
    const both = fc.property(lines, lines, (before, after) => {
      const diff = diffLines(before, after);
      expect(diff.filter(({ kind }) => kind !== 'added').map(({ text }) => text)).toEqual(before);
      expect(diff.filter(({ kind }) => kind !== 'removed').map(({ text }) => text)).toEqual(after);
    });
    fc.assert(both);
  });

  it('keeps as many lines as can be kept', () => {
    const same = diffLines(['a', 'b', 'c', 'd'], ['b', 'x', 'd']).filter(({ kind }) => kind === 'same');
    expect(same.map(({ text }) => text)).toEqual(['b', 'd']);
  });

  it('replaces what is too long to compare, and keeps its equal ends', () => {
    const long = (name: string) => ['first', ...Array.from({ length: 3000 }, (_, at) => `${name} ${at}`), 'last'];
    const diff = diffLines(long('one'), long('other'));
    expect(diff.filter(({ kind }) => kind === 'same').map(({ text }) => text)).toEqual(['first', 'last']);
    expect(diff).toHaveLength(6002);
  });
});
