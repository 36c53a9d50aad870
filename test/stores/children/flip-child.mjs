// Damages copies of a small store and opens them: node flip-child.mjs ORIGINAL WORK STRIDE, or ORIGINAL WORK random SEED COUNT. Prints every damage before it
// is tried. Prints its result too, unless the store was refused in one line with advice, or has the same content as the original. JSON lines,
// written synchronously.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { silentLogger } from '../../../dist/src/base/logger.js';
import { LmdbStore } from '../../../dist/src/stores/lmdb/lmdb-store.js';
import { StoreError } from '../../../dist/src/stores/store.js';

const [original, work, stride, seed, count] = process.argv.slice(2);
const PAGE = 4096;
const HEADER = 24;
const print = (line) => writeSync(1, `${JSON.stringify(line)}\n`);

/** A digest of everything a store returns. */
async function contentOf(directory) {
  const store = new LmdbStore({ directory, logger: silentLogger });
  try {
    const { epoch, tip, firstSeq } = await store.open();
    const hash = createHash('sha256').update(`${epoch} ${tip} ${firstSeq}`);
    for (const { seq, bytes } of await store.read(firstSeq, tip)) hash.update(`${seq} `).update(bytes);
    for (const { id, bytes } of await store.readEventsForward(1, 10_000)) hash.update(`${id} `).update(bytes);
    const snapshot = await store.loadSnapshot();
    for await (const piece of snapshot?.pieces ?? []) hash.update(piece);
    return hash.digest('hex');
  } finally {
    await store.close();
  }
}

/** Offsets of LMDB structures: meta pages, page headers, node offsets, node headers and keys. And a sample of all other offsets. */
function* offsetsOf(file) {
  for (let page = 0; page < file.length / PAGE; page += 1) {
    const start = page * PAGE;
    for (let at = 0; at < (page < 2 ? 168 : HEADER); at += 1) yield start + at;
    const flags = file.readUInt16LE(start + 18);
    if (page >= 2 && (flags === 1 || flags === 2)) {
      const count = file.readUInt16LE(start + 20) / 2;
      for (let index = 0; index < count; index += 1) {
        yield start + HEADER + 2 * index;
        yield start + HEADER + 2 * index + 1;
        const node = start + HEADER + file.readUInt16LE(start + HEADER + 2 * index);
        for (let at = node; at < Math.min(node + 8 + file.readUInt16LE(node + 6), start + PAGE); at += 1) yield at;
      }
    }
    for (let at = 37; at < PAGE; at += 211) yield start + at;
  }
}

const file = readFileSync(join(original, 'data.mdb'));
const expected = await contentOf(original);
// Opening an intact store writes nothing to it.
const damages = stride === 'random' ? randomDamages(Number(seed), Number(count)) : flips(Number(stride));
let [tried, refused, same] = [0, 0, 0];
for (const { details, damage } of damages) {
  print(details);
  tried += 1;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  for (const name of ['store.json', 'newest-commit']) copyFileSync(join(original, name), join(work, name));
  const damaged = Buffer.from(file);
  damage(damaged);
  writeFileSync(join(work, 'data.mdb'), damaged);
  try {
    const content = await contentOf(work);
    if (content === expected) same += 1;
    else print({ ...details, differs: true });
  } catch (error) {
    const isClear = error instanceof StoreError && !error.message.includes('\n') && /Restore|Start the version/.test(error.message);
    if (isClear) refused += 1;
    else print({ ...details, unclear: `${error.name}: ${error.message}` });
  }
}
print({ done: true, tried, refused, same });

function* flips(step) {
  const offsets = [...new Set(offsetsOf(file))].filter((_, index) => index % step === 0);
  for (const [number, offset] of offsets.entries()) {
    const bit = [1, 128, 16, 2][number % 4];
    const details = { page: Math.floor(offset / PAGE), at: offset % PAGE, bit };
    yield {
      details,
      damage(bytes) {
        bytes[offset] ^= bit;
      },
    };
  }
}

/** Damages at random offsets: one bit, one byte, several bytes, a sector of zeros, or a sector replaced by a copy of another one. */
function* randomDamages(from, most) {
  const random = generator(from);
  const below = (limit) => Math.floor(random() * limit);
  for (let number = 0; number < most; number += 1) {
    const [offset, other] = [below(file.length), below(file.length / 512) * 512];
    const sector = offset - (offset % 512);
    const [kind, bit, length, noise] = [below(5), 1 << below(8), 1 + below(64), Buffer.from(Array.from({ length: 64 }, () => below(256)))];
    const details = { seed: from, number, page: Math.floor(offset / PAGE), at: offset % PAGE, kind };
    const damage = [
      (bytes) => bytes.writeUInt8(bytes[offset] ^ bit, offset),
      (bytes) => bytes.writeUInt8(noise[0], offset),
      (bytes) => noise.copy(bytes, offset, 0, Math.min(length, bytes.length - offset)),
      (bytes) => bytes.fill(0, sector, sector + 512),
      (bytes) => file.copy(bytes, sector, other, other + 512),
    ][kind];
    yield { details, damage };
  }
}

/** mulberry32 */
function generator(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
