import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const BUILT = new URL('../../dist/src/', import.meta.url);

/** Without the threads' files, which only run in threads. */
const files = readdirSync(new URL('features', BUILT), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.includes('/') && name.endsWith('.js') && !name.endsWith('-worker.js'))
  .sort();

/** A file that read a table of all features while it is imported would fail here, or state less in the document. */
it('each file of a feature can be imported before the list of features fills its tables', () => {
  const program = [
    ...files.reverse().map((name) => `await import('./features/${name}');`),
    "const { documentText } = await import('./features/documentation/document.js');",
    "const { FEATURE_HTTP } = await import('./features/registry.js');",
    'process.stdout.write(await documentText(FEATURE_HTTP));',
  ];
  expect(files.length).toBeGreaterThan(600);
  const text = execFileSync('node', ['--input-type=module', '--eval', program.join('\n')], {
    cwd: fileURLToPath(BUILT),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  expect(text === readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')).toBe(true);
});
