// The tests run against real redis-server processes. If the program is missing, this installs it with the package manager of the system. If that is not
// possible, `npm test` runs the other tests; with --required it is an error.
import { spawnSync } from 'node:child_process';

const has = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;
const run = (program, ...args) => spawnSync(program, args, { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;

if (!has('redis-server', '--version') && !install()) {
  process.stderr.write(
    'redis-server (6.2 or newer) is not on the PATH and could not be installed: the tests that need it are left out. To run them all, install it ' +
      '(Debian and Ubuntu: apt-get install redis-server, macOS: brew install redis) and run npm test again.\n',
  );
  process.exitCode = process.argv.includes('--required') ? 1 : 0;
}

function install() {
  process.stderr.write('redis-server is missing: installing it for the tests.\n');
  if (process.platform === 'darwin') return has('brew', '--version') && run('brew', 'install', 'redis');
  const privileged = process.getuid?.() === 0 ? [] : has('sudo', '-n', 'true') ? ['sudo', '-n'] : undefined;
  if (!privileged) return false;
  const as = (...command) => run(...[...privileged, ...command]);
  let installed = false;
  if (has('apt-get', '--version')) installed = as('apt-get', 'update', '-qq') && as('apt-get', 'install', '-y', '-qq', 'redis-server');
  else if (has('apk', '--version')) installed = as('apk', 'add', '--no-cache', 'redis');
  else if (has('dnf', '--version')) installed = as('dnf', 'install', '-y', 'redis');
  return installed && has('redis-server', '--version');
}
