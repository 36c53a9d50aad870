import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start real processes run the build, so it must be built from the tested source. The type check reports type errors. */
export default function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { error } = spawnSync('node', ['tools/ensure-built.mjs'], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
}
