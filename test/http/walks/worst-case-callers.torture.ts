import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../../src/features/registry.ts';
import type { Measured } from './worst-case/measure.ts';

/** The requests are large: the client, not the service, collects garbage less often. */
const ROOMY = '--max-semi-space-size=64';
const SCRIPT = fileURLToPath(new URL('../../../dist/bench/worst-case.bench.js', import.meta.url));

/** Processor time of the loop's thread in one turn: two and a half times the service's own limit. `worst-case.torture.ts` explains why. */
const BAR_MS = 25;

const lines = new Map<string, readonly Measured[]>();

beforeAll(async () => {
  const settings = { BENCH_FLAGS: '500', BENCH_STRATEGIES: '3', BENCH_BAR_MS: `${BAR_MS}`, BENCH_TRIES: '10' };
  const env = { ...process.env, BENCH_JSON: '1', BENCH_QUICK: '1', ...settings };
  const child = spawn(process.execPath, [ROOMY, SCRIPT, '--callers'], { stdio: ['ignore', 'pipe', 'inherit'], env });
  for await (const text of createInterface({ input: child.stdout })) {
    const { operationId, results } = JSON.parse(text) as { operationId: string; results: readonly Measured[] };
    lines.set(operationId, results);
  }
}, 1_200_000);

describe('on a state with many people, environments and private projects', () => {
  it.each(endpoints.map(({ operationId }) => operationId))(
    '%s blocks the event loop for no longer than the limit, for every kind of caller',
    (operationId) => {
      const results = lines.get(operationId) ?? [];
      expect(results.length).toBeGreaterThan(0);
      expect(results.filter(({ ownMs }) => ownMs > BAR_MS)).toEqual([]);
    },
  );
});
