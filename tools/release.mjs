// release [--out FOLDER] [--node 'PROGRAM …'] [--package FILE]: builds the package as it would be published, installs the packed file into an empty
// folder as a user would, and tests it there, without development dependencies and on the specified Node. Writes the package, its bill of materials
// (CycloneDX) and the licences of all packages in it to FOLDER (default: release/). To publish the package, remove `private` from package.json and
// run `npm publish FOLDER/burgee-….tgz`.
//
// Prints a line for each test, then "N passed, N failed". Exit code 3: npm's registry is not available.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { version, devDependencies, name, bin: programs } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const { values } = parseArgs({ options: { out: { type: 'string', default: join(ROOT, 'release') }, node: { type: 'string', default: process.execPath }, package: { type: 'string' } } });
const out = resolve(values.out);
/** A program and its arguments. */
const [node, ...nodeWords] = values.node.split(' ').map((word) => (word.includes('/') ? resolve(word) : word));
const folder = mkdtempSync(join(tmpdir(), 'burgee-release-'));

const PACKED_BYTES_MAX = 5_000_000;
/** Maximum size of the installed files that are read at run time, without the binary of uWebSockets.js. */
const RUN_BYTES_MAX = 30_000_000;
const START_TIMEOUT_MS = 60_000;
/** Licences that allow everyone to use and redistribute the software. */
const PERMISSIVE = /^\(?((MIT|ISC|Apache-2\.0|BSD-2-Clause|BSD-3-Clause|0BSD|BlueOak-1\.0\.0|Unlicense|MIT-0|CC0-1\.0)( (AND|OR) )?)+\)?$/;
/**
 * Two dependencies run a script when they are installed. Each looks for a compiled binary, which the package includes. They also work without the
 * script.
 */
const MAY_RUN_SCRIPTS = ['lmdb', 'msgpackr-extract'];

let passed = 0;
let failed = 0;

async function attempt(what, work) {
  try {
    const output = await work();
    passed++;
    console.log(`ok    ${what}${output ? `: ${output}` : ''}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${what}: ${error.message}`);
  }
}

function demand(condition, message) {
  if (!condition) throw new Error(message);
}

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1e8, ...options });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ${args.slice(0, 2).join(' ')} ended with ${status}: ${stderr.slice(-1_000)}`);
  return stdout;
}

const npm = (args, options) => run('npm', [...args, '--no-audit', '--no-fund'], options);

/** All installed packages, at any depth: their paths and manifests. */
function* packagesBelow(modules) {
  for (const entry of readdirSync(modules)) {
    if (entry.startsWith('.')) continue;
    const path = join(modules, entry);
    if (entry.startsWith('@')) {
      yield* packagesBelow(path);
      continue;
    }
    const manifest = join(path, 'package.json');
    if (existsSync(manifest)) yield { path, manifest: JSON.parse(readFileSync(manifest, 'utf8')) };
    if (existsSync(join(path, 'node_modules'))) yield* packagesBelow(join(path, 'node_modules'));
  }
}

function bytesBelow(path) {
  const stat = lstatSync(path);
  return stat.isDirectory() ? readdirSync(path).reduce((sum, each) => sum + bytesBelow(join(path, each)), 0) : stat.size;
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Returns the packed file: the file of --package, so that one file can be tested on several versions of Node, or a new one. */
function pack() {
  if (values.package) return { file: resolve(values.package), size: statSync(values.package).size };
  const [{ filename, size }] = JSON.parse(npm(['pack', '--json', '--silent', '--pack-destination', out], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] }));
  return { file: join(out, filename), size };
}

function install(file) {
  const place = join(folder, 'installed');
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{"name":"empty","version":"0.0.0","private":true}\n');
  npm(['install', '--silent', file], { cwd: place });
  return place;
}

/** Starts the installed program, as users do, in an empty folder, and passes its address to `use`. */
async function withService(place, use) {
  const home = mkdtempSync(join(folder, 'home-'));
  const bin = join(place, 'node_modules', name, programs[name]);
  const environment = { PATH: process.env.PATH, HTTP_HOST: '127.0.0.1', HTTP_PORT: '0', DATA_DIR: join(home, 'data') };
  const child = spawn(node, [...nodeWords, bin], { cwd: home, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk) => (log += chunk));
  child.stdout.on('data', () => {});
  const ended = new Promise((done) => child.once('close', (code, signal) => done(code ?? signal)));
  try {
    const deadline = Date.now() + START_TIMEOUT_MS;
    let port;
    while ((port = /"port":(\d+).*burgee serves/.exec(log)?.[1]) === undefined) {
      demand(child.exitCode === null && Date.now() < deadline, `the program does not serve:\n${log.slice(-2_000)}`);
      await new Promise((done) => setTimeout(done, 50));
    }
    const url = `http://127.0.0.1:${port}`;
    const output = await use({ url, home, burgee: (...args) => run(node, [...nodeWords, bin, ...args], { cwd: home, env: environment }) });
    child.kill('SIGTERM');
    demand((await ended) === 0, `the program ended with ${await ended}`);
    return output;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

async function testService({ url, home, burgee }) {
  demand(burgee('health', '--url', url).includes('GOOD'), 'burgee health does not say GOOD');
  demand(burgee('ready', '--url', url).includes('READY'), 'burgee ready does not say READY');
  demand(burgee('bench', '--help').includes('--clients'), 'burgee bench has no help');
  const file = join(home, 'data', 'first-tokens.txt');
  demand((statSync(file).mode & 0o777) === 0o600, 'the first tokens can be read by others');
  const text = readFileSync(file, 'utf8');
  const token = (kind) => new RegExp(`^ +${kind} +(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const ask = async (path, kind, body) => {
    const headers = { authorization: token(kind), ...(body && { 'content-type': 'application/json' }) };
    const answer = await fetch(url + path, { method: body ? 'POST' : 'GET', headers, ...(body && { body: JSON.stringify(body) }) });
    demand(answer.ok, `${path} is answered ${answer.status}`);
    return answer;
  };
  await ask('/api/admin/projects/default/features', 'admin', { name: 'hello' });
  await ask('/api/admin/projects/default/features/hello/environments/development/on', 'admin', {});
  const { features } = await (await ask('/api/client/features', 'client')).json();
  demand(features.length === 1 && features[0].enabled, 'an SDK does not see the flag');
  demand((await (await ask('/docs/page.js', 'client')).text()).includes('SwaggerUIBundle'), '/docs has no script');
  await testConsole(url);
  const contexts = await fetch(`${url}/api/client/evaluate`, {
    method: 'POST',
    headers: { authorization: token('client'), 'content-type': 'application/x-ndjson' },
    body: '{"userId":"1"}\n',
  });
  demand(contexts.ok && (await contexts.text()).includes('hello'), 'the threads of bulk evaluation do not answer');
  const { front } = await (await fetch(`${url}/ready`)).json();
  return `Node ${run(node, [...nodeWords, '--version']).trim()}, HTTP front ${front}`;
}

/** The page of the console, at the path of a screen, and every file that it names. Its icon is in the page itself. */
async function testConsole(url) {
  const page = await fetch(`${url}/projects/default`);
  const text = await page.text();
  demand(page.ok && page.headers.get('content-security-policy')?.includes("script-src 'self'"), `the console is answered ${page.status}`);
  const assets = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
  demand(assets.length >= 2, 'the page of the console names no script');
  for (const path of assets) {
    const asset = await fetch(url + path, { headers: { 'accept-encoding': 'br' } });
    demand(asset.ok && (await asset.arrayBuffer()).byteLength > 0, `${path} is answered ${asset.status}`);
    demand(asset.headers.get('content-encoding') === 'br', `${path} is not compressed`);
  }
}

/** The packages that are bundled into the scripts of the console, with their licences, as its build lists them. */
const bundledInConsole = (place) => JSON.parse(readFileSync(join(place, 'node_modules', name, 'dist/console/licences.json'), 'utf8'));

/** The manifest of Swagger UI's package. Our package includes two files of it. */
const swaggerUiManifest = (place) => JSON.parse(readFileSync(join(place, 'node_modules', name, 'dist/vendor/swagger-ui/package.json'), 'utf8'));

/** The installed packages as CycloneDX, including Swagger UI, of which our package includes two files, and the packages in the console. */
function billOfMaterials(place) {
  const document = JSON.parse(npm(['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'], { cwd: place }));
  // The root of npm's document is the empty folder of the installation. It is not part of the product, so our package replaces it as the root.
  const own = document.components.findIndex((component) => component.name === name);
  // npm writes the local path of the packed file here. Users do not get the package from this path.
  document.metadata.component = { ...document.components.splice(own, 1)[0], externalReferences: [] };
  const ownRef = document.metadata.component['bom-ref'];
  document.dependencies = document.dependencies.filter(({ ref }) => !ref.startsWith('empty@') || ref === ownRef);
  const manifest = swaggerUiManifest(place);
  const id = `${manifest.name}@${manifest.version}`;
  document.components.push({
    'bom-ref': id, type: 'library', name: manifest.name, version: manifest.version,
    scope: 'required', purl: `pkg:npm/${id}`, licenses: [{ license: { id: licenceOf(manifest) } }],
    description: 'Two of its files are in dist/vendor/swagger-ui.',
  });
  for (const { name: bundled, version: ofBundled, identifier } of bundledInConsole(place)) {
    document.components.push({
      'bom-ref': `console/${bundled}@${ofBundled}`, type: 'library', name: bundled, version: ofBundled,
      scope: 'required', purl: `pkg:npm/${bundled.replace('@', '%40')}@${ofBundled}`, licenses: [{ license: { id: identifier } }],
      description: 'Parts of it are in the scripts in dist/console/assets.',
    });
  }
  return document;
}

const licenceOf = ({ license, licenses }) => (typeof license === 'string' ? license : (license?.type ?? licenses?.map?.((each) => each.type).join(' OR ') ?? 'none stated'));

async function main() {
  mkdirSync(out, { recursive: true });
  if (spawnSync('npm', ['ping', '--silent'], { timeout: 60_000 }).status !== 0 && spawnSync('npm', ['view', 'semver', 'version', '--silent'], { timeout: 60_000 }).status !== 0) {
    console.log('NOT RUN: npm’s registry is not available');
    process.exitCode = 3;
    return;
  }
  await attempt('the version is semantic, in the change log, and the chart’s', () => {
    demand(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version), version);
    demand(new RegExp(`^## ${version.replaceAll('.', '\\.')}( |$)`, 'm').test(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')), 'CHANGELOG.md has no such heading');
    demand(readFileSync(join(ROOT, 'deploy/helm/Chart.yaml'), 'utf8').includes(`\nversion: ${version}\n`), 'deploy/helm/Chart.yaml has another version');
    return version;
  });
  let packed;
  let place;
  await attempt('npm packs the package', () => {
    packed = pack();
    demand(packed.size <= PACKED_BYTES_MAX, `${megabytes(packed.size)} is more than ${megabytes(PACKED_BYTES_MAX)}`);
    return `${packed.file}, ${megabytes(packed.size)}`;
  });
  if (!packed) return;
  await attempt('the packed file is installed into an empty folder', () => {
    place = install(packed.file);
  });
  if (!place) return;
  const packages = [...packagesBelow(join(place, 'node_modules'))];
  await attempt('the package installs nothing that only development needs or that reports installations', () => {
    const names = packages.map(({ manifest }) => manifest.name);
    const unwanted = [...Object.keys(devDependencies), '@scarf/scarf', 'swagger-ui-dist'].filter((each) => names.includes(each) && !each.startsWith('@types/'));
    demand(unwanted.length === 0, unwanted.join(', '));
    return `${packages.length} packages`;
  });
  await attempt('only packages that include their binary run a script when they are installed', () => {
    const scripted = packages.filter(({ manifest: { scripts = {} } }) => scripts.preinstall ?? scripts.install ?? scripts.postinstall);
    const names = [...new Set(scripted.map(({ manifest }) => manifest.name))];
    demand(names.every((each) => MAY_RUN_SCRIPTS.includes(each)), names.join(', '));
    return names.join(', ');
  });
  await attempt('every licence allows everyone to use the software', () => {
    const manifests = [...packages.map(({ manifest }) => manifest), swaggerUiManifest(place)];
    const lines = [
      ...manifests.map((manifest) => [manifest.name, manifest.version, licenceOf(manifest)]),
      ...bundledInConsole(place).map((bundled) => [bundled.name, bundled.version, bundled.identifier ?? 'none stated']),
    ];
    const strange = lines.filter(([, , licence]) => !PERMISSIVE.test(licence));
    demand(strange.length === 0, strange.map((line) => line.join(' ')).join(', '));
    writeFileSync(join(out, `${name}-${version}.licences.tsv`), `package\tversion\tlicence\n${lines.map((line) => `${line.join('\t')}\n`).sort().join('')}`);
    return [...new Set(lines.map(([, , licence]) => licence))].sort().join(', ');
  });
  await attempt('the bill of materials is written', () => {
    const document = billOfMaterials(place);
    const path = join(out, `${name}-${version}.cdx.json`);
    writeFileSync(path, `${JSON.stringify(document, null, 1)}\n`);
    demand(document.bomFormat === 'CycloneDX' && document.metadata.component.name === name && document.components.length >= packages.length, 'components are missing');
    return `${path}, ${document.components.length} components`;
  });
  await attempt('the installed program serves when it is started as users start it', () => withService(place, testService));
  await attempt('the files that are read at run time are small', async () => {
    const slim = join(folder, 'slim');
    cpSync(place, slim, { recursive: true, verbatimSymlinks: true });
    run(node, [...nodeWords, join(ROOT, 'tools/slim.mjs'), join(slim, 'node_modules')]);
    const serves = await withService(slim, testService);
    const uws = join(slim, 'node_modules/uWebSockets.js');
    const binaries = readdirSync(uws).filter((each) => each.endsWith('.node'));
    demand(binaries.length === (serves.endsWith('fast') ? 1 : 0), `it serves on ${serves} with ${binaries.length} binaries of uWebSockets.js`);
    const bytes = bytesBelow(join(slim, 'node_modules')) - binaries.reduce((sum, binary) => sum + statSync(join(uws, binary)).size, 0);
    demand(bytes <= RUN_BYTES_MAX, `${megabytes(bytes)} is more than ${megabytes(RUN_BYTES_MAX)}`);
    return `${megabytes(bytes)} beside ${binaries[0] ?? 'no binary of the HTTP server'}, and it still serves on ${serves}`;
  });
  await attempt('npx runs the package', () => {
    const empty = join(folder, 'npx');
    mkdirSync(empty);
    const output = run('npm', ['exec', '--yes', '--silent', `--package=${packed.file}`, '--', name, '--version'], { cwd: empty }).trim();
    demand(output === version, `the program says ${output}`);
  });
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0) process.exitCode = 1;
