// slim <node_modules> [--front auto|fast|node]: removes from installed packages the files that a running Burgee never reads: source maps, types, C++
// sources, documents, and binaries for other platforms, other versions of Node and the other C library. Images then contain only files that are used at
// run time. Licences stay.
//
// Of the fast HTTP front one binary stays, or none: `auto` (or what HTTP_FRONT says) keeps it if this Node on this machine can load it, because without
// it Burgee serves on Node's own HTTP server. `node` keeps none. With `fast` it is an error if there is none to keep; nothing is removed then.
import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const FRONTS = ['auto', 'fast', 'node'];

function argumentsOrUsage() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { front: { type: 'string', default: process.env.HTTP_FRONT || 'auto' } } });
    if (positionals.length !== 1) throw new Error('one folder is needed');
    if (!FRONTS.includes(values.front)) throw new Error(`the front is one of ${FRONTS.join(', ')}`);
    if (!existsSync(positionals[0])) throw new Error(`${positionals[0]} does not exist`);
    return { root: positionals[0], front: values.front };
  } catch (error) {
    process.stderr.write(`slim: ${error.message}\nusage: node tools/slim.mjs node_modules [--front auto|fast|node]\n`);
    process.exit(1);
  }
}

const { root, front } = argumentsOrUsage();

const { platform, arch, versions, report } = process;
/** The C library of this Node. The report has a version of glibc only if Node runs on glibc. */
const libc = report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
const ABI = `abi${versions.modules}`;

const THIS_MACHINE = `${platform}_${arch}_${versions.modules}`;
/** Whether the binary of the fast HTTP front stays. */
const keepsFast = front !== 'node' && loadsFast();

function loadsFast() {
  try {
    createRequire(import.meta.url)(resolve(root, `uWebSockets.js/uws_${THIS_MACHINE}.node`));
    return true;
  } catch (error) {
    if (front === 'auto') return false;
    process.stderr.write(`slim: the fast HTTP front does not load here, so nothing was removed: ${error.message.split('\n')[0]}\n`);
    process.exit(1);
  }
}

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
  if (uws) return !keepsFast || uws[1] !== THIS_MACHINE;
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
