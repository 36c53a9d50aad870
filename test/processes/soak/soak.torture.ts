import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../../../dist/bench/soak.bench.js', import.meta.url));

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
    ['Redis, with lost connections and replaced states', ['--minutes', '0.7', '--redis']],
  ])('does not use more and more memory on %s', async (_store, args) => {
    const { code, output } = await soaked(...args);
    expect(output).toContain('Passed');
    expect(code, output).toBe(0);
  });
});
