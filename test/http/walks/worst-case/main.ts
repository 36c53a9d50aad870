import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { makeFlags } from '../../../../bench/support/flags.ts';
import { startProbedService } from '../../../../bench/support/probed.ts';
import { setting } from '../../../../bench/support/report.ts';
import { measureCallers } from './callers.ts';
import { dearest, type Measured, measureOperation, prepareBench } from './measure.ts';
import { peopleSeeds, WIDE, WIDEST } from './people.ts';
import { BAR_MS, callersDocument, worstCaseDocument } from './table.ts';

/**
 * `npm run bench -- worst-case [operationId…]` measures the longest time for which every operation blocks the event loop: first with the most expensive
 * requests and flags, then on a state with many users and environments, by every kind of caller. Without names it writes docs/reference/tables/worst-case.md and
 * docs/reference/tables/worst-case-callers.md. `--requests` or `--callers` runs only one of the two parts. With BENCH_JSON it prints one line of JSON per operation instead,
 * for `test/http/worst-case*.torture.ts`. With BENCH_QUICK it tries fewer kinds of constraints and a smaller state. A result above BENCH_BAR_MS is measured
 * up to BENCH_TRIES times.
 */
const asked = process.argv.slice(2).filter((one) => !one.startsWith('--'));
const barMs = setting('BENCH_BAR_MS', BAR_MS);
const tries = setting('BENCH_TRIES', 3);
const features = makeFlags(setting('BENCH_FLAGS', 10_000), { seed: 1 });
const SECRETS_KEY = 'a key that seals nothing but what is measured';
/** The measured requests create more environments, projects and roles, so the limits must allow them. */
const ROOM = { UNLEASH_ENVIRONMENTS_LIMIT: '200', UNLEASH_PROJECTS_LIMIT: '5000', PROJECT_ROLES_LIMIT: '200000' };

const width = process.env.BENCH_QUICK ? WIDE : WIDEST;

const PARTS = {
  requests: {
    start: { snapshot: true, env: { SECRETS_KEY } },
    measure: measureOperation,
    document: 'worst-case.md',
    write: worstCaseDocument,
  },
  callers: {
    start: { snapshot: true, env: { SECRETS_KEY, ...ROOM }, more: peopleSeeds(width) },
    measure: measureCallers,
    document: 'worst-case-callers.md',
    write: (results: readonly Measured[], date: string) => callersDocument(results, date, width),
  },
};

async function run({ start, measure }: (typeof PARTS)[keyof typeof PARTS]): Promise<Measured[]> {
  const all: Measured[] = [];
  const service = await startProbedService(features, start);
  try {
    process.stderr.write('making the most expensive state that the limits allow\n');
    const bench = await prepareBench(
      service,
      features.map(({ name }) => name),
    );
    for (const operation of bench.operations) {
      if (asked.length > 0 && !asked.includes(operation.operationId)) continue;
      const results = dearest(
        await measure(bench, operation, barMs, tries).catch((error: unknown) => {
          process.stderr.write(`${operation.operationId}: ${String(error).slice(0, 300)}\n`);
          return [];
        }),
      );
      all.push(...results);
      print(operation.operationId, results);
    }
  } finally {
    await service.end();
  }
  return all;
}

function print(operationId: string, results: readonly Measured[]): void {
  if (process.env.BENCH_JSON) {
    process.stdout.write(`${JSON.stringify({ operationId, results })}\n`);
    return;
  }
  if (results.length > 0 && results.every(({ status }) => status >= 400))
    process.stdout.write(`REFUSED: ${results[0]?.refusal}\n`);
  for (const { what, status, ownMs, readersOwnMs } of results)
    process.stdout.write(
      `${ownMs.toFixed(1).padStart(8)} ms ${readersOwnMs.toFixed(1).padStart(8)} ms  ${operationId} ${status}: ${what}\n`,
    );
}

for (const [name, part] of Object.entries(PARTS)) {
  if (Object.keys(PARTS).some((other) => other !== name && process.argv.includes(`--${other}`))) continue;
  const results = await run(part);
  if (asked.length > 0 || process.env.BENCH_JSON) continue;
  const file = fileURLToPath(new URL(`../../../../../docs/reference/tables/${part.document}`, import.meta.url));
  writeFileSync(file, part.write(results, new Date().toISOString().slice(0, 10)));
}
