import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../bench/support/free-port.ts';

const SCRIPT = fileURLToPath(new URL('../../dist/packed/program/fleet.js', import.meta.url));

describe('the simulated fleet', () => {
  it('reports immediately that no service answers, instead of counting errors', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const child = spawn(process.execPath, [SCRIPT, '--url', url, '--token', '*:development.x', '--clients', '10']);
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output += String(chunk);
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(output).toContain(`nothing can be reached at ${url}`);
    expect(output).not.toContain('errors');
  });
});
