import { describe, expect, it } from 'vitest';
import { Interner, KEY_LENGTH_MAX } from '../../src/evaluation/interner.ts';

describe('an interner', () => {
  it('makes one object for equal keys, and one each time for keys that are too long', () => {
    const interner = new Interner<object>();
    const make = () => ({});
    const [short, long] = ['a'.repeat(KEY_LENGTH_MAX), 'a'.repeat(KEY_LENGTH_MAX + 1)];
    expect(interner.get(short, make)).toBe(interner.get(short, make));
    expect(interner.get(long, make)).not.toBe(interner.get(long, make));
  });

  it('keeps a limited number of objects', () => {
    const interner = new Interner<object>();
    const first = interner.get('first', () => ({}));
    const made = new Set<object>();
    let count = 0;
    while (interner.get('first', () => ({})) === first) {
      if (++count > 10_000) throw new Error('it drops nothing');
      made.add(interner.get(`key-${count}`, () => ({})));
    }
    expect(made.size).toBe(count);
    expect(count).toBeGreaterThan(1_000);
  });
});
