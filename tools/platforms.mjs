// platforms [--write]: prints two tables: what the compiled binaries in the installed packages need from a system, read from the binaries themselves,
// and which HTTP front follows from that on which system and Node. With --write it writes them to docs/reference/dependencies.md. A test compares the two.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { elfNeeds, isOlder } from './elf-needs.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const PAGE = join(root, 'docs/reference/dependencies.md');

/** The versions of Node that Burgee is tried on, with the number of their binary interface. */
export const ABI_OF_NODE = { 20: 115, 22: 127, 24: 137, 26: 147 };
const NODES = Object.keys(ABI_OF_NODE);

/** The C and C++ libraries of systems: facts about them, which no package of ours states. `glibc` is missing where the C library is musl. */
const SYSTEMS = [
  { name: 'Debian 13', glibc: '2.41', glibcxx: '3.4.33' },
  { name: 'Ubuntu 24.04, RHEL 10', glibc: '2.39', glibcxx: '3.4.33' },
  { name: 'Debian 12', glibc: '2.36', glibcxx: '3.4.30' },
  { name: 'Ubuntu 22.04', glibc: '2.35', glibcxx: '3.4.30' },
  { name: 'RHEL 9 (also Rocky, Alma, UBI), Amazon Linux 2023', glibc: '2.34', glibcxx: '3.4.29' },
  { name: 'Debian 11, Ubuntu 20.04', glibc: '2.31', glibcxx: '3.4.28' },
  { name: 'RHEL 8', glibc: '2.28', glibcxx: '3.4.25' },
  { name: 'Alpine 3.19 and newer', musl: true },
];

const PARTS = [
  { name: 'fast HTTP front, x64', libc: { glibc: (abi) => `uWebSockets.js/uws_linux_x64_${abi}.node` } },
  { name: 'fast HTTP front, arm64', libc: { glibc: (abi) => `uWebSockets.js/uws_linux_arm64_${abi}.node` } },
  { name: 'LMDB, x64', libc: addon('@lmdb/lmdb-linux-x64') },
  { name: 'msgpackr-extract, x64 (optional: faster decoding)', libc: addon('@msgpackr-extract/msgpackr-extract-linux-x64') },
];

/** Files of a package that is built for some binary interfaces, and for all others by Node-API. */
function addon(folder) {
  const file = (libc) => (abi) => [`abi${abi}`, 'napi'].map((kind) => `${folder}/node.${kind}.${libc}.node`).find((path) => existsSync(join(modules, path)));
  return { glibc: file('glibc'), musl: file('musl') };
}

/** The needs of a part on each Node, and on musl, where the newest Node stands for all. Undefined: the package has no such binary. */
function needsOf({ libc }) {
  const read = (path) => (path !== undefined && existsSync(join(modules, path)) ? elfNeeds(readFileSync(join(modules, path))) : undefined);
  return { onNode: NODES.map((node) => read(libc.glibc(ABI_OF_NODE[node]))), onMusl: read(libc.musl?.(ABI_OF_NODE[NODES.at(-1)])) };
}

const table = (head, rows) => {
  const line = (cells) => `| ${cells.join(' | ')} |\n`;
  return line(head) + `|${'---|'.repeat(head.length)}\n` + rows.map(line).join('');
};

const needsText = (needs) => {
  if (!needs) return 'no binary';
  const { GLIBC, GLIBCXX } = needs.versions;
  return [`glibc ${GLIBC}`, ...(GLIBCXX ? [`libstdc++ ${GLIBCXX}`] : [])].join(', ');
};

/** What each part needs, on each Node. */
export function needsTable() {
  if (!existsSync(join(modules, '@lmdb/lmdb-linux-x64'))) throw new Error('platforms: only an installation on Linux for x64 has the packages to read');
  const rows = PARTS.map((part) => {
    const { onNode, onMusl } = needsOf(part);
    return [part.name, ...onNode.map(needsText), onMusl ? 'has a binary' : 'no binary'];
  });
  return table(['part', ...NODES.map((node) => `Node ${node}`), 'without glibc (musl)'], rows);
}

const loads = (needs, { glibc, glibcxx }) =>
  needs !== undefined && !isOlder(glibc, needs.versions.GLIBC ?? '0') && !isOlder(glibcxx, needs.versions.GLIBCXX ?? '0');

/** Which front serves on each system, on each Node. */
export function systemsTable() {
  const [front, , lmdb] = PARTS.map(needsOf);
  const rows = SYSTEMS.map((system) => {
    const cells = NODES.map((_, index) => {
      if (system.musl) return lmdb.onMusl ? (front.onMusl ? 'fast' : 'node') : 'none: no LMDB';
      if (!loads(lmdb.onNode[index], system)) return 'none: no LMDB';
      return loads(front.onNode[index], system) ? 'fast' : 'node';
    });
    return [system.name, system.musl ? 'musl' : `glibc ${system.glibc}, libstdc++ ${system.glibcxx}`, ...cells];
  });
  const macs = NODES.map((node) => (existsSync(join(modules, `uWebSockets.js/uws_darwin_arm64_${ABI_OF_NODE[node]}.node`)) ? 'fast' : 'node'));
  return table(['system', 'C and C++ library', ...NODES.map((node) => `Node ${node}`)], [...rows, ['macOS', '', ...macs]]);
}

/**
 * The packages of the lock files with a binary for glibc on x64, of the service and of the console, and whether there is one for musl beside it. They
 * install, build and test Burgee. A lock file lists the packages for all platforms.
 */
export function muslOfTools() {
  return ['package-lock.json', 'console/package-lock.json'].flatMap((file) => {
    const { packages } = JSON.parse(readFileSync(join(root, file), 'utf8'));
    const isForX64 = ({ cpu, os }) => cpu?.includes('x64') && os?.includes('linux');
    const glibc = Object.keys(packages).filter((path) => isForX64(packages[path]) && packages[path].libc?.includes('glibc'));
    return glibc.map((path) => ({ package: `${file}: ${path}`, hasMusl: packages[path.replace(/(-gnu)?$/, '-musl')]?.libc?.includes('musl') ?? false }));
  });
}

/** The page with both tables in their places. */
export function withPlatformTables(page) {
  const put = (text, name, content) => text.replace(new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`), (_, start, end) => start + content + end);
  return put(put(page, 'needs', needsTable()), 'systems', systemsTable());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--write')) writeFileSync(PAGE, withPlatformTables(readFileSync(PAGE, 'utf8')));
  else process.stdout.write(`${needsTable()}\n${systemsTable()}`);
}
