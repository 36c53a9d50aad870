import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inTurn } from '../../bench/support/in-turn.ts';

const BENCH = new URL('../../bench/', import.meta.url);

/** Benches that need an external program. */
const ASIDE = ['edge'];

describe('the benches', () => {
  it('are all run by bench:all', () => {
    const names = readdirSync(BENCH).flatMap((file) => /^(.*)\.bench\.ts$/.exec(file)?.[1] ?? []);
    const all = readFileSync(new URL('all.ts', BENCH), 'utf8');
    const missing = names.filter((name) => !new RegExp(`^ {2}${name}: \\{`, 'm').test(all));
    expect(missing).toEqual(ASIDE);
  });

  it('measure every way once per round, in alternating order', async () => {
    const asked: string[] = [];
    const way = (name: string) => async () => asked.push(name);
    const rounds = await inTurn(3, { ours: way('ours'), floor: way('floor'), lean: way('lean') });
    expect(asked.join(' ')).toBe('ours floor lean lean floor ours ours floor lean');
    expect(rounds).toEqual([
      { ours: 1, floor: 2, lean: 3 },
      { ours: 6, floor: 5, lean: 4 },
      { ours: 7, floor: 8, lean: 9 },
    ]);
  });
});
