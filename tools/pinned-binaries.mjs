// pinned-binaries: compares the installed package of the HTTP server with tools/uwebsockets.sha256, the list of SHA-256 hashes that was recorded when
// the version was chosen. Says what differs, and ends with exit code 1. `.ci/run` does this before it runs anything of the package, `npm test` again.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
export const PACKAGE = join(root, 'node_modules/uWebSockets.js');

export const LIST = join(root, 'tools/uwebsockets.sha256');

/** The recorded hashes: file → SHA-256 as hexadecimal digits. */
export const recordedHashes = (list = LIST) =>
  new Map(
    readFileSync(list, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );

export const sha256Of = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** What differs between a folder and the list, as a sentence; undefined if nothing does. Counts only files that run: binaries and their loaders. */
export function differenceFromList(folder) {
  const recorded = recordedHashes();
  const installed = readdirSync(folder).filter((name) => /\.(node|m?js)$/.test(name));
  const groups = {
    changed: installed.filter((name) => recorded.has(name) && sha256Of(join(folder, name)) !== recorded.get(name)),
    unknown: installed.filter((name) => !recorded.has(name)),
    missing: [...recorded.keys()].filter((name) => !installed.includes(name)),
  };
  const found = Object.entries(groups).filter(([, names]) => names.length > 0);
  if (found.length === 0) return undefined;
  const list = found.map(([kind, names]) => `${kind}: ${names.join(', ')}`).join('; ');
  return `The files of uWebSockets.js are not those that tools/uwebsockets.sha256 lists (${list}). Do not run them before you know why: docs/reference/dependencies.md, "The HTTP server".`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const difference = differenceFromList(PACKAGE);
  process.stdout.write(`${difference ?? `The ${recordedHashes().size} files of uWebSockets.js that run have the recorded hashes.`}\n`);
  process.exitCode = difference === undefined ? 0 : 1;
}
