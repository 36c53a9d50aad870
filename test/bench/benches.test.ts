import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inTurn } from '../../bench/support/in-turn.ts';

const BENCH = new URL('../../bench/', import.meta.url);

/** Benches that need an external program, run for minutes, or have a table of their own. */
const ASIDE = ['all', 'edge', 'fleet', 'soak', 'worst-case'];

describe('the benches', () => {
  it('are all run by `npm run bench -- all`, except those of other programs and of minutes', () => {
    const names = readdirSync(BENCH).flatMap((file) => /^(.*)\.bench\.ts$/.exec(file)?.[1] ?? []);
    const all = readFileSync(new URL('all.bench.ts', BENCH), 'utf8');
    const missing = names.filter((name) => !new RegExp(`^ {2}${name}: \\{`, 'm').test(all));
    expect(missing.sort()).toEqual(ASIDE);
  });

  it('are built again when something changes that they import of the tests', () => {
    const built = readFileSync(new URL('../tools/ensure-built.mjs', BENCH), 'utf8');
    const files = readdirSync(BENCH, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const imported = files.flatMap((file) => {
      const text = readFileSync(new URL(file, BENCH), 'utf8');
      return [...text.matchAll(/^import .*'(?:\.\.\/)+(test\/.*)';$/gm)].map(([, path = '']) => path);
    });
    const isNamed = (path: string) => built.includes(`'${path}'`) || built.includes(`'${dirname(path)}'`);
    expect(imported.length).toBeGreaterThan(0);
    expect(imported.filter((path) => !isNamed(path))).toEqual([]);
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
