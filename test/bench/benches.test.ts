import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inTurn } from '../../bench/support/in-turn.ts';

const BENCH = new URL('../../bench/', import.meta.url);

/** Benches that need an external program, run for minutes, or have a table of their own. */
const ASIDE = ['all', 'edge', 'fleet', 'kept-connections', 'kept-tls', 'revocation', 'soak', 'worst-case'];

describe('the benches', () => {
  it('are all run by `npm run bench -- all`, except those of other programs, of minutes, and of connections', () => {
    const names = readdirSync(BENCH).flatMap((file) => /^(.*)\.bench\.ts$/.exec(file)?.[1] ?? []);
    const all = readFileSync(new URL('all.bench.ts', BENCH), 'utf8');
    const missing = names.filter((name) => !new RegExp(`^ {2}${name}: \\{`, 'm').test(all));
    expect(missing.sort()).toEqual(ASIDE);
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
