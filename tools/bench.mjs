// bench: builds the service, and runs a benchmark.
//
//   npm run bench                                   the names of all
//   npm run bench -- http                           bench/http.bench.ts; what follows the name is for it
//   npm run bench -- all                            those of docs/reference/tables/figures.md, one after the other, and writes that table
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const names = readdirSync(`${ROOT}bench`).flatMap((file) => /^(.*)\.bench\.ts$/.exec(file)?.[1] ?? []);
/** Benchmarks that use the built console in Chromium. */
const IN_BROWSER = ['console'];

const [name = '', ...args] = process.argv.slice(2);
if (!names.includes(name)) {
  process.stderr.write(`usage: npm run bench -- NAME\n\n${names.join(' ')}\n`);
  process.exit(2);
}

function run(...words) {
  const { status } = spawnSync(process.execPath, words, { cwd: ROOT, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (IN_BROWSER.includes(name)) run('test/support/programs/ensure-chromium.mjs', '--required');
run('tools/ensure-built.mjs', '--force', ...(IN_BROWSER.includes(name) ? ['--console'] : []));
const script = `${ROOT}dist/bench/${name}.bench.js`;
process.argv.splice(1, process.argv.length, script, ...args);
await import(pathToFileURL(script).href);
