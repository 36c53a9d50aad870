import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The JavaScript file of a worker, because a thread cannot load TypeScript. `path` is relative to `src`, without the file extension. If Burgee runs
 * from its sources, the file is in `dist`; if it runs compiled, the file is in the same folder as in `src`; if it runs bundled, the file is next to
 * the bundle.
 */
export function builtWorker(path: string): string {
  const thisModule = import.meta.url;
  if (thisModule.endsWith('.ts')) return fileURLToPath(new URL(`../../dist/src/${path}.js`, thisModule));
  const compiled = new URL(`../${path}.js`, thisModule);
  return fileURLToPath(existsSync(compiled) ? compiled : new URL(`./${basename(path)}.js`, thisModule));
}

/** A script in the bundle (`tools/bundle.mjs`), for workers with packages that only the bundle contains, and for programs of their own. */
export function packedScript(name: string): string {
  const thisModule = import.meta.url;
  if (thisModule.endsWith('.ts')) return fileURLToPath(new URL(`../../dist/packed/program/${name}.js`, thisModule));
  const bundled = new URL(`./${name}.js`, thisModule);
  return fileURLToPath(existsSync(bundled) ? bundled : new URL(`../../packed/program/${name}.js`, thisModule));
}
