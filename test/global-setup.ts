import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Tests that start real processes run what is built, so it is built from what is being tested. Type errors are the type check's to tell. */
export default function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { error } = spawnSync('node', ['tools/ensure-built.mjs'], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
}
