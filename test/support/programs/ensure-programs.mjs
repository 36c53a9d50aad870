// The tests run against real redis-server processes, and `burgee find-flags` reads real work trees of git. If one of the two programs is missing, this
// installs it with the package manager of the system. If that is not possible, it says so; with --required it is an error.
import { spawnSync } from 'node:child_process';

const has = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const run = (program, ...args) => spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;

const PROGRAMS = [
  // `npm test` leaves out the tests that need Redis.
  { name: 'redis-server', version: 'redis-server (6.2 or newer)', package: 'redis', debian: 'redis-server', without: 'the tests that need it are left out' },
  { name: 'git', version: 'git', package: 'git', debian: 'git', without: 'the tests of find-flags fail' },
];

for (const program of PROGRAMS) {
  if (has(program.name, '--version') || install(program)) continue;
  process.stderr.write(
    `${program.version} is not on the PATH and could not be installed: ${program.without}. To run all tests, install it ` +
      `(Debian and Ubuntu: apt-get install ${program.debian}, macOS: brew install ${program.package}) and run npm test again.\n`,
  );
  if (process.argv.includes('--required')) process.exitCode = 1;
}

function install({ name, package: packaged, debian }) {
  process.stderr.write(`${name} is missing: installing it for the tests.\n`);
  if (process.platform === 'darwin') return has('brew', '--version') && run('brew', 'install', packaged);
  const privileged = process.getuid?.() === 0 ? [] : has('sudo', '-n', 'true') ? ['sudo', '-n'] : undefined;
  if (!privileged) return false;
  const as = (...command) => run(...[...privileged, ...command]);
  let installed = false;
  if (has('apt-get', '--version')) installed = as('apt-get', 'update', '-qq') && as('apt-get', 'install', '-y', '-qq', debian);
  else if (has('apk', '--version')) installed = as('apk', 'add', '--no-cache', packaged);
  else if (has('dnf', '--version')) installed = as('dnf', 'install', '-y', packaged);
  return installed && has(name, '--version');
}
