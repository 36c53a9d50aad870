// slim <node_modules>: removes from installed packages the files that a running Burgee never reads: source maps, types, C++ sources, documents, and
// binaries for other platforms, other versions of Node and the other C library. Images then contain only files that are used at run time. Licences
// stay.
import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = process.argv[2];
if (!root) {
  process.stderr.write('usage: node tools/slim.mjs node_modules\n');
  process.exit(1);
}

const { platform, arch, versions, report } = process;
/** The C library of this Node. The report has a version of glibc only if Node runs on glibc. */
const libc = report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
const ABI = `abi${versions.modules}`;

/** Paths within `node_modules`, of files or folders, with forward slashes. */
const UNUSED = [
  /\.(map|d\.ts|d\.cts|d\.mts|md|markdown|tsbuildinfo)$/,
  /(^|\/)(\.github|docs?|examples?|tests?|__tests__|benchmarks?|coverage)$/,
  /^(@types|undici-types|node-addon-api)$/,
  /^uWebSockets\.js\/(misc|mvp|scripts|src|build\.c|Makefile|logo\.svg)$/,
  // The package contains compiled binaries, so its sources are not needed.
  /^lmdb\/(src|dependencies|bin|binding\.gyp)$/,
  // A whole build for browsers.
  /^xml2js\/lib\/xml2js\.bc\.js$/,
  /^xml2js\/node_modules\/xmlbuilder\/(perf|typings)$/,
];
const LICENCE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;

/** Whether a file is a binary that this Node on this machine does not load. */
function isForOtherNode(path) {
  const uws = /^uWebSockets\.js\/uws_(.+)\.node$/.exec(path);
  if (uws) return uws[1] !== `${platform}_${arch}_${versions.modules}`;
  const built = /\/node\.(napi|abi\d+)\.(glibc|musl)?\.?node$/.exec(path);
  if (!built) return false;
  if ((built[2] ?? libc) !== libc) return true;
  if (built[1] === 'napi') return hasAbiBuild(path);
  return built[1] !== ABI;
}

/** Whether the folder also has a binary for this Node's ABI: node-gyp-build prefers it to the binary for Node-API. */
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
    if ((isUnused && !(!isFolder && LICENCE.test(path))) || (!isFolder && isForOtherNode(path))) rmSync(full, { recursive: true });
    else if (isFolder) visit(full);
  }
}

visit(root);
