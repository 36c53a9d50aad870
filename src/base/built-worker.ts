import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file of a worker in the build; a thread cannot load TypeScript. `path`: below `src`, without an ending. Run from the sources, it is the compiled
 * file; compiled, it lies in its folder; bundled, it lies beside the bundle.
 */
export function builtWorker(path: string): string {
  const here = import.meta.url;
  if (here.endsWith('.ts')) return fileURLToPath(new URL(`../../dist/src/${path}.js`, here));
  const compiled = new URL(`../${path}.js`, here);
  return fileURLToPath(existsSync(compiled) ? compiled : new URL(`./${basename(path)}.js`, here));
}
