// Runs before `npm start`, and before the package is packed. Builds the program if an input has changed since the last build. Where the compiler is
// not installed (npm install --omit=dev, npm prune), the earlier build is used. If there is no earlier build either, this is an error, except with
// --where-possible, which `npm install` uses. With --force, which `npm run build` uses, it always builds. With --console it also builds the web console
// if that is out of date; a console that cannot be built is reported, and the service starts without it. With --first-console-aside, which `npm start`
// uses, a console that was never built is built while the service already runs: it serves the console when it is there.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildConsole, hasConsole } from './build-console.mjs';
import { vendorSwaggerUi } from './vendor-swagger-ui.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = 'node_modules/typescript/bin/tsc';
/** All files and folders of the checkout that a build reads. The lock file represents the installed packages. */
const INPUTS = ['src', 'bench', 'tools', 'package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
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
  for (const folder of ['src', 'bench']) {
    for (const name of readdirSync(`${root}dist/${folder}`, { recursive: true })) {
      if (name.endsWith('.js') && !existsSync(`${root}${folder}/${name.slice(0, -3)}.ts`)) rmSync(`${root}dist/${folder}/${name}`);
    }
  }
}

if (existsSync(`${root}${compiler}`)) {
  const inputs = fingerprint();
  if (process.argv.includes('--force') || !isBuiltFrom(inputs)) {
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
  if (problem !== undefined) process.stderr.write(`The console cannot be built (${problem}): Burgee runs without it. To build it later, run: npm run build\n`);
}
