// After the compiler: puts the program's hundreds of modules, and those of the packages that consist of hundreds, into a few files in dist/packed. Loading a module costs more
// than reading it, and a start loads all of them: docs/decisions/one-file.md. What has native parts, or is loaded by few, stays a package of its own.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Pure, of many small files, and needed by every start. */
const TAKEN_IN = ['typebox'];

if (!existsSync(`${root}node_modules/rolldown/package.json`)) {
  process.stderr.write('The bundler is not installed: what was bundled earlier is run.\n');
} else {
  const { rolldown } = await import('rolldown');
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const packages = Object.keys(dependencies).filter((name) => !TAKEN_IN.includes(name));
  const bundle = await rolldown({
    cwd: root,
    // Threads are started by their files' names, which stand beside whoever starts them.
    input: {
      main: 'dist/src/main.js',
      'bulk-worker': 'dist/src/features/bulk/bulk-worker.js',
      'event-text-worker': 'dist/src/features/events/event-text-worker.js',
      'saml-worker': 'dist/src/features/sign-on/saml/saml-worker.js',
    },
    platform: 'node',
    external: (id) => id.startsWith('node:') || packages.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  // As deep as the modules were: they find dist/bench and the package's own packages from where they stand.
  const dir = `${root}${process.argv[2]?.startsWith('dist/') ? process.argv[2] : 'dist/packed/program'}`;
  rmSync(dir, { recursive: true, force: true });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' });
  await bundle.close();
}
