import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The pages of these tests are the built console, so it must be built from the tested source. */
export default function setup(): void {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  for (const words of [['tools/ensure-built.mjs'], ['tools/build-console.mjs']]) {
    const { status, error } = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' });
    if (error) throw error;
    if (status !== 0) throw new Error(`node ${words.join(' ')} ended with ${status}`);
  }
}
