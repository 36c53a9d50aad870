// newcomer: does with a fresh clone of this checkout what README.md asks of a new user, as a user that is not root: the first command, the first
// minute (the tokens of first-tokens.txt, the console, a flag, an SDK that reads it), Ctrl-C; with --test also the second command, which takes minutes.
//
//   newcomer [--test] [--trees bookworm,trixie] [--nodes 20,22,24,26]   in trees of Debian (.ci/on-debian), with Node from npm's packages; needs root
//   newcomer [--test] --here CLONE                                      on this system and this Node, in a temporary folder; CLONE is cloned
//
// Prints a line for each tree and Node with the seconds of each step, then a table (tree, Node, which front served, seconds until it served, result), then
// "N passed, N failed". Exit code 3: nothing could be tried.
// Changes that are not committed are not in a clone. DEBIAN_TREES keeps the trees, as for .ci/on-debian.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SERVE = 'npm install && npm start';
const TEST = 'npm install && npm test';
const SERVES = `${SERVE}, until /health is good`;
/** npm installs 600 MB first. */
const START_TIMEOUT_MS = 15 * 60_000;
const READY_TIMEOUT_MS = 60_000;
/** The first console is built beside the running service. */
const CONSOLE_TIMEOUT_MS = 10 * 60_000;
const STOP_TIMEOUT_MS = 60_000;
/** The line with which the part in the tree hands its result to the part outside. */
const RESULT = 'newcomer-result ';

const { values } = parseArgs({
  options: {
    test: { type: 'boolean', default: false }, here: { type: 'string' },
    trees: { type: 'string', default: 'bookworm,trixie' }, nodes: { type: 'string', default: '20,22,24,26' },
  },
});

class Failure extends Error {}

function demand(condition, message) {
  if (!condition) throw new Failure(message);
}

// ---- What a newcomer does -----------------------------------------------------------------------------------------------------------------------

async function here(source) {
  const folder = mkdtempSync(join(tmpdir(), 'burgee-newcomer-'));
  const result = { node: process.version, front: '', steps: {} };
  const step = async (name, work) => {
    const started = performance.now();
    process.stderr.write(`newcomer: ${name}\n`);
    result.doing = name;
    const output = await work();
    result.steps[name] = Math.round((performance.now() - started) / 1_000);
    return output;
  };
  try {
    const clone = join(folder, 'burgee');
    await step('clone', () => run('git', ['clone', '--quiet', source, clone], folder));
    const readme = readFileSync(join(clone, 'README.md'), 'utf8');
    for (const command of [SERVE, TEST]) demand(readme.includes(`\n${command} `), `README.md has no line "${command}"`);
    await firstCommand({ clone, folder, readme, step, result });
    result.megabytes = sizes(clone);
    if (values.test) await step('npm test', () => secondCommand(clone, result));
    delete result.doing;
  } catch (error) {
    result.problem = error instanceof Failure ? error.message : (error.stack ?? String(error));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return result;
}

/** The first command and the first minute. Whatever happens, nothing runs afterwards. */
async function firstCommand({ clone, folder, readme, step, result }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = startedInGroup(SERVE, clone, { HTTP_PORT: String(port) });
  try {
    await step(SERVES, () => service.until(() => answerOf(`${url}/health`), START_TIMEOUT_MS));
    result.front = await service.until(() => frontOf(url), READY_TIMEOUT_MS);
    const tokens = readFileSync(join(clone, 'data/first-tokens.txt'), 'utf8');
    const token = (kind) => new RegExp(`^ +${kind} +(\\S+)$`, 'm').exec(tokens)?.[1];
    for (const kind of ['admin', 'client', 'frontend']) demand(token(kind), `first-tokens.txt has no ${kind} token`);
    await step('a flag over HTTP', () => makeFlag(url, token('admin')));
    await step('an SDK reads it', () => readBySdk(join(folder, 'app'), readme, url, token('client')));
    await step('the console', () => service.until(() => consoleAt(url), CONSOLE_TIMEOUT_MS));
    await step('Ctrl-C', () => service.interrupt(url));
  } finally {
    service.kill();
  }
}

/** Which HTTP front serves, as /ready says. Undefined while it is not ready. */
async function frontOf(url) {
  const ready = await answerOf(`${url}/ready`);
  if (ready === undefined) return undefined;
  const { front } = JSON.parse(ready);
  demand(front !== undefined, '/ready does not say which HTTP front serves');
  return front;
}

async function makeFlag(url, admin) {
  const flags = `${url}/api/admin/projects/default/features`;
  const headers = { authorization: admin, 'content-type': 'application/json' };
  const made = await fetch(flags, { method: 'POST', headers, body: '{"name":"hello"}' });
  demand(made.status === 201, `creating a flag is answered ${made.status}`);
  const switched = await fetch(`${flags}/hello/environments/development/on`, { method: 'POST', headers });
  demand(switched.ok, `switching it on is answered ${switched.status}`);
}

/** The program of README.md, with this address and token, and the SDK that `npm install unleash-client` installs. */
async function readBySdk(folder, readme, url, client) {
  const [, snippet = ''] = /```js\n([\s\S]*?unleash-client[\s\S]*?)```/.exec(readme) ?? [];
  demand(snippet.includes('http://localhost:4242/') && snippet.includes('*:development.my-client-secret'), 'the snippet of README.md has another address or token');
  mkdirSync(folder);
  writeFileSync(join(folder, 'hello.mjs'), snippet.replace('http://localhost:4242', url).replace('*:development.my-client-secret', client));
  run('npm', ['install', '--silent', 'unleash-client'], folder);
  const sdk = startedInGroup('node hello.mjs', folder, {});
  try {
    await sdk.until(() => /^(true|false)$/m.test(sdk.output()), 60_000);
    demand(/^true$/m.test(sdk.output()), `the SDK says ${sdk.output()}`);
  } finally {
    sdk.kill();
  }
}

/** Whether the console's page and its script are answered. */
async function consoleAt(url) {
  const page = await answerOf(`${url}/`);
  const [, script] = /src="(\/[^"]+\.js)"/.exec(page ?? '') ?? [];
  return script !== undefined && (await answerOf(url + script)) !== undefined;
}

/** The text of a good answer, undefined if there is none. */
async function answerOf(url) {
  try {
    const answer = await fetch(url);
    const text = await answer.text();
    return answer.ok ? text : undefined;
  } catch {
    return undefined;
  }
}

async function secondCommand(clone, result) {
  const tests = startedInGroup(TEST, clone, {}, process.stderr);
  const status = await tests.ended;
  tests.kill();
  const output = tests.output().replace(/\x1b\[[0-9;]*m/g, '');
  result.tests = output.match(/^\d+ passed, \d+ failed$/gm)?.at(-1);
  result.failing = [...new Set([...output.matchAll(/^ *FAIL +(?:\|?[a-z]+\|? +)?(test\/.*)/gm)].map(([, name]) => name))];
  demand(result.tests !== undefined, `npm test ended with ${status}:\n${output.slice(-3_000)}`);
  demand(status === 0, `npm test: ${result.tests}\n${result.failing.map((name) => `      ${name}`).join('\n')}`);
}

/**
 * Starts a command line as a terminal does: in a process group of its own, which gets signals as a whole. What it writes is kept, and also written to
 * `shown`: a run of minutes shows where it is.
 */
function startedInGroup(line, cwd, environment, shown) {
  const child = spawn('sh', ['-c', line], { cwd, env: { ...process.env, ...environment }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-2_000_000);
      shown?.write(text);
    });
  }
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const kill = (signal = 'SIGKILL') => {
    try {
      process.kill(-child.pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  };
  return {
    ended, kill, output: () => output,
    async until(isSo, timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      for (;;) {
        const answer = await isSo();
        if (answer) return answer;
        demand(!hasEnded, `"${line}" ended with ${await Promise.race([ended, ''])}:\n${output.slice(-3_000)}`);
        demand(performance.now() < deadline, `"${line}" is not ready after ${timeoutMs / 60_000} minutes:\n${output.slice(-3_000)}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    /** Ctrl-C: afterwards nothing answers any more. */
    async interrupt(url) {
      kill('SIGINT');
      const isLate = Symbol('late');
      const end = await Promise.race([ended, new Promise((resolve) => setTimeout(() => resolve(isLate), STOP_TIMEOUT_MS).unref())]);
      demand(end !== isLate, 'it still runs a minute after Ctrl-C');
      demand((await answerOf(`${url}/health`)) === undefined, 'it still answers after Ctrl-C');
    },
  };
}

function run(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e8 });
  if (error) throw error;
  demand(status === 0, `${command} ${args.slice(0, 2).join(' ')} ended with ${status}: ${stderr.slice(-2_000)}`);
  return stdout;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** What the first command leaves on disk, in millions of bytes. */
function sizes(clone) {
  const uws = join(clone, 'node_modules/uWebSockets.js');
  const own = `uws_${process.platform}_${process.arch}_${process.versions.modules}.node`;
  const of = (...paths) => Math.round(paths.reduce((sum, path) => sum + bytesBelow(path), 0) / 1e6);
  const foreign = readdirSync(uws).filter((name) => name.endsWith('.node') && name !== own);
  const parts = { total: [clone], packages: [join(clone, 'node_modules')], 'of the console': [join(clone, 'console/node_modules')] };
  const counted = Object.fromEntries(Object.entries(parts).map(([name, paths]) => [name, of(...paths)]));
  return { ...counted, 'HTTP binaries of other machines': of(...foreign.map((name) => join(uws, name))) };
}

function bytesBelow(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat?.size ?? 0;
  return readdirSync(path).reduce((sum, name) => sum + bytesBelow(join(path, name)), 0);
}

// ---- In trees -----------------------------------------------------------------------------------------------------------------------------------

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const USER = 'newcomer';
const UID = 4242;

async function inTrees() {
  if (spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: ROOT }).status !== 0) {
    console.log('--    this folder is no clone of git, so nobody can clone it');
    return [];
  }
  const { enter, npmOfThisMachine } = await import('./run-dockerfile.mjs');
  const kept = process.env.DEBIAN_TREES;
  const trees = kept ?? mkdtempSync(join(tmpdir(), 'burgee-trees-'));
  if (spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }).stdout) console.log('--    there are changes that are not committed: a clone does not have them');
  const results = [];
  try {
    for (const tree of values.trees.split(',')) {
      for (const node of values.nodes.split(',')) {
        const result = inTree({ enter, npmOfThisMachine }, trees, tree, node);
        if (result === undefined) continue;
        results.push({ tree, ...result });
        console.log(lineOf(tree, result));
      }
    }
  } finally {
    if (kept === undefined) rmSync(trees, { recursive: true, force: true });
  }
  return results;
}

function inTree({ enter, npmOfThisMachine }, trees, tree, node) {
  const made = spawnSync(join(ROOT, '.ci/on-debian'), [tree, node], { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, DEBIAN_TREES: trees, TREE_ONLY: 'true' } });
  if (made.status === 3) return undefined;
  if (made.status !== 0) return { node: `v${node}`, problem: `the tree cannot be made (${made.status})`, steps: {} };
  const root = join(trees, tree);
  const home = join(root, 'home', USER);
  const { giveBack, environment, mounts } = npmOfThisMachine(root, { withCache: false });
  try {
    addUser(root);
    rmSync(home, { recursive: true, force: true });
    mkdirSync(home);
    copyFileSync(fileURLToPath(import.meta.url), join(home, 'newcomer.mjs'));
    run('git', ['clone', '--quiet', '--bare', ROOT, join(home, 'source.git')], ROOT);
    run('chown', ['-R', `${UID}:${UID}`, home], ROOT);
    const image = { root, workdir: `/home/${USER}`, user: `${UID}:${UID}`, env: {} };
    const settings = { ...environment, PATH: `/opt/node-${node}/bin:/usr/bin:/bin`, HOME: `/home/${USER}`, LANG: 'C.UTF-8' };
    const command = ['node', 'newcomer.mjs', ...(values.test ? ['--test'] : []), '--here', `/home/${USER}/source.git`];
    const { stdout } = spawnSync(...enter(image, command, { environment: settings, mounts }), { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1e8 });
    const line = stdout.split('\n').find((each) => each.startsWith(RESULT));
    return line ? JSON.parse(line.slice(RESULT.length)) : { node: `v${node}`, problem: `it ended without a result:\n${stdout.slice(-2_000)}`, steps: {} };
  } finally {
    giveBack();
    rmSync(home, { recursive: true, force: true });
  }
}

function addUser(root) {
  const file = join(root, 'etc/passwd');
  const users = readFileSync(file, 'utf8');
  if (!users.includes(`\n${USER}:`)) writeFileSync(file, `${users}${USER}:x:${UID}:${UID}::/home/${USER}:/bin/sh\n`);
}

// ---- Output -------------------------------------------------------------------------------------------------------------------------------------

function lineOf(where, { node, front, steps, megabytes, tests, doing, problem }) {
  const seconds = Object.entries(steps).map(([name, each]) => `${name} ${each} s`);
  const disk = Object.entries(megabytes ?? {}).map(([name, each]) => `${name} ${each} MB`);
  const facts = [front && `front ${front}`, ...seconds, disk.length > 0 && `disk: ${disk.join(', ')}`, tests && `npm test: ${tests}`];
  return `${problem ? 'FAIL ' : 'ok   '} ${where}, Node ${node}: ${facts.filter(Boolean).join('; ')}${problem ? `\n      ${doing ?? ''}: ${problem}` : ''}`;
}

function tableOf(results) {
  const rows = results.map(({ tree, node, front, steps, tests, problem }) => {
    const all = Object.values(steps).reduce((sum, each) => sum + each, 0);
    return [tree, node, front || '-', `${steps[SERVES] ?? '-'}`, `${all}`, ...(values.test ? [tests ?? '-'] : []), problem ? 'failed' : 'passed'];
  });
  const head = ['tree', 'Node', 'front', 'serves after s', 'all s', ...(values.test ? ['npm test'] : []), 'result'];
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((cells) => cells[at].length)));
  return [head, ...rows].map((cells) => cells.map((cell, at) => cell.padEnd(widths[at])).join('  ').trimEnd()).join('\n');
}

if (values.here !== undefined) {
  const result = await here(values.here);
  console.log(lineOf(existsSync('/etc/os-release') ? (/^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'here') : process.platform, result));
  console.log(RESULT + JSON.stringify(result));
  process.exitCode = result.problem ? 1 : 0;
} else {
  const results = await inTrees();
  const failed = results.filter(({ problem }) => problem).length;
  if (results.length === 0) {
    console.log('NOT RUN: nothing can be tried here');
    process.exitCode = 3;
  } else {
    console.log(`\n${tableOf(results)}\n\n${results.length - failed} passed, ${failed} failed`);
    process.exitCode = failed > 0 ? 1 : 0;
  }
}
