import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gathering, spreading } from '../../../console/src/data/gather.ts';
import { indexOfName, withChanges } from '../../../console/src/data/sorted-rows.ts';

const rowsOf = (...names: string[]) => names.map((name) => ({ name, isNew: false }));
const namesOf = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => name);

describe('rows sorted by name', () => {
  const rows = rowsOf('b', 'd', 'f');

  it('finds a row, and says so if there is none', () => {
    expect(['a', 'b', 'c', 'd', 'f', 'g'].map((name) => indexOfName(rows, name))).toEqual([-1, 0, -1, 1, 2, -1]);
    expect(indexOfName([], 'a')).toBe(-1);
  });

  it('replaces, adds and removes, and keeps the order', () => {
    const added = (name: string) => [name, { name, isNew: true }] as const;
    const after = withChanges(
      rows,
      new Map([added('g'), added('d'), ['b', null], added('c'), added('a'), ['x', null]]),
    );
    expect(namesOf(after)).toEqual(['a', 'c', 'd', 'f', 'g']);
    expect(after.map(({ isNew }) => isNew)).toEqual([true, true, true, false, true]);
    expect(namesOf(rows)).toEqual(['b', 'd', 'f']);
  });

  it('appends a page', () => {
    expect(namesOf(withChanges(rows, new Map(rowsOf('h', 'g').map((row) => [row.name, row]))))).toEqual([
      'b',
      'd',
      'f',
      'g',
      'h',
    ]);
  });
});

describe('what is gathered', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('runs at once, then with all that came meanwhile, and never twice at the same time', async () => {
    const runs: (readonly number[])[] = [];
    const ends: (() => void)[] = [];
    const gather = gathering<number>(1000, (items) => {
      runs.push(items);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
    gather(1);
    gather(2);
    gather(3);
    expect(runs).toEqual([[1]]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(runs).toEqual([[1]]);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(runs).toEqual([[1], [2, 3]]);
    ends[1]?.();
    await vi.advanceTimersByTimeAsync(999);
    gather(4);
    expect(runs).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toEqual([[1], [2, 3], [4]]);
  });

  it('goes on after a run that failed', async () => {
    const runs: (readonly string[])[] = [];
    const gather = gathering<string>(10, async (items) => {
      runs.push(items);
      throw new Error('not now');
    });
    gather('a');
    await vi.advanceTimersByTimeAsync(10);
    gather('b');
    expect(runs).toEqual([['a'], ['b']]);
    await vi.advanceTimersByTimeAsync(10);
  });
});

describe('what all open pages do after a commit', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is done at another time in each page, in order, and soon', async () => {
    const done: string[] = [];
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.9).mockReturnValueOnce(0.1);
    const pages = [spreading(300), spreading(300)] as const;
    for (const commit of [1, 2])
      for (const [index, after] of pages.entries()) after(() => done.push(`page ${index}: commit ${commit}`));
    expect(done).toEqual([]);
    await vi.advanceTimersByTimeAsync(100);
    expect(done).toEqual(['page 1: commit 1', 'page 1: commit 2']);
    await vi.advanceTimersByTimeAsync(200);
    expect(done.slice(2)).toEqual(['page 0: commit 1', 'page 0: commit 2']);
  });
});
