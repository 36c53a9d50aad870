import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BUILT = fileURLToPath(new URL('../../dist/src/features/', import.meta.url));

/** Imports the files in this order, and writes the OpenAPI document of the last one. */
const PROGRAM = `
  const all = {};
  for (const file of process.argv.slice(1)) Object.assign(all, await import(file));
  process.stdout.write(await all.documentText(all.FEATURE_HTTP));
`;

/** A file that read a table of all features while it is imported would fail here, or state less in the document. */
it('each file of a feature can be imported before the list of features fills its tables', () => {
  const files = readdirSync(BUILT, { recursive: true, encoding: 'utf8' })
    // Not the files of threads, which only run in threads.
    .filter((name) => name.includes('/') && name.endsWith('.js') && !name.endsWith('-worker.js'))
    .sort()
    .reverse();
  expect(files.length).toBeGreaterThan(600);
  const paths = [...files, 'registry.js'].map((name) => BUILT + name);
  const text = execFileSync('node', ['--input-type=module', '--eval', PROGRAM, ...paths], {
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  expect(text === readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')).toBe(true);
});
