// The tests of the console drive a real Chromium. If the program is missing, this installs it with the package manager of the system. If that is not
// possible, `npm run test:console` says so and tests nothing; with --required it is an error.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Chromium without its own windows: a page costs a third of the processor time. Debian has it as a package. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** Where packages of distributions install it. CHROMIUM names another one. */
const FILES = [
  ...[process.env.CHROMIUM ?? '', HEADLESS_SHELL],
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/lib/chromium/chromium'],
];

/** The browser's program; undefined if there is none. */
export const chromiumFile = () => FILES.find((file) => file !== '' && existsSync(file));

const has = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const run = (program, ...args) => spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;

function install() {
  const privileged = process.getuid?.() === 0 ? [] : has('sudo', '-n', 'true') ? ['sudo', '-n'] : undefined;
  if (!privileged || process.platform !== 'linux') return;
  process.stderr.write('Installing Chromium for the tests of the console.\n');
  const as = (...command) => run(...[...privileged, ...command]);
  const apt = (name) => as('apt-get', 'install', '-y', '-qq', '--no-install-recommends', name);
  if (has('apt-get', '--version')) as('apt-get', 'update', '-qq') && (apt('chromium-headless-shell') || chromiumFile() || apt('chromium'));
  else if (has('apk', '--version')) as('apk', 'add', '--no-cache', 'chromium');
  else if (has('dnf', '--version')) as('dnf', 'install', '-y', 'chromium');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isRequired = process.argv.includes('--required');
  // A run that needs the browser prefers the quick one. Otherwise, what is installed is used.
  if (isRequired ? ![process.env.CHROMIUM, HEADLESS_SHELL].some((file) => file && existsSync(file)) : !chromiumFile()) install();
  if (!chromiumFile()) {
    process.stderr.write('NOT RUN: the tests of the console need Chromium, which is not installed and could not be installed (Debian: apt-get install chromium).\n');
    process.exitCode = isRequired ? 1 : 3;
  }
}
