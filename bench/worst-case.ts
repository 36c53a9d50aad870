import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeFlags } from './support/flags.ts';
import { startProbedService } from './support/probed.ts';
import { setting } from './support/report.ts';
import { dearest, type Measured, measureOperation, prepareBench } from './worst-case/measure.ts';
import { BAR_MS, worstCaseDocument } from './worst-case/table.ts';

/**
 * `npm run bench:worst-case [operationId…]`: the longest hold of every operation; without names, writes docs/worst-case.md. With BENCH_JSON it prints
 * one line of JSON an operation instead, for `test/http/worst-case.test.ts`; with BENCH_QUICK it tries fewer kinds of constraints. What is above BENCH_BAR_MS
 * is tried BENCH_TRIES times.
 */
const DOCUMENT = fileURLToPath(new URL('../../docs/worst-case.md', import.meta.url));
const asked = process.argv.slice(2);
const barMs = setting('BENCH_BAR_MS', BAR_MS);
const tries = setting('BENCH_TRIES', 3);
const features = makeFlags(setting('BENCH_FLAGS', 10_000), { seed: 1 });
const env = { SECRETS_KEY: 'a key that seals nothing but what is measured' };
const service = await startProbedService(features, { snapshot: true, env });
try {
  process.stderr.write('making the most expensive state that the limits allow\n');
  const bench = await prepareBench(
    service,
    features.map(({ name }) => name),
  );
  const all: Measured[] = [];
  for (const operation of bench.operations) {
    if (asked.length > 0 && !asked.includes(operation.operationId)) continue;
    const results = dearest(
      await measureOperation(bench, operation, barMs, tries).catch((error: unknown) => {
        process.stderr.write(`${operation.operationId}: ${String(error).slice(0, 300)}\n`);
        return [];
      }),
    );
    all.push(...results);
    if (process.env.BENCH_JSON) {
      process.stdout.write(`${JSON.stringify({ operationId: operation.operationId, results })}\n`);
      continue;
    }
    if (results.length > 0 && results.every(({ status }) => status >= 400))
      process.stdout.write(`REFUSED: ${results[0]?.refusal}\n`);
    for (const { operationId, what, status, ownMs, readersOwnMs } of results)
      process.stdout.write(
        `${ownMs.toFixed(1).padStart(8)} ms ${readersOwnMs.toFixed(1).padStart(8)} ms  ${operationId} ${status}: ${what}\n`,
      );
  }
  if (asked.length === 0 && !process.env.BENCH_JSON)
    writeFileSync(DOCUMENT, worstCaseDocument(all, new Date().toISOString().slice(0, 10)));
} finally {
  await service.end();
}
