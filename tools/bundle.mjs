// Runs after the compiler. Bundles the program's hundreds of modules, and the modules of packages with hundreds of modules, into a few files in
// dist/packed. Loading a module costs more than reading it, and a start loads all modules: docs/decisions/one-file.md. Packages that have native
// parts, or that few starts load, are not bundled, except the SDKs of MCP and
// OpenTelemetry: an installation for production would get over a hundred packages with them.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Packages without native parts that consist of many small files and that every start needs. */
const BUNDLED_PACKAGES = ['typebox'];

if (!existsSync(`${root}node_modules/rolldown/package.json`)) {
  process.stderr.write('The bundler is not installed: the earlier bundle is used.\n');
} else {
  const { rolldown } = await import('rolldown');
  const { dependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const packages = Object.keys(dependencies).filter((name) => !BUNDLED_PACKAGES.includes(name));
  // A feature's module loads its parts, guards and routes with functions. Without these groups, the bundler would write one file for every
  // combination of features that share modules.
  const groupOf = new Map();
  const grouping = {
    name: 'groups',
    buildEnd() {
      const closure = (starts, group) => {
        const waiting = [...starts];
        for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
          const info = this.getModuleInfo(id);
          if (!info || info.isExternal || groupOf.has(id)) continue;
          groupOf.set(id, info.isEntry ? 'entries' : group);
          waiting.push(...info.importedIds);
        }
      };
      const ids = [...this.getModuleIds()];
      const at = (pattern) => ids.filter((id) => pattern.test(id));
      const loaded = at(/\/features\/[^/]+\/module\.js$/).flatMap((id) => this.getModuleInfo(id).dynamicallyImportedIds);
      const [routes, others] = [/\/http\.js$/, /./].map((pattern) => loaded.filter((id) => pattern.test(id)));
      // Worker threads load only the modules that evaluate flags.
      closure(at(/\/(bulk|event-text)-worker\.js$/), 'evaluation');
      closure(at(/\/src\/products\/program\/program\.js$/), 'program');
      closure([...at(/\/src\/products\/server\/service\.js$/), ...others.filter((id) => !routes.includes(id))], 'server');
      closure(routes.filter((id) => /\/(bulk|client|frontend|ofrep)\//.test(id)), 'sdk-routes');
      closure(routes, 'admin-routes');
    },
  };
  // For each module that is loaded with a function, the bundler writes a file that only names exports of a group: a hundred files, which every start loads.
  const withoutFacades = {
    name: 'without-facades',
    generateBundle(_, files) {
      const chunks = Object.values(files).filter(({ type }) => type === 'chunk');
      const direct = new Map();
      for (const { fileName, code, isEntry } of chunks) {
        const [, exported, from] = /^export \{ ([^}]*) \} from "([^"]+)";\s*$/.exec(code) ?? [];
        if (isEntry || exported === undefined) continue;
        const names = exported.split(', ').map((each) => each.split(' as '));
        const fields = names.map(([name, as = name]) => `${as}: all.${name}`);
        direct.set(`import("./${fileName}")`, `import("${from}").then((all) => ({ ${fields.join(', ')} }))`);
        delete files[fileName];
      }
      for (const chunk of chunks) chunk.code = chunk.code.replace(/\bimport\("[^"]+"\)/g, (call) => direct.get(call) ?? call);
    },
  };
  const bundle = await rolldown({
    plugins: [grouping, withoutFacades],
    cwd: root,
    // Worker threads are started by file name, in the folder of the file that starts them.
    input: {
      main: 'dist/src/main.js',
      fleet: 'dist/bench/fleet.bench.js',
      'bulk-worker': 'dist/src/features/bulk/bulk-worker.js',
      'event-text-worker': 'dist/src/features/events/event-text-worker.js',
      'mcp-worker': 'dist/src/features/mcp/mcp-worker.js',
      'telemetry-worker': 'dist/src/features/telemetry/telemetry-worker.js',
      'saml-worker': 'dist/src/features/sign-on/saml/saml-worker.js',
    },
    platform: 'node',
    external: (id) => id.startsWith('node:') || packages.some((name) => id === name || id.startsWith(`${name}/`)),
  });
  // The folder is as deep in dist as the folders of the compiled modules, because modules find each other and installed packages by relative paths.
  const dir = `${root}${process.argv[2]?.startsWith('dist/') ? process.argv[2] : 'dist/packed/program'}`;
  rmSync(dir, { recursive: true, force: true });
  const groups = ['evaluation', 'program', 'server', 'sdk-routes', 'admin-routes'].map((name) => ({
    name,
    test: (id) => groupOf.get(id) === name,
  }));
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' };
  const { output } = await bundle.write({ dir, format: 'esm', ...names, codeSplitting: { groups } });
  await bundle.close();
  writeFileSync(`${dir}/licences.txt`, licencesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
}

/** The licences of the packages whose modules are in the bundle, and of those that such a module contains. */
function licencesOf(moduleIds) {
  const folders = new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  const texts = [...folders].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
    return licenceOf(folder, name, version);
  });
  const contained = new Map(moduleIds.filter((id) => id.includes('/node_modules/')).flatMap(containedPackages));
  for (const [name, version] of contained) texts.push(licenceOf(`${root}node_modules/${name}`, name, version));
  return [...new Set(texts)].sort().join(`\n${'-'.repeat(80)}\n\n`);
}

/** The packages that an earlier bundler put into this module, with their versions: it marked each of their files. */
function containedPackages(moduleId) {
  const marks = readFileSync(moduleId, 'utf8').matchAll(/^\/\/#region .*\/\.pnpm\/[^/]*?@([\d.]+)[^/]*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//gm);
  return [...marks].map(([, version, name]) => [name, version]);
}

function licenceOf(folder, name, version) {
  const { license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8')}`;
}
