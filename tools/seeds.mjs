// seeds: runs the tests of `npm test` that have random cases with other seeds than that of the commit. What fails is a fault of the code or of the test.
//
//   npm run test:seeds                                20 seeds that nobody has tried, drawn now
//   npm run test:seeds -- --count 3 --first 100       the seeds 100, 101, 102
//   npm run test:seeds -- test/evaluation             only files whose path has this text
//
// Prints a line for each seed, with the tests that failed, then "N passed, N failed". BURGEE_SEED repeats one: BURGEE_SEED=100 npm test.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string', default: '20' }, first: { type: 'string' } },
});
const count = Number(values.count);
const first = Number(values.first ?? randomInt(2 ** 30));
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(first)) {
  console.error('seeds: --count and --first are whole numbers');
  process.exit(2);
}

const total = { passed: 0, failed: 0 };
for (let seed = first; seed < first + count; seed++) {
  const env = { ...process.env, BURGEE_SEED: String(seed), TEST_SCOPE: 'seeds', NO_COLOR: '1' };
  const run = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...positionals], {
    cwd: ROOT,
    env,
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  const output = `${run.stdout}\n${run.stderr}`;
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(run.stdout) ?? [undefined, '0', '1'];
  total.passed += Number(passed);
  total.failed += run.status === 0 ? 0 : Math.max(1, Number(failed));
  console.log(`${run.status === 0 ? 'ok   ' : 'FAILS'} seed ${seed}: ${passed} passed, ${failed} failed`);
  if (run.status === 0) continue;
  for (const name of new Set(output.match(/^ *FAIL .*$/gm) ?? output.split('\n').slice(-20))) console.log(`      ${name.trim()}`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);
