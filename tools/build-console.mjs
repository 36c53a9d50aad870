// Builds the web console (console/) into dist/console, if an input has changed since the last build. Its packages are installed in console/, because
// nothing that runs needs them. The scripts, style sheets and pictures are compressed here, so that a start of the service compresses nothing.
//
// As a program: `build-console` builds, and fails if it cannot; `build-console SCRIPT` installs the packages and runs that script of console/.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = `${root}console`;
/** Everything that a build reads. The lock file represents the installed packages. */
const INPUTS = ['src', 'tools', 'index.html', 'package.json', 'package-lock.json', 'tsconfig.json', 'vite.config.ts'].map((name) => `console/${name}`);
const ALSO = ['openapi.json', 'tools/build-console.mjs'];
/** Written by the build from openapi.json. */
const GENERATED = 'console/src/api/schema.d.ts';
const BUILT = `${root}dist/console`;
const PAGE = `${BUILT}/index.html`;
/** Exists while a build runs: two at a time would install packages into one folder. */
const BUILDING = `${root}dist/.console-build`;
/** The build is made here, and moved when it is complete: a service that runs may look for it at any moment. */
const UNFINISHED = `${BUILDING}/console`;
/** What is older belongs to a build that was killed. */
const BUILD_TIME_MAX_MS = 10 * 60_000;
/** Beside the built folder, because everything in that folder is served. */
const STAMP = `${root}dist/console-built-from`;
const COMPRESSED = /\.(js|css|svg|json|txt)$/;
/** A machine without a network gets an answer after seconds, not minutes. */
const PATIENCE = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--prefer-offline'];

/** One hash of the content of all inputs: a generated file that was written again with the same content is no change. */
function fingerprint() {
  const hash = createHash('sha256');
  for (const input of [...INPUTS, ...ALSO]) {
    if (!existsSync(root + input)) continue;
    const isFolder = statSync(root + input).isDirectory();
    const names = isFolder ? readdirSync(root + input, { recursive: true }).sort().map((name) => `${input}/${name}`) : [input];
    for (const name of names) {
      if (name === GENERATED || statSync(root + name).isDirectory()) continue;
      hash.update(`${name}\0`).update(readFileSync(root + name)).update('\0');
    }
  }
  return hash.digest('hex');
}

function npm(args, stdio) {
  // Settings of the npm that runs this script are for the packages of the service.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_(config_(omit|include|production|prefix|local_prefix|workspace)|lifecycle|package)/i.test(name)));
  const { status, error, stderr } = spawnSync('npm', args, { cwd: folder, env: { ...env, NODE_ENV: '', NO_COLOR: '1', FORCE_COLOR: '0' }, encoding: 'utf8', stdio });
  if (status === 0) return;
  const code = /^npm error code (\S.*)/m.exec(stderr ?? '')?.[1];
  // What is wrong in the sources needs more than a line.
  if (args[0] === 'run') process.stderr.write(stderr ?? '');
  throw new Error(`npm ${args[0]}: ${error?.message ?? code ?? `it ended with ${status}`}`);
}

/** Installs the packages of the console, unless those of its lock file are installed. */
function install() {
  const installed = `${folder}/node_modules/.package-lock.json`;
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${folder}/package-lock.json`).mtimeMs) return;
  process.stderr.write('Installing the packages that build the console.\n');
  npm(['ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', ...PATIENCE], ['ignore', 'ignore', 'pipe']);
}

/** Writes the compressed forms of each file beside it. Files that do not become smaller have none. */
function compress() {
  const assets = `${UNFINISHED}/assets/`;
  for (const name of readdirSync(assets)) {
    if (!COMPRESSED.test(name)) continue;
    const bytes = readFileSync(assets + name);
    const brotli = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } });
    for (const [ending, packed] of [['.gz', gzipSync(bytes, { level: 9 })], ['.br', brotli]]) {
      if (packed.length < bytes.length) writeFileSync(assets + name + ending, packed);
    }
  }
}

/** Returns the process that builds the console now; undefined if this process may build it. */
function otherBuilder() {
  try {
    mkdirSync(`${root}dist`, { recursive: true });
    mkdirSync(BUILDING);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const pid = existsSync(`${BUILDING}/pid`) ? Number(readFileSync(`${BUILDING}/pid`, 'utf8')) : undefined;
    if (Date.now() - statSync(BUILDING).mtimeMs < BUILD_TIME_MAX_MS && (pid === undefined || isAlive(pid))) return pid ?? 'another one';
    rmSync(BUILDING, { recursive: true, force: true });
    mkdirSync(BUILDING);
  }
  writeFileSync(`${BUILDING}/pid`, String(process.pid));
  return undefined;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Whether there is a built console, of any inputs, or there are no sources for one. */
export function hasConsole() {
  return existsSync(PAGE) || !existsSync(`${folder}/package.json`);
}

/** Returns why the console is not built; undefined if it is built from the present inputs. */
export function buildConsole() {
  if (!existsSync(`${folder}/package.json`)) return existsSync(PAGE) ? undefined : 'its sources are not here';
  const inputs = fingerprint();
  if (existsSync(PAGE) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === inputs) return undefined;
  try {
    const other = otherBuilder();
    if (other !== undefined) return `process ${other} builds it now`;
  } catch (error) {
    return error.message;
  }
  try {
    rmSync(STAMP, { force: true });
    install();
    process.stderr.write('Building the console.\n');
    npm(['run', 'build', '--silent', '--', '--outDir', UNFINISHED], ['ignore', 'ignore', 'pipe']);
    compress();
    rmSync(BUILT, { recursive: true, force: true });
    renameSync(UNFINISHED, BUILT);
    writeFileSync(STAMP, inputs);
    return undefined;
  } catch (error) {
    return error.message;
  } finally {
    rmSync(BUILDING, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [script] = process.argv.slice(2);
  if (script === undefined) {
    const problem = buildConsole();
    if (problem !== undefined) process.stderr.write(`The console cannot be built: ${problem}. To build it later, run: npm run build\n`);
    process.exitCode = problem === undefined ? 0 : 1;
  } else {
    install();
    const { status } = spawnSync('npm', ['run', '--silent', script, '--', ...process.argv.slice(3)], { cwd: folder, stdio: 'inherit' });
    process.exitCode = status ?? 1;
  }
}
