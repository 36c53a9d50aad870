// Runs a real Unleash to compare Burgee with: unleash-server from npm on its own PostgreSQL, both in a temporary folder and on free ports of the
// loopback interface. Both are ended by their process ids. Unleash is AGPL: it is run here, never read, and never in package.json.
//
//   npm run peer                 runs the tests of test/peer against Unleash
//   npm run peer -- --serve      runs Unleash until Ctrl-C, and prints its address and tokens as variables of a shell
//
// POST $PEER_CONTROL/stop or /kill ends only Unleash, as an operator or a crash does; /start starts Unleash again, on the same port and with the same data.
// /start-secure starts it with secure tokens, of which it stores and shows only a part.
//
// BURGEE_PEER_DIR keeps the installed packages for the next run. BURGEE_PEER_VERSION selects another version than 8.2: the tests of migration work
// with version 4 and newer (npm run peer -- test/peer/migrate-peer.ts). If a program cannot be installed, this script says so and ends with exit code 3.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { constants, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const UNLEASH_VERSION = process.env.BURGEE_PEER_VERSION ?? '8.2.0';
/** The major version of Node that Unleash needs. Unleash before version 8 also runs on Node 20. */
const NODE_MAJOR = Number(UNLEASH_VERSION.split('.')[0]) >= 8 ? 24 : 20;
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 10_000;
/** Maximum time of one call of npm or apt-get. A registry that does not answer in this time counts as unavailable. */
const INSTALL_TIMEOUT_MS = 480_000;

/** A program cannot be installed or run on this machine. This is not a failure of Burgee. */
export class Unobtainable extends Error {}

/**
 * Starts PostgreSQL and Unleash. `stop()` ends both and removes their data; `stopServer()` and `startServer()` end and start only Unleash.
 * @param {{ folder?: string, log?: (line: string) => void, environment?: Record<string, string> }} options
 */
export async function startPeer({ folder = process.env.BURGEE_PEER_DIR, log = () => {}, environment = {} } = {}) {
  const packages = folder ?? mkdtempSync(join(tmpdir(), 'burgee-peer-'));
  mkdirSync(packages, { recursive: true });
  const data = mkdtempSync(join(tmpdir(), 'burgee-peer-data-'));
  const undo = [() => rmSync(data, { recursive: true, force: true })];
  if (folder === undefined) undo.push(() => rmSync(packages, { recursive: true, force: true }));
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step();
  };
  try {
    const installed = installServer(packages, log);
    const postgres = await startPostgres(data, log);
    undo.push(postgres.stop);
    const port = await freePort();
    const adminToken = `*:*.${randomBytes(16).toString('hex')}`;
    const adminPassword = randomBytes(12).toString('base64url');
    const settings = {
      DATABASE_URL: postgres.url,
      DATABASE_SSL: 'false',
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: String(port),
      UNLEASH_URL: `http://127.0.0.1:${port}`,
      INIT_ADMIN_API_TOKENS: adminToken,
      UNLEASH_DEFAULT_ADMIN_PASSWORD: adminPassword,
      CHECK_VERSION: 'false',
      SEND_TELEMETRY: 'false',
      LOG_LEVEL: 'warn',
      ...environment,
    };
    const url = `http://127.0.0.1:${port}`;
    let server = await startServer(installed, settings, url, log);
    undo.push(() => server.stop());
    const peer = { url, adminToken, adminPassword, databaseUrl: postgres.url, psql: postgres.psql, pid: server.pid, stop };
    return {
      ...peer,
      lastOutput: () => server.lastOutput(),
      stopServer: (signal) => server.stop(signal),
      async startServer(more = {}) {
        server = await startServer(installed, { ...settings, ...more }, url, log);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function installServer(folder, log) {
  const modules = join(folder, 'node_modules');
  const wanted = [`unleash-server@${UNLEASH_VERSION}`];
  const own = Number(process.versions.node.split('.')[0]);
  if (own < NODE_MAJOR) wanted.push(`node@${NODE_MAJOR}`);
  const node = own < NODE_MAJOR ? join(modules, 'node', 'bin', 'node') : process.execPath;
  const manifest = join(modules, 'unleash-server', 'package.json');
  const isThere = () => existsSync(manifest) && existsSync(node);
  if (!isThere() || JSON.parse(readFileSync(manifest, 'utf8')).version !== UNLEASH_VERSION) {
    log(`installing ${wanted.join(' and ')} (minutes)`);
    if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const { status, stderr, error } = spawnSync('npm', ['install', '--no-audit', '--no-fund', ...wanted], {
      cwd: folder,
      encoding: 'utf8',
      timeout: INSTALL_TIMEOUT_MS,
      // npm runs scripts of packages as the owner of the folder, not as the user who runs this.
      env: { ...process.env, NODE_ENV: 'production' },
    });
    if (status !== 0 || !isThere()) {
      throw new Unobtainable(`${wanted.join(', ')} cannot be installed from npm: ${error?.message ?? String(stderr).slice(-800)}`);
    }
  }
  const { status, stdout, stderr } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  if (status !== 0) throw new Unobtainable(`Node ${NODE_MAJOR} from npm does not run here: ${stderr.slice(-500)}`);
  log(`unleash-server ${UNLEASH_VERSION} on Node ${stdout.trim()}`);
  return { node, folder };
}

/** Starts Unleash as its documentation says. All settings come from the environment. */
const START = "require('unleash-server').start().catch((error) => { console.error(error); process.exit(1); });";

async function startServer({ node, folder }, settings, url, log) {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(node, ['-e', START], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, NODE_ENV: 'production', ...settings },
  });
  const running = watched(child, 'unleash-server');
  await running.untilReady(async () => (await fetch(`${url}/health`).catch(() => undefined))?.ok === true);
  log(`Unleash serves at ${url} (pid ${child.pid})`);
  running.onCrash((exit, output) => log(`Unleash ended by itself (${exit}). Its last output:\n${output}`));
  return running;
}

/**
 * Creates and starts a separate cluster, which belongs to the user who runs this. Root cannot run PostgreSQL: then the cluster belongs to `postgres`, the
 * user of Debian's package, or to `nobody`.
 */
async function startPostgres(folder, log) {
  const programs = findPostgres() ?? installPostgres(log);
  const user = process.getuid?.() === 0 ? unprivileged() : {};
  const data = join(folder, 'postgres');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined) {
    chownSync(folder, user.uid, user.gid);
    chownSync(data, user.uid, user.gid);
  }
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined) chownSync(passwordFile, user.uid, user.gid);
  const initdb = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'unleash', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C', '-N'],
    { ...user, encoding: 'utf8', cwd: folder },
  );
  if (initdb.status !== 0) throw new Unobtainable(`PostgreSQL cannot create a database here: ${initdb.error?.message ?? initdb.stderr}`);
  const port = await freePort();
  // The data is removed after the run, so it need not be synced to the disk.
  const options = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, fsync: 'off' };
  const words = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(join(programs, 'postgres'), ['-D', data, ...words], {
    ...user,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const running = watched(child, 'PostgreSQL', 'SIGINT');
  const spawnOptions = { env: { ...process.env, PGPASSWORD: password }, encoding: 'utf8' };
  const connection = ['-h', '127.0.0.1', '-p', String(port), '-U', 'unleash'];
  await running.untilReady(async () => spawnSync(join(programs, 'pg_isready'), connection, spawnOptions).status === 0);
  execFileSync(join(programs, 'createdb'), [...connection, 'unleash'], spawnOptions);
  log(`PostgreSQL of ${programs} on port ${port} (pid ${child.pid})`);
  return { url: `postgres://unleash:${password}@127.0.0.1:${port}/unleash`, psql: join(programs, 'psql'), stop: running.stop };
}

function findPostgres() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  return folders.find((folder) => ['initdb', 'postgres', 'pg_isready', 'createdb', 'psql'].every((name) => existsSync(join(folder, name))));
}

function installPostgres(log) {
  installPackage('postgresql', log);
  const found = findPostgres();
  if (!found) {
    throw new Unobtainable('PostgreSQL is not installed, and apt-get could not install it. Run `apt-get install postgresql`, or put its programs on the PATH');
  }
  return found;
}

/** Installs a package of Debian, if this process may do that. */
function installPackage(name, log) {
  const has = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
  const isRoot = process.getuid?.() === 0;
  const privilege = isRoot ? [] : has('sudo', '-n', 'true') ? ['sudo', '-n'] : undefined;
  if (!privilege || !has('apt-get', '--version')) return;
  log(`installing ${name} with apt-get`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [['update', '-qq'], ['install', '-y', '-qq', '--no-install-recommends', name]]) {
    const [program, ...args] = [...privilege, 'apt-get', ...words];
    if (spawnSync(program, args, { stdio: 'ignore', env: environment, timeout: INSTALL_TIMEOUT_MS }).status !== 0) break;
  }
}

/** The browser for the tests of Unleash's pages; undefined if there is none. */
function findChromium() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name))).find(existsSync);
}

function unprivileged() {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim());
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Unobtainable('PostgreSQL does not run as root, and this machine has no user `postgres` or `nobody`');
}

function watched(child, name, signal = 'SIGTERM') {
  let output = '';
  let exit;
  let isStopping = false;
  const addOutput = (chunk) => {
    output = (output + chunk).slice(-4000);
  };
  child.stdout.on('data', addOutput);
  child.stderr.on('data', addOutput);
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve((exit = error.message)));
    child.once('close', (code, by) => resolve((exit = String(by ?? code))));
  });
  return {
    pid: child.pid,
    async untilReady(isReady) {
      const deadlineMs = Date.now() + START_TIMEOUT_MS;
      while (!(await isReady())) {
        if (exit !== undefined) throw new Unobtainable(`${name} ended (${exit}) before it was ready:\n${output}`);
        if (Date.now() > deadlineMs) throw new Unobtainable(`${name} was not ready in ${START_TIMEOUT_MS / 1000} s:\n${output}`);
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    },
    onCrash(report) {
      void ended.then(() => isStopping || report(exit, output));
    },
    lastOutput: () => output,
    async stop(by = signal) {
      isStopping = true;
      if (exit !== undefined) return;
      child.kill(by);
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts the server that $PEER_CONTROL names. Tests run in another process, but Unleash is a child of this process: so this process stops and starts Unleash
 * when a test requests it, and answers when this is done.
 */
async function startControl(peer) {
  const steps = {
    stop: () => peer.stopServer(),
    kill: () => peer.stopServer('SIGKILL'),
    start: () => peer.startServer(),
    'start-secure': () => peer.startServer({ UNLEASH_EXPERIMENTAL_SECURE_TOKEN: 'true' }),
  };
  const port = await freePort();
  const folder = `/${randomBytes(16).toString('hex')}`;
  const server = createHttpServer(async ({ method, url }, response) => {
    const [, name] = url.split(`${folder}/`);
    const step = method === 'POST' && Object.hasOwn(steps, name ?? '') ? steps[name] : undefined;
    if (!step) return void response.writeHead(404).end();
    try {
      await step();
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(500).end(error.message);
    }
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}${folder}`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The environment variables with which tests and users find Unleash. */
function variables({ url, adminToken, adminPassword, databaseUrl, psql }, control) {
  return {
    PEER_URL: url,
    PEER_CONTROL: control.url,
    PEER_VERSION: UNLEASH_VERSION,
    PEER_ADMIN_TOKEN: adminToken,
    PEER_ADMIN_PASSWORD: adminPassword,
    PEER_DATABASE_URL: databaseUrl,
    PEER_PSQL: psql,
  };
}

async function main(args) {
  const log = (line) => process.stderr.write(`peer: ${line}\n`);
  let peer;
  try {
    peer = await startPeer({ log });
  } catch (error) {
    if (!(error instanceof Unobtainable)) throw error;
    log(`not run, because it is not available here: ${error.message}`);
    return 3;
  }
  const control = await startControl(peer);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const signalled = new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(signal));
  });
  try {
    if (args.includes('--serve')) {
      const lines = Object.entries(variables(peer, control)).map(([name, value]) => `export ${name}='${value}'\n`);
      process.stdout.write(lines.join(''));
      return 128 + constants.signals[await signalled];
    }
    const root = fileURLToPath(new URL('..', import.meta.url));
    if (!findChromium()) installPackage('chromium', log);
    const chromium = findChromium();
    if (!chromium) log('the tests of the pages of Unleash are left out: there is no chromium, and it could not be installed');
    const tests = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--config', 'vitest.peer.config.ts', ...args],
      { cwd: root, stdio: 'inherit', env: { ...process.env, ...variables(peer, control), ...(chromium && { PEER_CHROMIUM: chromium }) } },
    );
    void signalled.then((signal) => tests.kill(signal));
    const code = await new Promise((resolve) => tests.once('close', (ended) => resolve(ended ?? 1)));
    if (code !== 0) log(`the last output of Unleash:\n${peer.lastOutput()}`);
    return code;
  } finally {
    control.stop();
    await peer.stop();
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.exitCode = await main(process.argv.slice(2));
}
