import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The last version of Unleash Edge under the MIT licence. */
const VERSION = '20.1.0';
/** A build takes about fifteen minutes of processor time. */
const BUILD_TIMEOUT_MS = 60 * 60_000;

/** The program of Unleash Edge: the file that EDGE_BINARY names, or else a build from its registry in this directory. A message if there is neither. */
export function edgeBinary(directory: string): { readonly file: string } | { readonly problem: string } {
  const named = process.env.EDGE_BINARY ?? '';
  if (named !== '')
    return existsSync(named) ? { file: named } : { problem: `EDGE_BINARY names ${named}, which is not there` };
  if (spawnSync('cargo', ['--version']).error) {
    return { problem: 'Unleash Edge cannot be built: there is no cargo. Name a built one with EDGE_BINARY.' };
  }
  process.stdout.write(`building unleash-edge ${VERSION}; EDGE_BINARY=<file> avoids the build\n`);
  const args = [
    'install',
    'unleash-edge',
    '--version',
    VERSION,
    '--locked',
    '--no-default-features',
    '--root',
    directory,
  ];
  const { status } = spawnSync('cargo', args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: BUILD_TIMEOUT_MS });
  const file = join(directory, 'bin', 'unleash-edge');
  return status === 0 && existsSync(file) ? { file } : { problem: 'Unleash Edge could not be built' };
}
