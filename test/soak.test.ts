import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Sample, verdictOn } from '../bench/soak/verdict.ts';

const SCRIPT = fileURLToPath(new URL('../dist/bench/soak.js', import.meta.url));

async function soaked(...args: string[]) {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += String(chunk);
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

describe('a service that is kept busy', { timeout: 180_000 }, () => {
  it.each([
    ['the embedded store', ['--minutes', '0.6']],
    ['Redis, with lost connections and states that are exchanged', ['--minutes', '0.7', '--redis']],
  ])('keeps no more and no more on %s', async (_store, args) => {
    const { code, output } = await soaked(...args);
    expect(output).toContain('Passed');
    expect(code, output).toBe(0);
  });
});

describe('the verdict on memory', () => {
  const samples = (keptMb: (minute: number) => number): Sample[] =>
    Array.from({ length: 60 }, (_, index) => ({
      atS: index * 30,
      keptBytes: keptMb(index / 2) * 1e6,
      residentBytes: 0,
      storeBytes: 0,
    }));

  it('forgives what fills once, and single samples that stand out', () => {
    expect(verdictOn(samples((minute) => 50 + Math.min(minute, 5) * 4)).passed).toBe(true);
    expect(verdictOn(samples((minute) => (minute % 5 === 0 ? 90 : 50))).passed).toBe(true);
    expect(
      verdictOn(
        samples((minute) => (minute > 20 ? 54 : 50)),
        4e6,
      ).passed,
    ).toBe(true);
    expect(
      verdictOn(
        samples((minute) => (minute > 20 ? 58 : 50)),
        4e6,
      ).passed,
    ).toBe(false);
  });

  it('does not forgive a quarter of a megabyte a minute, nor a cache without end', () => {
    expect(verdictOn(samples((minute) => 50 + minute * 0.3)).passed).toBe(false);
    expect(verdictOn(samples((minute) => 50 + Math.min(minute, 5) * 100)).passed).toBe(false);
  });
});
