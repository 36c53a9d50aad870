import { describe, expect, it } from 'vitest';
import { ListTexts } from '../../../src/features/shared/list-texts.ts';

describe('cached texts of immutable lists', () => {
  it('are built once for each pair of list and key', () => {
    const texts = new ListTexts<number>();
    let made = 0;
    const make = (list: readonly number[], of: string) => `${of}${list.join()}${made++}`;
    const list = [1, 2];
    expect(texts.textOf(list, 'a', make)).toBe('a1,20');
    expect(texts.textOf(list, 'a', make)).toBe('a1,20');
    expect(texts.textOf(list, 'b', make)).toBe('b1,21');
    expect(texts.textOf([1, 2], 'b', make)).toBe('b1,22');
  });

  it('are evicted after many newer entries, and are never cached when they are large', () => {
    const texts = new ListTexts<string>();
    let made = 0;
    const make = () => `text ${made++}`;
    const list = ['kept'];
    const first = texts.textOf(list, '', make);
    for (let count = 0; count < 400; count++) texts.textOf([`other ${count}`], '', make);
    expect(texts.textOf(list, '', make)).toBe(first);
    for (let count = 0; count < 1_200; count++) texts.textOf([`other ${count}`], '', make);
    expect(texts.textOf(list, '', make)).not.toBe(first);
    const large = ['large'];
    const makeLarge = () => `${made++}`.padStart(9_000);
    expect(texts.textOf(large, '', makeLarge)).not.toBe(texts.textOf(large, '', makeLarge));
  });
});
