// slim <node_modules>: removes from installed packages what a running Burgee never reads: binaries for other platforms, other versions of Node and the other
// C library, source maps, types, sources in C++, documents. For images, which then contain only what is used at run time. Licences stay.
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = process.argv[2];
if (!root) {
  process.stderr.write('usage: node tools/slim.mjs node_modules\n');
  process.exit(1);
}

const { platform, arch, versions, report } = process;
/** Set where Node runs on glibc; musl has none. */
const libc = report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
const ABI = `abi${versions.modules}`;

/** Paths within `node_modules`, of files or folders, with forward slashes. */
const UNUSED = [
  /\.(map|d\.ts|d\.cts|d\.mts|md|markdown|tsbuildinfo)$/,
  /(^|\/)(\.github|docs?|examples?|tests?|__tests__|benchmarks?|coverage)$/,
  /^(@types|undici-types|node-addon-api)$/,
  /^uWebSockets\.js\/(misc|mvp|scripts|src|build\.c|Makefile|logo\.svg)$/,
  // LMDB and msgpackr are compiled here, so their sources are not needed.
  /^lmdb\/(src|dependencies|bin|binding\.gyp)$/,
  /^xml2js\/node_modules\/xmlbuilder\/(perf|typings)$/,
];
const LICENCE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;

/** A binary that this Node on this machine would not load. */
function isForOthers(path) {
  const uws = /^uWebSockets\.js\/uws_(.+)\.node$/.exec(path);
  if (uws) return uws[1] !== `${platform}_${arch}_${versions.modules}`;
  const built = /\/node\.(napi|abi\d+)\.(glibc|musl)?\.?node$/.exec(path);
  if (!built) return false;
  if ((built[2] ?? libc) !== libc) return true;
  if (built[1] === 'napi') return hasAbiBuild(path);
  return built[1] !== ABI;
}

/** node-gyp-build takes the binary of the ABI before the one of Node-API. */
function hasAbiBuild(path) {
  return readdirSync(join(root, path, '..')).some((name) => name.startsWith(`node.${ABI}.`) && name.includes(libc));
}

function visit(folder) {
  for (const name of readdirSync(folder)) {
    const full = join(folder, name);
    const path = relative(root, full).split('\\').join('/');
    const isFolder = lstatSync(full).isDirectory();
    const packaged = path.replace(/^(.*\/)?node_modules\//, '');
    const isUnused = UNUSED.some((pattern) => pattern.test(path) || pattern.test(packaged));
    if ((isUnused && !(!isFolder && LICENCE.test(path))) || (!isFolder && isForOthers(path))) rmSync(full, { recursive: true });
    else if (isFolder) visit(full);
  }
}

visit(root);
