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
  // A feature's parts, guards and routes are loaded by functions of its module. In the bundle each kind is one file, not one for every way in which features share modules.
  const roomOf = new Map();
  const rooms = {
    name: 'rooms',
    buildEnd() {
      const closure = (starts, room) => {
        const waiting = [...starts];
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          const info = this.getModuleInfo(id);
          if (!info || info.isExternal || roomOf.has(id)) continue;
          roomOf.set(id, info.isEntry ? 'entries' : room);
          waiting.push(...info.importedIds);
        }
      };
      const ids = [...this.getModuleIds()];
      const at = (pattern) => ids.filter((id) => pattern.test(id));
      const loaded = at(/\/features\/[^/]+\/module\.js$/).flatMap((id) => this.getModuleInfo(id).dynamicallyImportedIds);
      const [routes, others] = [/\/http\.js$/, /./].map((pattern) => loaded.filter((id) => pattern.test(id)));
      // Threads load what they evaluate with, and nothing else.
      closure(at(/\/(bulk|event-text)-worker\.js$/), 'evaluation');
      closure(at(/\/src\/products\/program\/program\.js$/), 'program');
      closure([...at(/\/src\/products\/server\/service\.js$/), ...others.filter((id) => !routes.includes(id))], 'server');
      closure(routes.filter((id) => /\/(bulk|client|frontend|ofrep)\//.test(id)), 'sdk-routes');
      closure(routes, 'admin-routes');
    },
  };
  const bundle = await rolldown({
    plugins: [rooms],
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
  const groups = ['evaluation', 'program', 'server', 'sdk-routes', 'admin-routes'].map((name) => ({
    name,
    test: (id) => roomOf.get(id) === name,
  }));
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' };
  await bundle.write({ dir, format: 'esm', ...names, codeSplitting: { groups } });
  await bundle.close();
}
