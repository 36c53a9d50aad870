import { describe, expect, it } from 'vitest';
import { atOnce } from '../../../../src/base/yield-control.ts';
import { FlagColumns } from '../../../../src/features/flags/search/flag-columns.ts';
import { Numbering } from '../../../../src/features/flags/search/value-column.ts';
import { flag } from '../../../support/admin.ts';

describe('numbers of distinct values', () => {
  it('are shared by equal values, and reused when a value is no longer used', () => {
    const numbering = new Numbering<string>();
    const number = numbering.acquire('a', () => 'A');
    expect(numbering.acquire('a', () => 'again')).toBe(number);
    expect(numbering.release(number)).toBeUndefined();
    expect(numbering.valueOf(number)).toBe('A');
    expect(numbering.release(number)).toBe('A');
    expect(numbering.valueOf(number)).toBeUndefined();
    expect(numbering.numberOf('a')).toBeUndefined();
    expect(numbering.acquire('b', () => 'B')).toBe(number);
    expect([...numbering.used()]).toEqual([[number, 'B']]);
  });
});

describe('the columns of flags', () => {
  const tags = (value: string) => [{ type: 'simple', value }];
  const elsewhere = { stage: 'initial', seenMs: Number.NEGATIVE_INFINITY };

  it('reuse the slots and the values of removed and changed flags, so that they do not grow', () => {
    const columns = new FlagColumns();
    for (let round = 0; round < 50; round++) {
      columns.put(flag('kept', { tags: tags(`kept-${round}`) }), elsewhere);
      columns.put(flag(`new-${round}`, { tags: tags(`new-${round}`), project: `project-${round}` }), elsewhere);
      atOnce(columns.sort());
      columns.remove(`new-${round}`);
      atOnce(columns.sort());
    }
    expect(columns.size).toBe(1);
    expect(columns.length).toBe(2);
    for (const { end } of [columns.tagTexts, columns.tags.distinct, columns.projects.distinct])
      expect(end).toBeLessThanOrEqual(4);
    expect([...columns.order].map((slot) => columns.features[slot]?.name)).toEqual(['kept']);
  });
});
