// Runs before `npm start`, and before the package is packed. Builds the program if an input has changed since the last build. Where the compiler is
// not installed (npm install --omit=dev, npm prune) or the checkout cannot be written, the earlier build is used. If there is no earlier build either,
// this is an error, except with --where-possible, which `npm install` uses. With --force, which `npm run build` uses, it always builds. With --console it also builds the web console
// if that is out of date; a console that cannot be built is reported, and the service starts without it. With --first-console-aside, which `npm start`
// uses, a console that was never built is built while the service already runs: it serves the console when it is there.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildConsole, hasConsole } from './build-console.mjs';
import { vendorSwaggerUi } from './vendor-swagger-ui.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = 'node_modules/typescript/bin/tsc';
/** What benches import of the tests: an image is built without it, and no product needs it. */
const OF_TESTS = ['test/evaluation/dearest', 'test/features/flags/search/naive-search.ts', 'test/http/walks/worst-case', 'test/processes/soak'];
/** All files and folders of the checkout that a build reads. The lock file represents the installed packages. */
const INPUTS = [
  'src', 'bench', 'tools', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json',
  ...OF_TESTS.filter((path) => existsSync(root + path)),
];
/** Files and folders that a build creates. If one of them is missing, a build is needed. */
const OUTPUTS = ['dist/src/main.js', 'dist/packed/program/main.js', 'dist/vendor'];
const STAMP = `${root}dist/built-from`;

/** One hash of the names, sizes and times of all inputs. Computing it takes milliseconds; a build takes seconds. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    const isFolder = statSync(root + input).isDirectory();
    const files = isFolder ? readdirSync(root + input, { recursive: true }).sort().map((name) => `${input}/${name}`) : [input];
    for (const file of files) {
      const { size, mtimeMs } = statSync(root + file);
      hash.update(`${file}\0${size}\0${mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

function isBuiltFrom(inputs) {
  return OUTPUTS.every((output) => existsSync(root + output)) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs;
}

/** Removes compiled modules whose source was moved or removed: importing such a module must fail, as it does in a clean checkout. */
function removeStale() {
  for (const folder of ['src', 'bench', 'test'].filter((each) => existsSync(`${root}dist/${each}`))) {
    for (const name of readdirSync(`${root}dist/${folder}`, { recursive: true })) {
      if (name.endsWith('.js') && !existsSync(`${root}${folder}/${name.slice(0, -3)}.ts`)) rmSync(`${root}dist/${folder}/${name}`);
    }
  }
}

/** Why no build can be written; undefined if it can. */
function whyReadOnly() {
  try {
    const folders = ['dist', 'dist/src', 'dist/packed'].filter((folder) => existsSync(root + folder));
    for (const folder of folders.length > 0 ? folders : ['']) accessSync(root + folder, constants.W_OK);
    return undefined;
  } catch (error) {
    return error.code;
  }
}

/** Uses the earlier build, of other inputs, because a new one cannot be written. Without an earlier build, this is an error. */
function keepEarlierBuild(why) {
  const isBuilt = OUTPUTS.every((output) => existsSync(root + output));
  const next = isBuilt ? 'Burgee runs as it was built before' : 'it is not built, and cannot run. Build it as a user who may write there: npm run build';
  process.stderr.write(`The folder ${root} cannot be written (${why}): ${next}.\n`);
  if (!isBuilt || process.argv.includes('--force')) process.exitCode = 1;
}

if (existsSync(`${root}${compiler}`)) {
  const inputs = fingerprint();
  const why = process.argv.includes('--force') || !isBuiltFrom(inputs) ? whyReadOnly() : undefined;
  if (why !== undefined) keepEarlierBuild(why);
  else if (process.argv.includes('--force') || !isBuiltFrom(inputs)) {
    rmSync(STAMP, { force: true });
    const { status, error } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
    if (error) throw error;
    vendorSwaggerUi();
    process.exitCode = status ?? 1;
    if (status === 0) {
      removeStale();
      await import('./bundle.mjs');
      writeFileSync(STAMP, inputs);
    }
  }
} else if (process.argv.includes('--force') || !(existsSync(`${root}dist/packed/program/main.js`) || process.argv.includes('--where-possible'))) {
  process.stderr.write(
    'Burgee is not built yet, and the compiler is not installed. Build it once with all packages installed, then remove those that ' +
      'only the build needs:\n\n  npm install && npm run build && npm prune --omit=dev && npm start\n\n',
  );
  process.exitCode = 1;
}

if (process.argv.includes('--first-console-aside') && !process.exitCode && !hasConsole()) {
  process.stderr.write('The console is built while Burgee starts: it is there some seconds later.\n');
  spawn(process.execPath, [`${root}tools/build-console.mjs`], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }).unref();
} else if (process.argv.includes('--console') && !process.exitCode) {
  const problem = buildConsole();
  const rest = hasConsole() ? 'Burgee runs with the one that was built before' : 'Burgee runs without it';
  if (problem !== undefined) process.stderr.write(`The console cannot be built (${problem}): ${rest}. To build it later, run: npm run build\n`);
}
