import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start real processes run what is built, so it is built from what is being tested. */
export default function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
}
