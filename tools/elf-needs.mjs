// What a Linux binary (ELF, little-endian, 32 or 64 bits) needs from the system that loads it: its libraries, and the newest version of each set of
// symbols, such as GLIBC 2.38. The loader refuses a binary if a library is older. `readelf -V` shows the same, but is not on every machine.

const DYNAMIC = 6;
const VERSION_NEEDS = 0x6ffffffe;
/** The tag of a needed library in the dynamic section. */
const NEEDED = 1;

/** @param {Buffer} bytes the whole file @returns {{ libraries: string[], versions: Record<string, string> }} */
export function elfNeeds(bytes) {
  if (bytes.length < 64 || bytes.readUInt32BE(0) !== 0x7f454c46 || bytes[5] !== 1) throw new Error('not a little-endian ELF file');
  const sections = sectionsOf(bytes, bytes[4] === 2);
  const dynamic = sections.find(({ type }) => type === DYNAMIC);
  // Linked statically: it needs nothing.
  if (!dynamic) return { libraries: [], versions: {} };
  const needs = sections.find(({ type }) => type === VERSION_NEEDS);
  return { libraries: librariesOf(bytes, dynamic, sections), versions: needs ? versionsOf(bytes, needs, sections) : {} };
}

function sectionsOf(bytes, is64) {
  const word = (at) => (is64 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at));
  const [table, size, count] = is64 ? [word(40), bytes.readUInt16LE(58), bytes.readUInt16LE(60)] : [word(32), bytes.readUInt16LE(46), bytes.readUInt16LE(48)];
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * size;
    const [offset, length, link, info] = is64 ? [24, 32, 40, 44] : [16, 20, 24, 28];
    return { is64, type: bytes.readUInt32LE(at + 4), offset: word(at + offset), length: word(at + length), link: bytes.readUInt32LE(at + link), info: bytes.readUInt32LE(at + info) };
  });
}

/** The text at a place of a section's table of strings. */
function textIn(bytes, { link }, sections, place) {
  const start = sections[link].offset + place;
  return bytes.toString('latin1', start, bytes.indexOf(0, start));
}

function librariesOf(bytes, section, sections) {
  const size = section.is64 ? 8 : 4;
  const word = (at) => (section.is64 ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at));
  const libraries = [];
  for (let at = section.offset; at < section.offset + section.length; at += 2 * size) {
    if (word(at) === NEEDED) libraries.push(textIn(bytes, section, sections, word(at + size)));
  }
  return libraries;
}

function versionsOf(bytes, section, sections) {
  const versions = {};
  for (let library = 0, at = section.offset; library < section.info; library++, at += bytes.readUInt32LE(at + 12)) {
    for (let symbol = 0, entry = at + bytes.readUInt32LE(at + 8); symbol < bytes.readUInt16LE(at + 2); symbol++, entry += bytes.readUInt32LE(entry + 12)) {
      const [, set, version] = /^([A-Z]+)_([\d.]+)$/.exec(textIn(bytes, section, sections, bytes.readUInt32LE(entry + 8))) ?? [];
      if (set !== undefined && (versions[set] === undefined || isOlder(versions[set], version))) versions[set] = version;
    }
  }
  return versions;
}

/** Whether a version such as 2.9 is older than one such as 2.38. */
export function isOlder(version, than) {
  const numbers = (text) => text.split('.').map(Number);
  const [left, right] = [numbers(version), numbers(than)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    if ((left[at] ?? 0) !== (right[at] ?? 0)) return (left[at] ?? 0) < (right[at] ?? 0);
  }
  return false;
}
