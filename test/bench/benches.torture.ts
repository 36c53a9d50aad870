import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Readers } from '../../bench/streams/readers.ts';
import { bytesOfChange, eventOf } from '../../bench/streams/sending.ts';
import { Connection, requestBytes, targetOf } from '../../bench/support/connection.ts';
import { freePort } from '../../bench/support/free-port.ts';
import { type Figure, JSON_PREFIX, type Report } from '../../bench/support/report.ts';
import { startProcess, untilReady } from '../../bench/support/service.ts';

const built = (path: string) => fileURLToPath(new URL(`../../dist/bench/${path}`, import.meta.url));

async function figuresOf(script: string, env: Readonly<Record<string, string>>): Promise<readonly Figure[]> {
  const child = spawn(process.execPath, [built(script)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, BENCH_JSON: '1', ...env },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += String(chunk);
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  const line = output.split('\n').find((each) => each.startsWith(JSON_PREFIX)) ?? '';
  return (JSON.parse(line.slice(JSON_PREFIX.length)) as Report).figures;
}

describe('the benches', () => {
  it('send all requests of a fleet before the first answer, and the baseline sends as many bytes as the service', async () => {
    const port = await freePort();
    const bare = await startProcess(built('support/floor.js'), [String(port), 'streams'], {}, port);
    const readers = new Readers(bare.url, '/stream');
    const target = targetOf(bare.url);
    const poster = new Connection(target);
    try {
      await untilReady(bare);
      const { ms, waiting } = await readers.open(bare, 450);
      expect([ms.length, waiting]).toEqual([450, 450]);
      for (const bytes of [100, 267, 444, 4_200]) {
        const post = requestBytes('POST', target, '/tell', {}, eventOf(bytes));
        expect(await bytesOfChange({ server: bare, readers, cause: () => poster.ask(post) })).toBe(bytes);
      }
    } finally {
      readers.close();
      poster.close();
      await bare.end();
    }
  });

  it('have stalled readers that the service waits for', async () => {
    const env = { BENCH_PARTS: 'stalled', BENCH_STREAMS: '30', BENCH_FLAGS: '10', BENCH_ROUNDS: '3' };
    const figures = await figuresOf('streams.bench.js', env);
    const [, owed, took] =
      /each owed ([\d.]+) MB, of which the kernel took ([\d.]+) MB/.exec(figures[0]?.name ?? '') ?? [];
    expect(Number(owed)).toBeGreaterThan(Number(took));
    expect(Number(took)).toBeGreaterThan(0);
  });

  it('connect all streams and browsers at once, and reconnect them', async () => {
    const env = { BENCH_PARTS: 'streams,browsers', BENCH_STREAMS: '30', BENCH_FLAGS: '10', BENCH_ROUNDS: '2' };
    const names = (await figuresOf('streams.bench.js', env)).map(({ name }) => name);
    const fleets = names.filter((name) => name.includes('(30 had asked before the first was answered)'));
    expect(fleets.map((name) => name.slice(0, name.indexOf(' (30')))).toEqual([
      '30 streams at once',
      '30 streams come back at once (Last-Event-ID), one flag has changed',
      '30 browsers at once, each with answers of its own',
      '30 browsers come back at once (Last-Event-ID), nothing has changed',
    ]);
  });
});
